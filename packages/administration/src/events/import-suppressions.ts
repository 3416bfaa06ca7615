import { ADDRESSES } from "@belfry/contracts/addresses";
import {
  ADDRESS_CHANNELS,
  type AddressChannel,
  addressOfChannel,
  EXAMPLE_CHANNEL,
} from "@belfry/contracts/channels";
import { flag, oneOf } from "@belfry/contracts/fields";
import { IGNORED_COLUMNS } from "@belfry/contracts/imports";
import { Type } from "@sinclair/typebox";
import { defineAct, EDIT, optional } from "../act.ts";
import { audited } from "../audited.ts";
import { invalid } from "../input-error.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import {
  checkShare,
  csvFile,
  type ReadRecord,
  readRows,
  SHARES,
  writeInParts,
} from "../users/read-rows.ts";
import { insertSuppressions, suppressedForm } from "./suppression-rows.ts";

const Counts = Type.Object({
  lines: Type.Integer({ description: "Lines without the heading and empty ones" }),
  added: Type.Integer({ description: "Addresses that were not suppressed before" }),
  alreadyThere: Type.Integer({
    description: "These were suppressed before: they keep their reason and time",
  }),
  repeated: Type.Integer({ description: "Addresses that more than one line named" }),
  leftOut: Type.Integer({ description: "Bad lines" }),
  faults: Type.Array(Type.String(), {
    description: "Faults of bad lines, each with its number: at most 50, and how many more",
  }),
  ...IGNORED_COLUMNS,
});

export const importSuppressions = defineAct({
  name: "suppression import",
  http: "POST /suppressions/import",
  access: EDIT,
  effect: "steps",
  summary:
    "Suppress the addresses of a file: one per line, or a CSV column that is found by its heading; a bad line refuses the whole file",
  description:
    "The whole file is read before anything is written, a thousand addresses a transaction. After a failure in between, import it again.",
  input: Type.Object({
    channel: oneOf(ADDRESS_CHANNELS, { description: ADDRESS_CHANNELS.join(" or ") }),
    file: csvFile({ description: "one address a line, or a CSV" }),
    leaveOutBad: optional(flag(), "leave bad lines out, name them, and take the others"),
    ...SHARES,
  }),
  output: Counts,
  example: {
    input: { channel: EXAMPLE_CHANNEL, file: "ann@example.com\n" },
    output: {
      lines: 1,
      added: 1,
      alreadyThere: 0,
      repeated: 0,
      leftOut: 0,
      faults: [],
      ignoredColumns: [],
    },
  },
  flags: { part: null, parts: null },
  async run({ db, tenantId, actor }, { channel, file, leaveOutBad = false, ...share }) {
    await requireTenant(db, tenantId);
    checkShare(share);
    const { rows, lines, leftOut, faults, ignoredColumns } = await readRows(file, {
      leaveOutBad,
      columns: {
        address: [...ADDRESSES[addressOfChannel(channel)].headings, "address", "recipient"],
      },
      read: (fields) => addressOf(fields, channel),
    });
    if (lines === 0) throw invalid("file", "must hold an address");
    const source = actor.email ?? null;
    const done = await writeInParts(
      (change, note) => audited(db, actor, change, note),
      rows,
      async (transaction, addresses) => {
        const entry = { tenantId, channel, addresses, source, reason: "by hand" } as const;
        const added = await insertSuppressions(transaction, entry);
        return { added, alreadyThere: addresses.length - added };
      },
      // The audit log gets counts and no addresses.
      (counts, { name }) => ({
        tenantId,
        action: "suppression.import",
        target: `${channel} ${lines} ${lines === 1 ? "line" : "lines"}${name}`,
        after: { ...counts, leftOut },
      }),
      share,
    );
    const sum = (name: "added" | "alreadyThere") =>
      done.reduce((total, counts) => total + counts[name], 0);
    const [added, alreadyThere] = [sum("added"), sum("alreadyThere")];
    const repeated = lines - leftOut - rows.length;
    return {
      output: { lines, added, alreadyThere, repeated, leftOut, faults, ignoredColumns },
    };
  },
});

const MOST_SHOWN = 80;

function addressOf([text = ""]: readonly string[], channel: AddressChannel): ReadRecord<string> {
  const { form, read } = ADDRESSES[addressOfChannel(channel)];
  const address = read(text);
  if (address !== undefined) return { row: suppressedForm(address) };
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const fault = `must be ${form}: ${JSON.stringify(shown)}`;
  return { faults: [fault] };
}
