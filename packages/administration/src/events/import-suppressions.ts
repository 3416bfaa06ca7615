import { ADDRESSES } from "@belfry/contracts/addresses";
import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { type Database, inTransaction } from "@belfry/database/connection";
import { sql } from "kysely";
import type { AuditNote } from "../audited.ts";
import { invalid, requireProviderChannel } from "../input-error.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import { csvFields } from "../users/csv-line.ts";
import { type FileOfLines, type ReadLine, readRows } from "../users/read-rows.ts";
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

const HEADINGS = ["address", "email", "phone"];

/**
 * Suppresses the addresses of a file: one a line, or the first column of a CSV, whose others are not read. A first
 * line that says `address`, `email` or `phone` is left out. All in one transaction, in force for every delivery that
 * is claimed from then on. Throws `InvalidInput` with a fault a bad line (unless they are to be left out), at most 50
 * and how many more there are, and then nothing is done; `NotFound` for an unknown tenant. Within a caller's
 * transaction it joins that one.
 */
export async function importSuppressions(
  db: Database,
  input: SuppressionFile,
  file: FileOfLines,
): Promise<ImportedSuppressions> {
  const { tenantId, channel, source = null, leaveOutBad = false } = input;
  requireProviderChannel(channel);
  return await inTransaction(db, async (transaction) => {
    await requireTenant(transaction, tenantId);
    await sql`create temp table brought (address text collate "C") on commit drop`.execute(
      transaction,
    );
    const { lines, leftOut, faults } = await readRows(file, {
      leaveOutBad,
      read: (line) => addressOf(line, channel),
      store: async (addresses) => {
        await sql`insert into brought select unnest(${addresses}::text[])`.execute(transaction);
      },
      notUtf8: (line) => `must be UTF-8: line ${line}, or one after it, is not`,
    });
    if (lines === 0) throw invalid("file", "must hold an address");
    const { rows } = await sql<{ address: string }>`
      select distinct address from brought`.execute(transaction);
    const addresses = rows.map(({ address }) => address);
    const reason = "by hand";
    const added = await insertSuppressions(transaction, {
      ...{ tenantId, channel, addresses, reason, source },
    });
    const good = lines - leftOut;
    const alreadyThere = addresses.length - added;
    return { lines, added, alreadyThere, repeated: good - addresses.length, leftOut, faults };
  });
}

/** How the audit log tells of a file: by counts, and of no address. */
export function suppressionsImported(
  { tenantId, channel }: Pick<SuppressionFile, "tenantId" | "channel">,
  { lines, added, alreadyThere, leftOut }: ImportedSuppressions,
): AuditNote {
  const target = `${channel} ${lines} ${lines === 1 ? "line" : "lines"}`;
  return {
    tenantId,
    action: "suppression.import",
    target,
    after: { added, alreadyThere, leftOut },
  };
}

const MOST_SHOWN = 80;

function addressOf(line: string, channel: ProviderChannel): ReadLine<string> {
  const parsed = csvFields(line);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  const [text = ""] = parsed.fields;
  const { form, read } = ADDRESSES[sentRow(channel).address];
  const address = read(text);
  if (address !== undefined) return { row: suppressedForm(address) };
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const fault = `must be ${form}: ${JSON.stringify(shown)}`;
  return { faults: [fault], isHeading: HEADINGS.includes(text.toLowerCase()) };
}
