import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { decryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { InvalidInput, invalid, refuseFaults, requireProviderChannel } from "../input-error.ts";
import { findProviders, type ProviderKey, storedProviderSettings } from "./provider-rows.ts";

/** Settings that are put, and whose. */
export interface SettingsInput {
  tenantId: string;
  channel: ProviderChannel;
  kind: string;
  name: string;
  settings: unknown;
  keepSecrets?: boolean | undefined;
}

/** The kinds of provider of a channel with the schema of their settings: what the forms are drawn from. */
export async function providerKinds(channel: ProviderChannel) {
  return (await import("@belfry/providers/kinds")).PROVIDER_KINDS[channel];
}

/** What is to be stored, and what is shown of it. Throws `InvalidInput` with every fault. */
export async function checkedSettings(
  db: Database,
  input: SettingsInput,
  options: { keys: SecretKeys; allowPrivateAddresses?: boolean },
): Promise<{ settings: Record<string, unknown>; maskedSettings: Record<string, unknown> }> {
  requireProviderChannel(input.channel);
  const given = await withKeptSecrets(db, input, options.keys);
  // Loaded when settings are put: the vendors' libraries are large, and a start must be quick.
  const kinds = await import("@belfry/providers/kinds");
  const kind = kinds.providerKind(input.channel, input.kind);
  if (kind === undefined) {
    const names = kinds.PROVIDER_KINDS[input.channel].map((row) => row.kind).sort();
    throw invalid("kind", `must be one of ${names.join(", ")} for ${input.channel}`);
  }
  const faults = kinds.checkSettings(kind, given, {
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
  });
  if (faults.length > 0) {
    throw new InvalidInput(faults.map((message) => ({ field: "settings", message })));
  }
  const settings = given as Record<string, unknown>;
  return { settings, maskedSettings: kinds.maskSettings(kind, settings) };
}

/** Decrypted; undefined: there is no such provider. */
export async function storedSettings(
  db: Database,
  provider: ProviderKey,
  keys: SecretKeys,
): Promise<Record<string, unknown> | undefined> {
  const stored = await storedProviderSettings(db, provider);
  if (stored === undefined) return undefined;
  const owner = providerSettingsOwner(provider.tenantId, provider.id);
  return JSON.parse(await decryptSecret(keys, owner, stored));
}

/** As `storedSettings`; undefined also where no key opens them any more. */
export async function readableSettings(
  db: Database,
  provider: ProviderKey,
  keys: SecretKeys,
): Promise<Record<string, unknown> | undefined> {
  const stored = await storedProviderSettings(db, provider);
  if (stored === undefined) return undefined;
  const owner = providerSettingsOwner(provider.tenantId, provider.id);
  const opened = await decryptSecret(keys, owner, stored).catch(() => undefined);
  return opened === undefined ? undefined : JSON.parse(opened);
}

async function withKeptSecrets(db: Database, input: SettingsInput, keys: SecretKeys) {
  const { tenantId, channel, kind, name, settings } = input;
  if (input.keepSecrets !== true || typeof settings !== "object" || settings === null)
    return settings;
  const [existing] = await findProviders(db, { tenantId, channel, name });
  const row = (await providerKinds(channel)).find((one) => one.kind === kind);
  if (existing === undefined || row === undefined) return settings;
  const stored = (await storedSettings(db, existing, keys)) ?? {};
  const given = settings as Record<string, unknown>;
  const properties = Object.entries(row.settings.properties);
  const kept = properties
    .filter(([field, { secret }]) => secret === true && Object.hasOwn(stored, field))
    .filter(([field]) => !Object.hasOwn(given, field))
    .filter(([, { belongsTo }]) => belongsTo === undefined || Object.hasOwn(given, belongsTo))
    .filter(([, { replacedBy }]) => replacedBy === undefined || !Object.hasOwn(given, replacedBy));
  const moved = properties.find(
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
