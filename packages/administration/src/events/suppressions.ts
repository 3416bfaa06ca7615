import { ADDRESSES } from "@belfry/contracts/addresses";
import {
  ADDRESS_CHANNELS,
  type AddressChannel,
  addressOfChannel,
  EXAMPLE_CHANNEL,
} from "@belfry/contracts/channels";
import { field, oneOf, orNull, text, time } from "@belfry/contracts/fields";
import { textFault } from "@belfry/contracts/identifiers";
import { SUPPRESSION_REASONS } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { defineAct, defineRead, EDIT, LOOK, note, optional } from "../act.ts";
import { InvalidInput, invalid } from "../input-error.ts";
import { isoTimes, pageFields, pageFrom, pageOf } from "../pages.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import {
  deleteSuppressions,
  insertSuppressions,
  type SuppressionPlace,
  suppressedForm,
  suppressionsOfTenant,
} from "./suppression-rows.ts";

const MAX_ADDRESSES = 10_000;
const MAX_REPORTED_FAULTS = 5;

/** An address to which a tenant sends nothing: after a hard bounce, a complaint or an opt-out, or added by a person. */
const Suppression = Type.Object(
  {
    channel: oneOf(ADDRESS_CHANNELS),
    address: Type.String(),
    reason: oneOf(SUPPRESSION_REASONS),
    source: orNull(
      Type.String({
        description: "The provider that sent the receipt, or the person who added it",
      }),
    ),
    createdAt: time("When it was added"),
  },
  { title: "Suppression" },
);
const channel = oneOf(ADDRESS_CHANNELS, { description: ADDRESS_CHANNELS.join(" or ") });
/** `readAddresses` checks the address, whose form depends on the channel. */
const address = field<string>({ type: "string" }, (value) =>
  typeof value === "string" ? undefined : "must be a string",
);
const addressesInput = Type.Object({
  channel,
  addresses: Type.Array(address, {
    description: `Email addresses, in any case; or phone numbers, as +12025550123. At most ${MAX_ADDRESSES}`,
  }),
});
const CHANNEL = EXAMPLE_CHANNEL;
const EXAMPLE_INPUT = { channel: CHANNEL, addresses: ["ann@example.com"] };

export const listSuppressions = defineRead({
  name: "suppression list",
  http: "GET /suppressions",
  access: LOOK,
  tool: true,
  pages: true,
  summary: "A tenant's suppressed addresses, each with the reason",
  input: Type.Object({
    channel: optional(channel),
    search: optional(text(), "those that begin so; email addresses in any case"),
    ...pageFields(1_000, 100, (place) => placeOf(place) !== undefined),
  }),
  output: pageOf(Suppression),
  example: {
    input: {},
    output: {
      items: [
        {
          channel: CHANNEL,
          address: "ann@example.com",
          reason: "bounced",
          source: null,
          createdAt: "2026-11-20T09:30:00.000Z",
        },
      ],
    },
  },
  async run({ db, tenantId }, { limit = 100, after = "", channel: of, search }) {
    await requireTenant(db, tenantId);
    const rows = await suppressionsOfTenant(db, tenantId, {
      limit: limit + 1,
      channels: of === undefined ? ADDRESS_CHANNELS : [of],
      beginning: search?.trim() || undefined,
      after: placeOf(after),
    });
    return pageFrom(rows.map(isoTimes), limit, cursorOf);
  },
});

export const addSuppressions = defineAct({
  name: "suppression add",
  http: "POST /suppressions",
  access: EDIT,
  summary: "Suppress addresses: nothing more is sent to them",
  input: addressesInput,
  output: Type.Object({ added: Type.Integer(), alreadyThere: Type.Integer() }),
  example: { input: EXAMPLE_INPUT, output: { added: 1, alreadyThere: 0 } },
  async run({ db, tenantId, actor }, input) {
    const addresses = readAddresses(input);
    await requireTenant(db, tenantId);
    const entry = { tenantId, channel: input.channel, addresses, source: actor.email ?? null };
    const added = await insertSuppressions(db, { ...entry, reason: "by hand" });
    return { output: { added, alreadyThere: addresses.length - added }, addresses };
  },
  audit: ({ channel: of }, { output: after, addresses }) =>
    after.added === 0
      ? undefined
      : note("suppression.add", auditTarget({ channel: of, addresses }), { after }),
});

export const removeSuppressions = defineAct({
  name: "suppression remove",
  http: "POST /suppressions/remove",
  access: EDIT,
  summary: "Lift the suppression of addresses: messages are sent to them again",
  description: "The provider may still suppress them in its own list.",
  input: addressesInput,
  output: Type.Object({ removed: Type.Integer(), notThere: Type.Integer() }),
  example: { input: EXAMPLE_INPUT, output: { removed: 1, notThere: 0 } },
  async run({ db, tenantId }, input) {
    const addresses = readAddresses(input);
    await requireTenant(db, tenantId);
    const removed = await deleteSuppressions(db, tenantId, input.channel, addresses);
    return { output: { removed, notThere: addresses.length - removed }, addresses };
  },
  audit: ({ channel: of }, { output: after, addresses }) =>
    after.removed === 0
      ? undefined
      : note("suppression.remove", auditTarget({ channel: of, addresses }), { after }),
});

interface ChannelAddresses {
  channel: AddressChannel;
  addresses: readonly string[];
}

/**
 * Returns the target for the audit log: a single address, in the form that an erasure searches for, or their number.
 */
function auditTarget({ channel: of, addresses }: ChannelAddresses): string {
  return `${of} ${addresses.length === 1 ? addresses[0] : `${addresses.length} addresses`}`;
}

/** Returns the addresses in their stored form, without duplicates; international domains become ASCII. */
function readAddresses({ channel: of, addresses }: ChannelAddresses): string[] {
  const { form, read } = ADDRESSES[addressOfChannel(of)];
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) {
    throw invalid("addresses", `must contain 1 to ${MAX_ADDRESSES} addresses`);
  }
  const faults = addresses.filter((one) => read(one) === undefined).slice(0, MAX_REPORTED_FAULTS);
  if (faults.length > 0) {
    const message = (one: string) => `must be ${form}: ${JSON.stringify(one)}`;
    throw new InvalidInput(faults.map((one) => ({ field: "addresses", message: message(one) })));
  }
  return [...new Set(addresses.map((one) => suppressedForm(read(one) ?? one)))];
}

/** Returns the cursor of the next page: the last row of this page as text. */
function cursorOf(last: SuppressionPlace): string {
  return [last.channel, last.reason, last.address].join("/");
}

function placeOf(next: string): SuppressionPlace | undefined {
  const [of, why, ...rest] = next.split("/");
  const address = rest.join("/");
  const channel = ADDRESS_CHANNELS.find((one) => one === of);
  const reason = SUPPRESSION_REASONS.find((one) => one === why);
  if (channel === undefined || reason === undefined) return undefined;
  return textFault(address) ? undefined : { channel, address, reason };
}
