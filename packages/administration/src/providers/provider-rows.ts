import { chatKindOf } from "@belfry/contracts/addresses";
import {
  PROVIDER_CHANNELS,
  type ProviderChannel,
  providersForKind,
} from "@belfry/contracts/channels";
import { oneOf, orNull, time } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import type { Schema } from "@belfry/database/schema";
import { decryptSecret, providerSettingsOwner, type SecretKeys } from "@belfry/database/secrets";
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { type Insertable, sql, type Updateable } from "kysely";
import { columnsOf } from "../columns.ts";
import { InvalidInput, invalid, refuseFaults } from "../input-error.ts";

/** A tenant's account at a vendor, as people see it. */
export const Provider = Type.Object(
  {
    id: Type.String(),
    tenantId: Type.String(),
    channel: oneOf(PROVIDER_CHANNELS),
    kind: Type.String(),
    name: Type.String({ description: "Unique on the channel; the kind, unless it was named" }),
    active: Type.Boolean({ description: "Messages are sent through it" }),
    position: Type.Integer({
      description: "Place in the order, from 0; the lowest active provider sends",
    }),
    settings: Type.Record(Type.String(), Type.Unknown(), { description: "Secrets are masked" }),
    maxPerSecond: orNull(
      Type.Integer({ description: "Calls, over all replicas; null: no limit of ours" }),
    ),
    testedAt: orNull(time("When the vendor accepted the newest test with these settings")),
    createdAt: time("When it was added"),
    updatedAt: time("When it was changed"),
  },
  { title: "Provider" },
);
export type Provider = Static<typeof Provider>;

/** Every change names the tenant too, so that it cannot reach a provider of another tenant. */
type ProviderKey = Pick<Provider, "id" | "tenantId">;

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
export async function findProviders(db: Database, filter: ProviderFilter): Promise<Provider[]> {
  const { id, tenantId, channel, kind, name } = filter;
  const conditions = Object.entries({ id, tenant_id: tenantId, channel, kind, name })
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${sql.ref(`p.${column}`)} = ${value}`);
  const { rows } = await sql<Provider>`
    select ${columnsOf(Provider, "p", { settings: sql`p.masked_settings` })} from providers p
    where ${sql.join(conditions, sql` and `)} order by p.channel, p.position, p.id`.execute(db);
  return rows;
}

/** Returns the provider that would send to a chat address, of the active ones. Throws `InvalidInput` about the field. */
export function providerReaching(
  active: readonly Provider[],
  chat: string,
  field: string,
): Provider {
  const kind = chatKindOf(chat) ?? "";
  const [provider] = providersForKind(active, kind);
  if (provider !== undefined) return provider;
  throw invalid(field, `cannot be reached: no active provider of the kind ${kind}`);
}

type Kinds = typeof import("@belfry/providers/kinds");
type Settings = Record<string, unknown>;

/** Returns a channel's kinds of provider with the schemas of their settings, which the forms follow. */
export async function providerKinds(channel: ProviderChannel) {
  return (await import("@belfry/providers/kinds")).PROVIDER_KINDS[channel];
}

/**
 * Returns the settings to store and their public part. With `keepSecrets`, takes secrets that are left out from
 * `stored`. Throws `InvalidInput` with every fault.
 */
export function checkedSettings(
  kinds: Kinds,
  { channel, kind, settings }: { channel: ProviderChannel; kind: string; settings: Settings },
  options: {
    stored: Settings | undefined;
    keepSecrets: boolean | undefined;
    allowPrivateAddresses: boolean;
  },
): { settings: Settings; maskedSettings: Settings } {
  const row = kinds.providerKind(channel, kind);
  if (row === undefined) {
    const names = kinds.PROVIDER_KINDS[channel].map((one) => one.kind).sort();
    throw invalid("kind", `must be one of ${names.join(", ")} for ${channel}`);
  }
  const { stored, keepSecrets } = options;
  const kept = withKeptSecrets(row.settings, settings, (keepSecrets && stored) || {});
  const whole = row.fillSettings?.(kept, stored) ?? kept;
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
