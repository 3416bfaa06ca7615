import type { Database } from "@belfry/database/connection";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { decryptSecret, type SecretKeys } from "@belfry/database/secrets";
import type { ReceiptReader } from "@belfry/providers/receipt";
import { RECEIPT_READERS } from "@belfry/providers/receipt-readers";
import { LRUCache } from "lru-cache";

const MAX_ENTRIES = 5_000;

export interface WebhookKeys {
  /** The keys of the tenant's providers of this kind, inactive ones included; empty when there are none. */
  of(tenantId: string, reader: ReceiptReader): Promise<readonly string[]>;
  /** The configuration changed: read again. */
  clear(): void;
}

/** What providers' webhooks are verified with: settings of the tenants' providers, decrypted once. */
export function createWebhookKeys(db: Database, keys: SecretKeys): WebhookKeys {
  const create = () =>
    new LRUCache<string, readonly string[], ReceiptReader>({
      max: MAX_ENTRIES,
      fetchMethod: (name, _stale, { context: reader }) =>
        readKeys(db, keys, name.slice(name.indexOf(" ") + 1), reader),
    });
  let cache = create();
  let known: Promise<ReadonlySet<string>> | undefined;
  /** One query for all, until the configuration changes: whoever tries names costs none. */
  const webhooks = () => {
    if (known !== undefined) return known;
    const reading = readWebhooks(db);
    known = reading;
    reading.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading;
  };
  return {
    async of(tenantId, reader) {
      const name = `${reader.kind} ${tenantId}`;
      if (!(await webhooks()).has(name)) return [];
      return (await cache.fetch(name, { context: reader })) ?? [];
    },
    clear() {
      // A new one: clearing would abort the look-ups under way.
      cache = create();
      known = undefined;
    },
  };
}

async function readWebhooks(db: Database): Promise<Set<string>> {
  const kinds = RECEIPT_READERS.map((reader) => reader.kind);
  const rows = await db
    .selectFrom("providers")
    .select(["tenant_id", "kind"])
    .where("kind", "in", kinds)
    .execute();
  return new Set(rows.map((row) => `${row.kind} ${row.tenant_id}`));
}

async function readKeys(
  db: Database,
  keys: SecretKeys,
  tenantId: string,
  reader: ReceiptReader,
): Promise<string[]> {
  // What was sent before a provider was deactivated still has its receipts.
  const rows = await db
    .selectFrom("providers")
    .select(["id", "settings"])
    .where("tenant_id", "=", tenantId)
    .where("channel", "=", reader.channel)
    .where("kind", "=", reader.kind)
    .orderBy("position")
    .execute();
  const settings = await Promise.all(
    rows.map((row) => decryptSecret(keys, providerSettingsOwner(tenantId, row.id), row.settings)),
  );
  return settings
    .map((text) => (JSON.parse(text) as Record<string, unknown>)[reader.keySetting])
    .filter((key) => typeof key === "string");
}
