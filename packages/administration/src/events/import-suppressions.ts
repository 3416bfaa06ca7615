import { ADDRESSES } from "@belfry/contracts/addresses";
import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import type { Audited } from "../audited.ts";
import { invalid, requireProviderChannel } from "../input-error.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import { type FileOfLines, type ReadRecord, readRows, writeInParts } from "../users/read-rows.ts";
import { insertSuppressions, suppressedForm } from "./suppression-rows.ts";

export interface SuppressionFile {
  tenantId: string;
  channel: ProviderChannel;
  /** Who brings it. */
  source?: string | undefined;
  /** Takes the good lines and leaves the bad ones out; default: one bad line refuses all. */
  leaveOutBad?: boolean | undefined;
}

export interface ImportedSuppressions {
  /** Without the heading and empty ones. */
  lines: number;
  /** Addresses that were not there. */
  added: number;
  /** Addresses that keep the reason and the time that they had. */
  alreadyThere: number;
  /** Addresses that more than one line named. */
  repeated: number;
  /** Bad lines. */
  leftOut: number;
  /** What is wrong with them, each with its number: at most 50, and how many more there are. */
  faults: string[];
}

/**
 * Suppresses the addresses of a file: one a line, or a column of a CSV: the one that a first line calls by a name of
 * the channel's address (`headings` in addresses.ts), `address` or `recipient`, else the first one. The whole file is read before anything is written: throws
 * `InvalidInput` with a fault a bad line (unless they are to be left out), at most 50 and how many more there are;
 * `NotFound` for an unknown tenant. Then it writes a thousand addresses a transaction, each in force for every
 * delivery that is claimed from then on. After a failure in between, import the file again.
 */
export async function importSuppressions(
  db: Database,
  audited: Audited,
  input: SuppressionFile,
  file: FileOfLines,
): Promise<ImportedSuppressions> {
  const { tenantId, channel, source = null, leaveOutBad = false } = input;
  requireProviderChannel(channel);
  await requireTenant(db, tenantId);
  const { rows, lines, leftOut, faults } = await readRows(file, {
    leaveOutBad,
    columns: [[...ADDRESSES[sentRow(channel).address].headings, "address", "recipient"]],
    read: (fields) => addressOf(fields, channel),
  });
  if (lines === 0) throw invalid("file", "must hold an address");
  const reason = "by hand";
  const done = await writeInParts(
    audited,
    rows,
    async (transaction, addresses) => {
      const one = { tenantId, channel, addresses, reason, source } as const;
      const added = await insertSuppressions(transaction, one);
      return { added, alreadyThere: addresses.length - added };
    },
    // By counts, and of no address.
    (counts, { name }) => ({
      tenantId,
      action: "suppression.import",
      target: `${channel} ${lines} ${lines === 1 ? "line" : "lines"}${name}`,
      after: { ...counts, leftOut },
    }),
  );
  const added = done.reduce((sum, counts) => sum + counts.added, 0);
  const alreadyThere = rows.length - added;
  return { lines, added, alreadyThere, repeated: lines - leftOut - rows.length, leftOut, faults };
}

const MOST_SHOWN = 80;

function addressOf([text = ""]: readonly string[], channel: ProviderChannel): ReadRecord<string> {
  const { form, read } = ADDRESSES[sentRow(channel).address];
  const address = read(text);
  if (address !== undefined) return { row: suppressedForm(address) };
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const fault = `must be ${form}: ${JSON.stringify(shown)}`;
  return { faults: [fault] };
}
