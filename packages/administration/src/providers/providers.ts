import { isDeepStrictEqual } from "node:util";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { textFault, UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { uuidv7 } from "uuidv7";
import { changeConfiguration } from "../change-configuration.ts";
import { faultAt, integerFault, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { type IsoTimes, isoTimes } from "../iso-times.ts";
import { holdTenant, requireTenant } from "../tenants/require-tenant.ts";
import { lockTenant } from "../tenants/tenant-rows.ts";
import {
  deleteProviderRow,
  findProviders,
  insertProvider,
  orderProviders,
  type ProviderRow,
  setProviderActive as setActive,
  updateProviderSettings,
} from "./provider-rows.ts";
import { checkedSettings, readableSettings, storedSettings } from "./provider-settings.ts";

/** A tenant's account at a vendor, as people see it. Times are ISO 8601, UTC. */
export type Provider = IsoTimes<ProviderRow>;

export interface ProviderInput {
  tenantId: string;
  channel: ProviderChannel;
  kind: string;
  /** By the kind's own schema. */
  settings: unknown;
  /** Tells several accounts of one kind apart; default: the kind. */
  name?: string | undefined;
  /** Its place on the channel, from 0; absent: first when it is new, else where it was. */
  position?: number | "last" | undefined;
  /** Default true. */
  active?: boolean | undefined;
  /** null: no limit; absent: as it was. */
  maxPerSecond?: number | null | undefined;
  /**
   * Secrets that `settings` leaves out are kept as they are stored; refused where they would go to
   * another server than the one that they were given for.
   */
  keepSecrets?: boolean | undefined;
}

/** By its id (within one tenant, if it is named), or by channel where one matches. */
export type ProviderAddress =
  | { id: string; tenantId?: string }
  | {
      tenantId: string;
      channel: ProviderChannel;
      kind?: string | undefined;
      name?: string | undefined;
    };

export interface PutProviderOptions {
  keys: SecretKeys;
  /** Lets a base URL or host be private; only where the senders do too. */
  allowPrivateAddresses?: boolean;
}

/**
 * Checks the settings by the kind's schema and stores them encrypted. A tenant has one provider of a
 * name on a channel: putting it again replaces its settings; a new one goes before the others, unless
 * its position is said.
 * Throws `InvalidInput` with every fault, `NotFound`.
 */
export async function putProvider(db: Database, input: ProviderInput, options: PutProviderOptions) {
  const { tenantId, channel, kind, name = kind, position, active = true } = input;
  refuseFaults([
    nameFault(name),
    positionFault(position),
    integerFault("maxPerSecond", input.maxPerSecond, 1, MAX_PER_SECOND),
  ]);
  const { settings, maskedSettings } = await checkedSettings(db, { ...input, name }, options);
  const { maxPerSecond } = input;
  const id = await changeConfiguration(db, async (transaction) => {
    await holdTenant(transaction, tenantId);
    const [existing] = await findProviders(transaction, { tenantId, channel, name });
    if (existing !== undefined && existing.kind !== kind) {
      throw invalid("name", `is taken by a provider of kind ${existing.kind}`);
    }
    // Fresh where it is new: the settings are encrypted for it before the row is stored.
    const id = existing?.id ?? uuidv7();
    const owner = providerSettingsOwner(tenantId, id);
    const isTested =
      existing !== undefined &&
      isDeepStrictEqual(await readableSettings(transaction, existing, options.keys), settings);
    const stored = {
      settings: await encryptSecret(options.keys, owner, JSON.stringify(settings)),
      maskedSettings,
      active,
    };
    if (existing === undefined) {
      const added = { id, tenantId, channel, kind, name, maxPerSecond: maxPerSecond ?? null };
      await insertProvider(transaction, { ...added, ...stored });
    } else {
      await updateProviderSettings(
        transaction,
        { id, tenantId },
        { ...stored, maxPerSecond, isTested },
      );
    }
    if (position !== undefined) {
      const place = position === "last" ? Number.POSITIVE_INFINITY : position;
      await placeProvider(transaction, { id, tenantId, channel }, place);
    }
    return id;
  });
  return await showProvider(db, { id });
}

/** By channel, in the order of use. Throws `NotFound` for an unknown tenant. */
export async function listProviders(db: Database, tenantId: string): Promise<Provider[]> {
  await requireTenant(db, tenantId);
  return (await findProviders(db, { tenantId })).map(isoTimes);
}

/** Throws `NotFound`, and `InvalidInput` when more than one matches. */
export async function showProvider(db: Database, address: ProviderAddress): Promise<Provider> {
  if ("id" in address && !UUID.test(address.id)) throw providerNotFound(address);
  const [row, second] = await findProviders(db, address);
  if (second !== undefined) {
    const message = "must say which: the tenant has several providers on this channel";
    const sameKind = "kind" in address && address.kind !== undefined;
    throw invalid(sameKind ? "name" : "kind", message);
  }
  if (row !== undefined) return isoTimes(row);
  if (!("id" in address)) await requireTenant(db, address.tenantId);
  throw providerNotFound(address);
}

/** Throws as `showProvider`. */
export async function setProviderActive(db: Database, address: ProviderAddress, active: boolean) {
  return await changeConfiguration(db, async (transaction) => {
    const provider = await showProvider(transaction, address);
    await setActive(transaction, provider, active);
    return await showProvider(transaction, { id: provider.id });
  });
}

/** Its settings are gone; what it sent keeps its attempts. Throws as `showProvider`. */
export async function deleteProvider(db: Database, address: ProviderAddress): Promise<Provider> {
  return await changeConfiguration(db, async (transaction) => {
    const provider = await showProvider(transaction, address);
    await deleteProviderRow(transaction, provider);
    return provider;
  });
}

/** One place nearer to the first of its channel: of the active ones the first sends. Throws as `showProvider`. */
export async function moveProviderUp(db: Database, address: ProviderAddress): Promise<Provider[]> {
  return await changeConfiguration(db, async (transaction) => {
    const { id, tenantId, channel } = await showProvider(transaction, address);
    await lockTenant(transaction, tenantId);
    const ids = (await findProviders(transaction, { tenantId, channel })).map((row) => row.id);
    const place = ids.indexOf(id);
    if (place > 0) ids.splice(place - 1, 2, id, ids[place - 1]!);
    await orderProviders(transaction, tenantId, ids);
    return (await findProviders(transaction, { tenantId, channel })).map(isoTimes);
  });
}

/** Decrypted, to try the provider out; they go nowhere else. */
export async function revealSettings(
  db: Database,
  provider: Pick<Provider, "id" | "tenantId">,
  keys: SecretKeys,
): Promise<Record<string, unknown>> {
  const settings = await storedSettings(db, provider, keys);
  if (settings === undefined) throw providerNotFound({ id: provider.id });
  return settings;
}

/** From 0; beyond the last one is the last. Its tenant is locked. */
export async function placeProvider(
  db: Database,
  { id, tenantId, channel }: Pick<Provider, "id" | "tenantId" | "channel">,
  position: number,
): Promise<void> {
  const all = (await findProviders(db, { tenantId, channel })).map((row) => row.id);
  const ids = all.filter((other) => other !== id);
  ids.splice(position, 0, id);
  await orderProviders(db, tenantId, ids);
}

const MAX_PER_SECOND = 10_000;

function nameFault(name: string) {
  return faultAt("name", textFault(name));
}

function positionFault(position: ProviderInput["position"]) {
  if (position === undefined || position === "last") return undefined;
  if (Number.isInteger(position) && position >= 0) return undefined;
  return { field: "position", message: "must be a whole number from 0" };
}

function providerNotFound(address: ProviderAddress): NotFound {
  if ("id" in address) {
    return new NotFound("id", `no provider has the id ${JSON.stringify(address.id)}`);
  }
  const { channel, kind, name } = address;
  if (name !== undefined) {
    return new NotFound("name", `no ${channel} provider is named ${JSON.stringify(name)}`);
  }
  const of = kind === undefined ? "" : ` of kind ${JSON.stringify(kind)}`;
  return new NotFound(kind === undefined ? "channel" : "kind", `no ${channel} provider${of}`);
}
