import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import type { Schema } from "@belfry/database/schema";
import { decryptSecret, providerSettingsOwner, type SecretKeys } from "@belfry/database/secrets";
import type { TObject } from "@sinclair/typebox";
import { type Insertable, sql, type Updateable } from "kysely";
import { InvalidInput, invalid, refuseFaults } from "../input-error.ts";

/** Every change names the tenant too, so that it cannot reach a provider of another tenant. */
type ProviderKey = Pick<ProviderRow, "id" | "tenantId">;

interface ProviderFilter {
  id?: string | undefined;
  tenantId?: string | undefined;
  channel?: ProviderChannel | undefined;
  kind?: string | undefined;
  name?: string | undefined;
}

/** Stores a provider at the first position of its channel, because the newest provider sends. */
export async function insertProvider(db: Database, provider: Insertable<Schema["providers"]>) {
  await db
    .updateTable("providers")
    .set({ position: sql<number>`position + 1` })
    .where("tenant_id", "=", provider.tenant_id)
    .where("channel", "=", provider.channel)
    .execute();
  await db.insertInto("providers").values(provider).execute();
}

/** Updates a provider. Fields that are undefined keep their values. */
export async function updateProvider(
  db: Database,
  key: ProviderKey,
  change: Updateable<Schema["providers"]>,
): Promise<void> {
  await update(db, key)
    .set({ ...change, updated_at: sql<Date>`now()` })
    .execute();
}

/**
 * Stores the result of a test; the newest test counts. Does nothing if other settings were stored since the test began.
 */
export async function noteProviderTest(
  db: Database,
  key: ProviderKey,
  { settings, accepted }: { settings: string; accepted: boolean },
): Promise<void> {
  await update(db, key)
    .set({ tested_at: accepted ? sql<Date>`now()` : null })
    .where("settings", "=", settings)
    .execute();
}

export async function deleteProviderRow(db: Database, { id, tenantId }: ProviderKey) {
  await db.deleteFrom("providers").where("id", "=", id).where("tenant_id", "=", tenantId).execute();
}

function update(db: Database, { id, tenantId }: ProviderKey) {
  return db.updateTable("providers").where("id", "=", id).where("tenant_id", "=", tenantId);
}

/** Returns the encrypted settings of a provider, to change or test them. */
export async function storedProviderSettings(db: Database, { id, tenantId }: ProviderKey) {
  const row = await db
    .selectFrom("providers")
    .select("settings")
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row?.settings;
}

/** Puts a tenant's providers of one channel into the order of these ids. */
export async function orderProviders(db: Database, tenantId: string, ids: readonly string[]) {
  // Updates the rows in the order of ids, so that two calls do not deadlock.
  for (const [position, id] of [...ids.entries()].sort(([, a], [, b]) => (a < b ? -1 : 1))) {
    await update(db, { id, tenantId }).set({ position }).execute();
  }
}

/** Returns the providers that match all fields of the filter, in the order of use, without the encrypted settings. */
export async function findProviders(db: Database, filter: ProviderFilter) {
  let query = db
    .selectFrom("providers")
    .select([
      "id",
      "tenant_id as tenantId",
      "channel",
      "kind",
      "name",
      "active",
      "position",
      "masked_settings as settings",
      "max_per_second as maxPerSecond",
      "tested_at as testedAt",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ]);
  if (filter.id !== undefined) query = query.where("id", "=", filter.id);
  if (filter.tenantId !== undefined) query = query.where("tenant_id", "=", filter.tenantId);
  if (filter.channel !== undefined) query = query.where("channel", "=", filter.channel);
  if (filter.kind !== undefined) query = query.where("kind", "=", filter.kind);
  if (filter.name !== undefined) query = query.where("name", "=", filter.name);
  return await query.orderBy("channel").orderBy("position").orderBy("id").execute();
}

/**
 * `name`: unique on the channel; by default the kind. `position`: from 0; the active provider with the lowest position
 * sends. `settings`: with masked secrets. `maxPerSecond`: calls per second over all replicas; null for no limit.
 * `testedAt`: when the vendor accepted the newest test of these settings; null if there was no test or the newest was
 * not accepted.
 */
export type ProviderRow = Awaited<ReturnType<typeof findProviders>>[number];

type Kinds = typeof import("@belfry/providers/kinds");
type Settings = Record<string, unknown>;

/** Returns a channel's kinds of provider with the schemas of their settings, which the forms follow. */
export async function providerKinds(channel: ProviderChannel) {
  return (await import("@belfry/providers/kinds")).PROVIDER_KINDS[channel];
}

/**
 * Returns the settings to store and their public part. Takes secrets that are left out from `stored`. Throws
 * `InvalidInput` with every fault.
 */
export function checkedSettings(
  kinds: Kinds,
  { channel, kind, settings }: { channel: ProviderChannel; kind: string; settings: Settings },
  options: { stored: Settings | undefined; allowPrivateAddresses: boolean },
): { settings: Settings; maskedSettings: Settings } {
  const row = kinds.providerKind(channel, kind);
  if (row === undefined) {
    const names = kinds.PROVIDER_KINDS[channel].map((one) => one.kind).sort();
    throw invalid("kind", `must be one of ${names.join(", ")} for ${channel}`);
  }
  const whole = withKeptSecrets(row.settings, settings, options.stored ?? {});
  const faults = kinds.checkSettings(row, whole, options);
  if (faults.length > 0) {
    throw new InvalidInput(faults.map((message) => ({ field: "settings", message })));
  }
  return { settings: whole, maskedSettings: kinds.maskSettings(row, whole) };
}

/** Returns the decrypted settings; undefined if there is no such provider. Throws if no given key decrypts them. */
export async function storedSettings(db: Database, provider: ProviderKey, keys: SecretKeys) {
  const stored = await storedProviderSettings(db, provider);
  if (stored === undefined) return undefined;
  const owner = providerSettingsOwner(provider.tenantId, provider.id);
  return JSON.parse(await decryptSecret(keys, owner, stored));
}

/** Adds stored secrets to settings that lack them. Refuses this if they would be sent to another server than before. */
function withKeptSecrets({ properties }: TObject, given: Settings, stored: Settings): Settings {
  const rows = Object.entries(properties);
  const kept = rows
    .filter(([field, { secret }]) => secret === true && Object.hasOwn(stored, field))
    .filter(([field]) => !Object.hasOwn(given, field))
    .filter(([, { belongsTo }]) => belongsTo === undefined || Object.hasOwn(given, belongsTo))
    .filter(([, { replacedBy }]) => replacedBy === undefined || !Object.hasOwn(given, replacedBy));
  const moved = rows.find(
    ([field, { destination, default: fallback }]) =>
      destination === true && (given[field] ?? fallback) !== (stored[field] ?? fallback),
  );
  if (moved !== undefined) {
    refuseFaults(
      kept.map(([field]) => ({
        field: "settings",
        message: `${field}: must be given again: the stored one was for another ${moved[0]}`,
      })),
    );
  }
  return { ...Object.fromEntries(kept.map(([field]) => [field, stored[field]])), ...given };
}
