import { hash } from "node:crypto";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { KeptDays } from "@belfry/contracts/retention";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, type SecretKeys, webhookSecretOwner } from "@belfry/database/secrets";
import { findTargetChannels } from "@belfry/database/template-channels";
import { createVersionedCache, readEach } from "@belfry/service/versioned-cache";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";

/** The data that requests with one key need about its tenant. */
export interface Tenant {
  id: string;
  name: string;
  active: boolean;
  dedupIncludesVariables: boolean;
  /** Whether attachments may be executables. */
  allowExecutables: boolean;
  kept: KeptDays;
  /** Newest first; each is valid for signatures until its end. Empty if the tenant's calls need no signature. */
  webhookSecrets: readonly WebhookSecret[];
  keyId: string;
  /** The key's name, or its first characters if it has none. */
  keyName: string;
  keyExpiresAt: Date | null;
  keyRole: KeyRole;
}

export interface WebhookSecret {
  secret: string;
  /** Null if the secret does not end. */
  endsAt: Date | null;
}

/** Most cached keys: known ones, and unknown ones until the configuration changes. */
const MAX_KEYS = 20_000;
const MAX_TENANTS = 5_000;
const WRITE_KEY_USES_MS = 30_000;

export type TenantDirectory = ReturnType<typeof createTenantDirectory>;

/** Caches what every request needs to know about its tenant. Nothing is read twice at the same time. */
export function createTenantDirectory(db: Database, keys: SecretKeys) {
  const tenants = createVersionedCache<Tenant>({
    max: MAX_KEYS,
    read: (digests) => readEach(digests, (sha256) => tenantOfKey(db, keys, sha256)),
  });
  const channels = createVersionedCache<string[]>({
    max: MAX_TENANTS,
    read: (tenantIds) => readEach(tenantIds, (tenantId) => findTargetChannels(db, tenantId)),
  });
  /** Keys that were found before. `clear` keeps them: a stranger's guesses must not delay a tenant after it. */
  const recognised = new LRUCache<string, true>({ max: MAX_KEYS });
  const lookUp = async (digest: string, beforeQuery: () => Promise<void>) => {
    if (!recognised.has(digest)) await beforeQuery();
    const found = await tenants.get(digest);
    if (found !== undefined) recognised.set(digest, true);
    return found;
  };
  return {
    /**
     * Finds the tenant of a key, or undefined if the key is unknown. Returns no promise if the key is cached. Rejects
     * if the database does not answer. Calls `beforeQuery`, which may throw, for a key that was never found before.
     */
    find(
      apiKey: string,
      beforeQuery: () => Promise<void>,
    ): Tenant | undefined | Promise<Tenant | undefined> {
      const digest = hash("sha256", apiKey, "hex");
      const found = tenants.peek(digest);
      return found === undefined ? lookUp(digest, beforeQuery) : found.value;
    },
    /** Returns the names of the realtime channels that templates of the tenant and the platform publish to. */
    async targetChannels(tenantId: string): Promise<readonly string[]> {
      return (await channels.get(tenantId)) ?? [];
    },
    /** Empties the cache after a change of the configuration. */
    clear(): void {
      tenants.clear();
      channels.clear();
    },
  };
}

/** Finds a tenant by the SHA-256 of one of its keys, in hex. Also finds expired keys and inactive tenants. */
async function tenantOfKey(
  db: Database,
  keys: SecretKeys,
  sha256: string,
): Promise<Tenant | undefined> {
  const row = await db
    .selectFrom("api_keys as k")
    .innerJoin("tenants as t", "t.id", "k.tenant_id")
    .innerJoin("configuration_version as v", (on) => on.onTrue())
    .select([
      "k.id as keyId",
      "k.expires_at as keyExpiresAt",
      "k.role as keyRole",
      "k.name as keyName",
      "k.prefix",
      "t.id",
      "t.name",
      "t.active",
      "t.dedup_includes_variables as dedupIncludesVariables",
      "t.allow_executables as allowExecutables",
      "t.webhook_secret as newest",
      "t.previous_webhook_secret as previous",
      "t.previous_webhook_secret_until as previousEndsAt",
    ])
    .select(({ fn }) => [
      fn.coalesce("t.event_retention_days", "v.event_retention_days").as("eventDays"),
      fn
        .coalesce("t.notification_retention_days", "v.notification_retention_days")
        .as("notificationDays"),
    ])
    .where("k.sha256", "=", Buffer.from(sha256, "hex"))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { prefix, newest, previous, previousEndsAt, eventDays, notificationDays, ...tenant } = row;
  const webhookSecrets: WebhookSecret[] = [];
  const owner = webhookSecretOwner(tenant.id);
  if (newest !== null) {
    webhookSecrets.push({ secret: await decryptSecret(keys, owner, newest), endsAt: null });
    if (previous !== null) {
      const secret = await decryptSecret(keys, owner, previous);
      webhookSecrets.push({ secret, endsAt: previousEndsAt });
    }
  }
  return {
    ...tenant,
    keyName: tenant.keyName ?? prefix,
    kept: { eventDays, notificationDays },
    webhookSecrets,
  };
}

export type KeyUses = ReturnType<typeof createKeyUses>;

/** Collects when keys were last used, and writes these times in one statement every 30 s. */
export function createKeyUses(db: Database, now: () => Date, log: Logger) {
  let uses = new Map<string, Date>();
  const write = async () => {
    const written = uses;
    uses = new Map();
    await touchKeys(db, written).catch((err) => log.warn({ err }, "last use of keys not written"));
  };
  const timer = setInterval(write, WRITE_KEY_USES_MS).unref();
  return {
    note(keyId: string): void {
      // The time of the first use since the last write is exact enough, and saves a Date per request.
      if (!uses.has(keyId)) uses.set(keyId, now());
    },
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer);
      await write();
    },
  };
}

/** Writes when keys were last used, in one statement. */
export async function touchKeys(db: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return;
  const ids = [...uses.keys()];
  const times = [...uses.values()];
  await sql`
    with locked as materialized (
      select id from api_keys where id = any (${ids}::uuid[]) order by id for update
    )
    update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at)
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, used_at)
    where k.id = any (array(select id from locked)) and k.id = u.id`.execute(db);
}
