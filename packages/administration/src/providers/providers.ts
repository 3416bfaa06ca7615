import { isDeepStrictEqual } from "node:util";
import {
  isAddressChannel,
  listed,
  namesKind,
  PROVIDER_CHANNELS,
  type ProviderChannel,
} from "@belfry/contracts/channels";
import {
  anyObject,
  flag,
  id,
  integer,
  oneOf,
  orNull,
  secret,
  text,
} from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { encryptSecret, providerSettingsOwner } from "@belfry/database/secrets";
import { Type } from "@sinclair/typebox";
import { uuidv7 } from "uuidv7";
import { type ActContext, defineAct, defineRead, LOOK, note, optional, PROVISION } from "../act.ts";
import { deleteBounces } from "../events/suppression-rows.ts";
import { invalid, NotFound } from "../input-error.ts";
import { holdTenant, lockTenant, requireTenant } from "../tenants/tenant-rows.ts";
import {
  checkedSettings,
  deleteProviderRow,
  findProviders,
  insertProvider,
  orderProviders,
  Provider,
  storedSettings,
  updateProvider,
} from "./provider-rows.ts";

const MAX_PER_SECOND = 10_000;
/** A position after all accounts of a channel, because no tenant has so many. */
export const LAST_POSITION = 1_000;

