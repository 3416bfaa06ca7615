import type { Database } from "@belfry/database/connection";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { decryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { INBOUND_READERS } from "@belfry/providers/inbound-readers";
import { RECEIPT_READERS } from "@belfry/providers/receipt-readers";
import { createVersionedCache, readEach } from "@belfry/service/versioned-cache";

const MAX_ENTRIES = 5_000;

/** What comes by a webhook, and who reads it. */
const READERS = { receipts: RECEIPT_READERS, inbound: INBOUND_READERS } as const;
export type WebhookUse = keyof typeof READERS;

export interface WebhookKeys {
  /**
   * The keys that the tenant's providers of this kind sign with, those of inactive ones included; empty when
   * there are none.
   */
  of(tenantId: string, kind: string, use: WebhookUse): Promise<readonly string[]>;
  /** The configuration changed: read again. */
  clear(): void;
}

/** What providers' webhooks are verified with: settings of the tenants' providers, decrypted once. */
export function createWebhookKeys(db: Database, keys: SecretKeys): WebhookKeys {
  const cache = createVersionedCache<readonly string[]>({
    max: MAX_ENTRIES,
    read: (names) => readEach(names, (name) => readKeys(db, keys, name)),
  });
  /** One query for all, until the configuration changes: whoever tries names costs none. */
  const webhooks = createVersionedCache<ReadonlySet<string>>({
    max: 1,
    read: async ([all = ""]) => new Map([[all, await readWebhooks(db)]]),
  });
  return {
    async of(tenantId, kind, use) {
      const name = `${kind} ${tenantId}`;
      if (!(await webhooks.get("all"))?.has(name)) return [];
      return (await cache.get(`${use} ${name}`)) ?? [];
    },
    clear() {
      cache.clear();
      webhooks.clear();
    },
  };
}

async function readWebhooks(db: Database): Promise<Set<string>> {
  const kinds = Object.values(READERS).flatMap((readers) => readers.map((reader) => reader.kind));
  const rows = await db
    .selectFrom("providers")
    .select(["tenant_id", "kind"])
    .where("kind", "in", kinds)
    .execute();
  return new Set(rows.map((row) => `${row.kind} ${row.tenant_id}`));
}

async function readKeys(db: Database, keys: SecretKeys, name: string): Promise<string[]> {
  const [use = "", kind = "", tenantId = ""] = name.split(" ");
  const reader = READERS[use as WebhookUse].find((one) => one.kind === kind);
  if (reader === undefined) return [];
  // What was sent before a provider was deactivated still has its receipts.
  const rows = await db
    .selectFrom("providers")
    .select(["id", "settings"])
    .where("tenant_id", "=", tenantId)
    .where("kind", "=", reader.kind)
    .orderBy("position")
    .execute();
  const settings = await Promise.all(
    rows.map((row) => decryptSecret(keys, providerSettingsOwner(tenantId, row.id), row.settings)),
  );
  return settings
    .map((text) => reader.keyOf(JSON.parse(text) as Record<string, unknown>))
    .filter((key) => key !== undefined);
}
