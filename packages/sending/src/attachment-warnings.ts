import type { MailAttachment } from "@belfry/contracts/attachments";
import { readAttachment } from "@belfry/database/functions/attachments";
import type pg from "pg";

// Warnings about a mail's files. The mail is sent in spite of them; each becomes a sentence in the event's timeline.

/** Matches where HTML or CSS shows a file of the mail. RFC 2392 allows more characters than our `cid`s have. */
const SHOWN =
  /(?:\b(?:src|background|href)\s{0,3}=\s{0,3}["']?|\burl\(\s{0,3}["']?)cid:([\w.-]{1,64})/gi;

/** Compares the `cid`s in a mail's HTML with those of its files. For a sensitive mail, they are counted, not named. */
export function inlineWarnings(
  html: string,
  files: readonly MailAttachment[],
  isSensitive: boolean,
): string[] {
  const shown = new Set(Array.from(html.matchAll(SHOWN), ([, cid = ""]) => cid));
  const given = new Set(files.flatMap(({ cid }) => cid ?? []));
  const told = (words: string, some: Set<string>, others: Set<string>) => {
    const cids = [...some].filter((cid) => !others.has(cid));
    if (cids.length === 0) return [];
    return [`${words}: ${isSensitive ? cids.length : cids.slice(0, MAX_NAMED).join(", ")}`];
  };
  return [
    ...told("images without an attachment of their cid", shown, given),
    ...told("attachments with a cid that the mail does not show", given, shown),
  ];
}

const MAX_NAMED = 20;

/**
 * Reads the beginning of each calendar file. Its `METHOD` and the `method` of its type must be equal (RFC 6047, 2.4).
 * Otherwise mail programs show an invitation without its buttons.
 */
export async function calendarWarnings(
  pool: pg.Pool,
  tenantId: string,
  files: readonly MailAttachment[],
): Promise<string[]> {
  const warnings: string[] = [];
  for (const [at, file] of files.entries()) {
    if (!file.type.startsWith("text/calendar")) continue;
    const { value: beginning } = await readAttachment(pool, tenantId, file).next();
    const said =
      /^METHOD:(\w{1,32})\r?$/im.exec(beginning?.toString("latin1") ?? "")?.[1] ?? "none";
    const typed = /; method=\W?(\w{1,32})/i.exec(file.type)?.[1] ?? "none";
    if (said.toUpperCase() === typed.toUpperCase()) continue;
    warnings.push(
      `attachment ${at + 1}: the METHOD of the calendar is ${said}, the method of its type is ${typed}`,
    );
  }
  return warnings;
}
