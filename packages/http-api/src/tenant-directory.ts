import { hash } from "node:crypto";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { KeptDays } from "@belfry/contracts/retention";
import type { Database } from "@belfry/database/connection";
import { webhookSecretOwner } from "@belfry/database/secret-owners";
import { decryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { findTargetChannels } from "@belfry/database/target-channels";
import { createVersionedCache, readEach } from "@belfry/service/versioned-cache";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";

/** A tenant as the requests of one key need it. */
export interface Tenant {
  id: string;
  name: string;
  active: boolean;
  dedupIncludesVariables: boolean;
  kept: KeptDays;
  /** Each signs the tenant's triggers until its end; empty: they need no signature. The newest first. */
  webhookSecrets: readonly WebhookSecret[];
  keyId: string;
  /** Its name, else its first characters. */
  keyName: string;
  keyExpiresAt: Date | null;
  keyRole: KeyRole;
}

export interface WebhookSecret {
  secret: string;
  /** null: it has none. */
  endsAt: Date | null;
}

/** Keys that were looked up: known ones, and unknown ones for as long as the configuration stands. */
const MAX_KEYS = 20_000;
const MAX_TENANTS = 5_000;

export interface TenantDirectory {
  /**
   * Undefined for a key that nobody has; at once where it is remembered. Rejects where the database does
   * not answer. `beforeQuery` is called for a key that was never seen to be somebody's, and may throw.
   */
  find(
    apiKey: string,
    beforeQuery: () => Promise<void>,
  ): Tenant | undefined | Promise<Tenant | undefined>;
  /** Names of the realtime channels that the tenant's users can be sent to by templates. */
  targetChannels(tenantId: string): Promise<readonly string[]>;
  /** The configuration changed: look everything up again. */
  clear(): void;
}

/** Caches what every request needs to know of its tenant; nothing is fetched twice at the same time. */
export function createTenantDirectory(db: Database, keys: SecretKeys): TenantDirectory {
  const tenants = createVersionedCache<Tenant>({
    max: MAX_KEYS,
    read: (digests) =>
      readEach(digests, async (sha256) => {
        const holder = await findTenantByKey(db, Buffer.from(sha256, "hex"));
        return holder === undefined ? undefined : await toTenant(holder, keys);
      }),
  });
  const channels = createVersionedCache<string[]>({
    max: MAX_TENANTS,
    read: (tenantIds) => readEach(tenantIds, (tenantId) => findTargetChannels(db, tenantId)),
  });
  /** Survives `clear`: a tenant must not pay for a stranger's guesses when the cache is new. */
  const recognised = new LRUCache<string, true>({ max: MAX_KEYS });
  const lookUp = async (digest: string, beforeQuery: () => Promise<void>) => {
    if (!recognised.has(digest)) await beforeQuery();
    const found = await tenants.get(digest);
    if (found !== undefined) recognised.set(digest, true);
    return found;
  };
  return {
    find(apiKey, beforeQuery) {
      const digest = hash("sha256", apiKey, "hex");
      const found = tenants.peek(digest);
      return found === undefined ? lookUp(digest, beforeQuery) : found.value;
    },
    targetChannels: async (tenantId) => (await channels.get(tenantId)) ?? [],
    clear() {
      tenants.clear();
      channels.clear();
    },
  };
}

/** Finds the tenant of an API key by the SHA-256 of the key. Expired keys and inactive tenants too. */
async function findTenantByKey(db: Database, sha256: Buffer) {
  const row = await db
    .selectFrom("api_keys as k")
    .innerJoin("tenants as t", "t.id", "k.tenant_id")
    .innerJoin("configuration_version as v", (on) => on.onTrue())
    .select([
      "k.id as keyId",
      "k.expires_at as expiresAt",
      "k.role",
      "k.name as keyName",
      "k.prefix",
      "t.id",
      "t.name",
      "t.active",
      "t.dedup_includes_variables",
      "t.webhook_secret",
      "t.previous_webhook_secret",
      "t.previous_webhook_secret_until",
    ])
    .select(({ fn }) => [
      fn.coalesce("t.event_retention_days", "v.event_retention_days").as("eventDays"),
      fn
        .coalesce("t.notification_retention_days", "v.notification_retention_days")
        .as("notificationDays"),
    ])
    .where("k.sha256", "=", sha256)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { keyId, keyName, prefix, expiresAt, role, eventDays, notificationDays, ...tenant } = row;
  const key = { keyId, keyName: keyName ?? prefix, expiresAt, role };
  return { ...key, tenant, kept: { eventDays, notificationDays } };
}

/** A tenant as a live key finds it; `kept`: its own days, or those of the installation. */
type KeyHolder = NonNullable<Awaited<ReturnType<typeof findTenantByKey>>>;

async function toTenant(holder: KeyHolder, keys: SecretKeys): Promise<Tenant> {
  const { tenant } = holder;
  return {
    id: tenant.id,
    name: tenant.name,
    active: tenant.active,
    dedupIncludesVariables: tenant.dedup_includes_variables,
    kept: holder.kept,
    webhookSecrets: await webhookSecretsOf(tenant, keys),
    keyId: holder.keyId,
    keyName: holder.keyName,
    keyExpiresAt: holder.expiresAt,
    keyRole: holder.role,
  };
}

async function webhookSecretsOf(tenant: KeyHolder["tenant"], keys: SecretKeys) {
  const { webhook_secret: newest, previous_webhook_secret: previous } = tenant;
  if (newest === null) return [];
  const owner = webhookSecretOwner(tenant.id);
  const secrets = [{ secret: await decryptSecret(keys, owner, newest), endsAt: null }];
  if (previous === null) return secrets;
  const endsAt = tenant.previous_webhook_secret_until;
  return [...secrets, { secret: await decryptSecret(keys, owner, previous), endsAt }];
}

const WRITE_EVERY_MS = 30_000;

/** Remembers when keys were last used and writes it in one statement now and then. */
export interface KeyUses extends AsyncDisposable {
  note(keyId: string): void;
}

export function createKeyUses(db: Database, now: () => Date, log: Logger): KeyUses {
  let uses = new Map<string, Date>();
  const write = async () => {
    const written = uses;
    uses = new Map();
    await touchKeys(db, written).catch((err) => log.warn({ err }, "last use of keys not written"));
  };
  const timer = setInterval(write, WRITE_EVERY_MS).unref();
  return {
    // The first use since the last write is near enough: a Date a request is not worth more.
    note(keyId) {
      if (!uses.has(keyId)) uses.set(keyId, now());
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await write();
    },
  };
}

/** Notes when keys were last used: one statement for all that were, every now and then. */
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