export const PROVIDER: Provider = {
  id: "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79",
  tenantId: "acme",
  channel: PROVIDER_CHANNELS[0]!,
  kind: "sendgrid",
  name: "sendgrid",
  active: false,
  position: 0,
  settings: { apiKey: "•••• 3f9a", from: "orders@example.com" },
  maxPerSecond: null,
  testedAt: null,
  createdAt: "2026-11-20T09:00:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};
export const named = Type.Object({ id: id({ description: "the account's id, as in the list" }) });

export const putProvider = defineAct({
  name: "provider put",
  http: "PUT /providers/:channel/:name",
  access: PROVISION,
  configures: true,
  summary: "Check the settings and store them encrypted; a new provider becomes the first",
  input: Type.Object({
    channel: oneOf(PROVIDER_CHANNELS, { description: listed(PROVIDER_CHANNELS, "or") }),
    kind: text({ description: "as sandbox, sendgrid, vonage" }),
    settings: secret(anyObject({ description: "a JSON object, by the kind's own schema" })),
    name: optional(text(), "name of the account; default: its kind"),
    id: optional(id({}), "gives this account the name; default: the one that has it"),
    position: optional(
      integer({ minimum: 0, maximum: LAST_POSITION }),
      "from 0: the order in which they are used",
    ),
    maxPerSecond: optional(
      orNull(integer({ minimum: 1, maximum: MAX_PER_SECOND })),
      "calls, over all replicas; or none",
    ),
    active: optional(flag(), "send through it; default: as it was, and a new one is not active"),
    untested: optional(flag(), "activate it although no test of these settings was accepted"),
    keepSecrets: optional(
      flag(),
      "secrets that are left out stay as stored; refused where they would go to another server",
    ),
    only: optional(oneOf(["new"]), "new: refused where the name is taken"),
  }),
  output: Provider,
  example: {
    input: {
      channel: PROVIDER.channel,
      kind: "sendgrid",
      name: "sendgrid",
      settings: { apiKey: "SG.0123456789", from: "orders@example.com" },
    },
    output: PROVIDER,
  },
  flags: { id: null, keepSecrets: null, only: null },
  // Outside of the transaction: the vendors' libraries are large.
  prepare: () => import("@belfry/providers/kinds"),
  async run({ db, tenantId, services }, input, kinds) {
    const { channel, kind, name = kind, maxPerSecond, position } = input;
    const keys = await services.keys();
    const allowPrivateAddresses = await services.allowPrivateAddresses();
    await holdTenant(db, tenantId);
    const all = await findProviders(db, { tenantId, channel });
    const namesake = all.find((one) => one.name === name);
    const before = input.id === undefined ? namesake : all.find((one) => one.id === input.id);
    if (input.id !== undefined && before === undefined) throw providerNotFound({ id: input.id });
    if (namesake !== undefined && (namesake !== before || input.only === "new")) {
      const message = "is needed: there is an account of this kind without one";
      throw invalid("name", input.only === "new" && name === kind ? message : NAME_TAKEN);
    }
    if (before !== undefined && before.kind !== kind) {
      const field = input.id === undefined ? "name" : "id";
      throw invalid(field, `is taken by a provider of kind ${before.kind}`);
    }
    // Undefined also if no key decrypts the stored settings; they are then replaced.
    const stored = before && (await storedSettings(db, before, keys).catch(() => undefined));
    const { settings, maskedSettings } = checkedSettings(kinds, input, {
      stored,
      keepSecrets: input.keepSecrets,
      allowPrivateAddresses,
    });
    // Unchanged settings keep the result of their test. A provider that is active stays so with untested settings.
    const isTested = isDeepStrictEqual(stored, settings);
    const isProven = before?.active || (isTested && before?.testedAt !== null);
    const active = input.active ?? before?.active ?? false;
    if (active && !input.untested && !isProven) throw invalid("active", UNTESTED);
    // A new provider's id is made here, because the settings are encrypted for it before the row is stored.
    const id = before?.id ?? uuidv7();
    const owner = providerSettingsOwner(tenantId, id);
    const key = { id, tenantId };
    const row = {
      name,
      active,
      settings: await encryptSecret(keys, owner, JSON.stringify(settings)),
      masked_settings: JSON.stringify(maskedSettings),
      max_per_second: maxPerSecond,
    };
    if (before === undefined) {
      const added = { id, tenant_id: tenantId, channel, kind };
      const max_per_second = maxPerSecond ?? null;
      await insertProvider(db, { ...row, ...added, max_per_second });
    } else {
      const tested_at = isTested ? undefined : null;
      await updateProvider(db, key, { ...row, tested_at });
    }
    if (!isTested && isAddressChannel(channel) && namesKind(channel)) {
      // The new settings may have another webhook for a name whose webhook was removed.
      await deleteBounces(db, tenantId, channel, kind);
    }
    if (position !== undefined) {
      await placeProvider(db, { id, tenantId, channel }, position);
    }
    const after = await providerAt(db, key);
    const hasNewSecrets = !isTested && isDeepStrictEqual(before?.settings, after.settings);
    return { output: after, before, after, hasNewSecrets };
  },
  audit: (_, { before, after, hasNewSecrets }) => providerSaved(before, after, hasNewSecrets),
});

export const listProviders = defineRead({
  name: "provider list",
  http: "GET /providers",
  access: LOOK,
  summary: "A tenant's providers in the order of use, secrets masked",
  input: Type.Object({}),
  output: Type.Array(Provider),
  example: { input: {}, output: [PROVIDER] },
  run: ({ db, tenantId }) => readProviders(db, tenantId),
});

export const showProvider = defineRead({
  name: "provider show",
  http: "GET /providers/:id",
  access: LOOK,
  summary: "One provider, by its id or by the flags, secrets masked",
  input: named,
  output: Provider,
  example: { input: { id: PROVIDER.id }, output: PROVIDER },
  run: ({ db, tenantId }, { id }) => providerAt(db, { id, tenantId }),
});

export const renameProvider = defineAct({
  name: "provider rename",
  http: "POST /providers/:id/rename",
  access: PROVISION,
  configures: true,
  summary: "Rename a provider; its settings and history stay",
  input: Type.Object({
    ...named.properties,
    newName: text({ description: "that no other on the channel has" }),
  }),
  output: Provider,
  example: { input: { id: PROVIDER.id, newName: "main" }, output: { ...PROVIDER, name: "main" } },
  run: (context, { id, newName }) =>
    changeProvider(context, id, async (before) => {
      const { db } = context;
      const { tenantId, channel } = before;
      const having = await findProviders(db, { tenantId, channel, name: newName });
      if (having.some((other) => other.id !== id)) throw invalid("newName", NAME_TAKEN);
      await updateProvider(db, before, { name: newName });
    }),
  audit: (_, { before, after }) => providerSaved(before, after),
});

export const deleteProvider = defineAct({
  name: "provider delete",
  http: "DELETE /providers/:id",
  access: PROVISION,
  configures: true,
  summary: "Delete a provider with its settings; prints the deleted provider",
  description: "Messages that it sent keep their attempts.",
  input: named,
  output: Provider,
  example: { input: { id: PROVIDER.id }, output: PROVIDER },
  async run({ db, tenantId }, { id }) {
    const before = await providerAt(db, { id, tenantId });
    await deleteProviderRow(db, before);
    return { output: before };
  },
  audit: (_, { output }) => note("provider.delete", targetOf(output), { before: recorded(output) }),
});

/** Identifies a provider by id (within one tenant, if given), or by channel, kind and name if exactly one matches. */
export type ProviderAddress =
  | { id: string; tenantId?: string }
  | {
      tenantId: string;
      channel: ProviderChannel;
      kind?: string | undefined;
      name?: string | undefined;
    };

/** Returns providers by channel, in the order of use. Throws `NotFound` for an unknown tenant. */
export async function readProviders(db: Database, tenantId: string): Promise<Provider[]> {
  await requireTenant(db, tenantId);
  return await findProviders(db, { tenantId });
}

/** Finds one provider. Throws `NotFound`, and `InvalidInput` if several match. */
export async function providerAt(db: Database, address: ProviderAddress): Promise<Provider> {
  if ("id" in address && !UUID.test(address.id)) throw providerNotFound(address);
  const [row, second] = await findProviders(db, address);
  if (second !== undefined) {
    const message = "must say which: the tenant has several providers on this channel";
    const sameKind = "kind" in address && address.kind !== undefined;
    throw invalid(sameKind ? "name" : "kind", message);
  }
  if (row !== undefined) return row;
  if (!("id" in address)) await requireTenant(db, address.tenantId);
  throw providerNotFound(address);
}

/** Changes a provider. Locks the tenant, so that nobody stores other settings meanwhile. Throws `NotFound`. */
export async function changeProvider(
  { db, tenantId }: ActContext,
  id: string,
  change: (before: Provider) => Promise<void>,
) {
  await lockTenant(db, tenantId);
  const before = await providerAt(db, { id, tenantId });
  await change(before);
  const after = await providerAt(db, { id, tenantId });
  return { output: after, before, after };
}

/** Moves a provider to a position, from 0. A position beyond the end becomes the last. The tenant must be locked. */
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

export const UNTESTED = "must be tested first: no test of these settings was accepted";
const NAME_TAKEN = "is taken by another account of this channel";

/** Returns the provider's name in the audit log. */
export function targetOf({ channel, kind, name }: Provider): string {
  return name === kind ? `${channel} ${kind}` : `${channel} ${kind} ${name}`;
}

/** Returns the audit note of a saved provider. `hasNewSecrets`: secrets changed, but their masks look the same. */
function providerSaved(before: Provider | undefined, after: Provider, hasNewSecrets = false) {
  return {
    action: before === undefined ? "provider.create" : "provider.update",
    target: targetOf(after),
    before: before === undefined ? null : recorded(before),
    after: { ...recorded(after), ...(hasNewSecrets && { secrets: "new ones" }) },
  };
}

function recorded({ kind, name, settings, maxPerSecond, active, position }: Provider): object {
  return { kind, name, settings, maxPerSecond, active, position };
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
