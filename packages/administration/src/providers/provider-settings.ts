import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { decryptSecret, type SecretKeys } from "@belfry/database/secrets";
import type { TObject } from "@sinclair/typebox";
import { InvalidInput, invalid, refuseFaults } from "../input-error.ts";
import { type ProviderKey, storedProviderSettings } from "./provider-rows.ts";

type Kinds = typeof import("@belfry/providers/kinds");
type Settings = Record<string, unknown>;

/** The kinds of provider of a channel with the schema of their settings: what the forms are drawn from. */
export async function providerKinds(channel: ProviderChannel) {
  return (await import("@belfry/providers/kinds")).PROVIDER_KINDS[channel];
}

/**
 * What is to be stored, and what is shown of it. Secrets that are left out are taken from `stored`.
 * Throws `InvalidInput` with every fault.
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

/** Decrypted; undefined: there is no such provider. Throws where no key opens them any more. */
export async function storedSettings(
  db: Database,
  provider: ProviderKey,
  keys: SecretKeys,
): Promise<Settings | undefined> {
  const stored = await storedProviderSettings(db, provider);
  if (stored === undefined) return undefined;
  const owner = providerSettingsOwner(provider.tenantId, provider.id);
  return JSON.parse(await decryptSecret(keys, owner, stored));
}

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
