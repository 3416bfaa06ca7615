import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import {
  deleteProviderRow,
  findProviders,
  insertProvider,
  newProviderId,
  type ProviderRow,
  setProviderActive as setActive,
  updateProviderSettings,
} from "@belfry/database/providers";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { lockTenant, tenantById } from "@belfry/database/tenants";
import { changeConfiguration } from "./change-configuration.ts";
import { InvalidInput, NotFound } from "./input-error.ts";
import { tenantNotFound } from "./tenants.ts";

/** A tenant's account at a vendor, as people see it. Times are ISO 8601, UTC. */
export interface Provider {
  id: string;
  tenantId: string;
  channel: ProviderChannel;
  kind: string;
  active: boolean;
  /** From 0: of the active ones of a channel the lowest sends. */
  position: number;
  /** Secrets are masked. */
  settings: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface ProviderInput {
  tenantId: string;
  channel: ProviderChannel;
  kind: string;
  /** By the kind's own schema. */
  settings: unknown;
  /** Default true. */
  active?: boolean | undefined;
}

/** By its id (within one tenant, if it is named), or by channel where one kind matches. */
export type ProviderAddress =
  | { id: string; tenantId?: string }
  | { tenantId: string; channel: ProviderChannel; kind?: string | undefined };

export interface PutProviderOptions {
  keys: SecretKeys;
  /** Lets a base URL or host be private; only where the senders do too. */
  allowPrivateAddresses?: boolean;
}

/**
 * Checks the settings by the kind's schema and stores them encrypted. A tenant has one provider of a
 * kind on a channel: putting it again replaces its settings; a new one goes before the others.
 * Throws `InvalidInput` with every fault, `NotFound`.
 */
export async function putProvider(
  db: Database,
  input: ProviderInput,
  options: PutProviderOptions,
): Promise<Provider> {
  const { tenantId, channel, kind, active = true } = input;
  const { settings, maskedSettings } = await checkedSettings(input, options);
  const id = await changeConfiguration(db, async (transaction) => {
    if (!(await lockTenant(transaction, tenantId))) throw tenantNotFound(tenantId, "tenantId");
    const [existing] = await findProviders(transaction, { tenantId, channel, name: kind });
    const id = existing?.id ?? newProviderId();
    const owner = providerSettingsOwner(tenantId, id);
    const stored = {
      settings: await encryptSecret(options.keys, owner, JSON.stringify(settings)),
      maskedSettings,
      active,
    };
    if (existing === undefined) {
      await insertProvider(transaction, { id, tenantId, channel, kind, name: kind, ...stored });
    } else {
      await updateProviderSettings(transaction, id, stored);
    }
    return id;
  });
  return await showProvider(db, { id });
}

/** By channel, in the order of use. Throws `NotFound` for an unknown tenant. */
export async function listProviders(db: Database, tenantId: string): Promise<Provider[]> {
  await requireTenant(db, tenantId);
  return (await findProviders(db, { tenantId })).map(providerView);
}

/** Throws `NotFound`, and `InvalidInput` when more than one matches. */
export async function showProvider(db: Database, address: ProviderAddress): Promise<Provider> {
  if ("id" in address && !UUID.test(address.id)) throw providerNotFound(address);
  const [row, second] = await findProviders(db, address);
  if (second !== undefined) {
    const message = "must say which: the tenant has several providers on this channel";
    throw new InvalidInput([{ field: "kind", message }]);
  }
  if (row !== undefined) return providerView(row);
  if (!("id" in address)) await requireTenant(db, address.tenantId);
  throw providerNotFound(address);
}

/** Throws as `showProvider`. */
export async function setProviderActive(
  db: Database,
  address: ProviderAddress,
  active: boolean,
): Promise<Provider> {
  return await changeConfiguration(db, async (transaction) => {
    const { id } = await showProvider(transaction, address);
    await setActive(transaction, id, active);
    return await showProvider(transaction, { id });
  });
}

/** Its settings are gone; what it sent keeps its attempts. Throws as `showProvider`. */
export async function deleteProvider(db: Database, address: ProviderAddress): Promise<Provider> {
  return await changeConfiguration(db, async (transaction) => {
    const provider = await showProvider(transaction, address);
    await deleteProviderRow(transaction, provider.id);
    return provider;
  });
}

async function checkedSettings(input: ProviderInput, options: PutProviderOptions) {
  if (!PROVIDER_CHANNELS.includes(input.channel)) {
    throw new InvalidInput([{ field: "channel", message: "must be EMAIL or SMS" }]);
  }
  // Loaded when settings are put: the vendors' libraries are large, and a start must be quick.
  const kinds = await import("@belfry/providers/kinds");
  const kind = kinds.providerKind(input.channel, input.kind);
  if (kind === undefined) {
    const known = kinds.PROVIDER_KINDS.filter((row) => row.channel === input.channel);
    const names = known.map((row) => row.kind).sort();
    throw new InvalidInput([
      { field: "kind", message: `must be one of ${names.join(", ")} for ${input.channel}` },
    ]);
  }
  const faults = kinds.checkSettings(kind, input.settings, {
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
  });
  if (faults.length > 0) {
    throw new InvalidInput(faults.map((message) => ({ field: "settings", message })));
  }
  const settings = input.settings as Record<string, unknown>;
  return { settings, maskedSettings: kinds.maskSettings(kind, settings) };
}

async function requireTenant(db: Database, tenantId: string): Promise<void> {
  if ((await tenantById(db, tenantId)) === undefined) throw tenantNotFound(tenantId, "tenantId");
}

function providerNotFound(address: ProviderAddress): NotFound {
  if ("id" in address) {
    return new NotFound("id", `no provider has the id ${JSON.stringify(address.id)}`);
  }
  const { channel, kind } = address;
  const of = kind === undefined ? "" : ` of kind ${JSON.stringify(kind)}`;
  return new NotFound(kind === undefined ? "channel" : "kind", `no ${channel} provider${of}`);
}

function providerView(row: ProviderRow): Provider {
  return {
    id: row.id,
    tenantId: row.tenantId,
    channel: row.channel,
    kind: row.kind,
    active: row.active,
    position: row.position,
    settings: row.maskedSettings,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
