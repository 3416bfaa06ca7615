import { CHANNEL_ROWS, type Channel } from "@belfry/contracts/channels";
import type { DigestSettings } from "@belfry/contracts/delivery";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { tenantById } from "../tenants/tenant-rows.ts";
import type { TemplateWarning } from "./templates.ts";

/**
 * A way in which a digest drops events silently. `one-event`: events that differ only in their variables are
 * duplicates. `newest-alone`: the text shows only the newest event.
 */
export type DigestGap = "one-event" | "newest-alone";

const WARNINGS: Readonly<Record<DigestGap, Pick<TemplateWarning, "field" | "message">>> = {
  "one-event": {
    field: "digest",
    message:
      "events that differ in their variables alone are one event for 24 hours: let the tenant's automatic deduplication key include the variables, or send X-Idempotency-Key",
  },
  "newest-alone": {
    field: "content",
    message:
      "shows only the newest event of the digest: it never reads $items, as {% for item in $items %} does",
  },
};

interface WithDigest {
  tenantId: string;
  channel: Channel;
  digest: DigestSettings | null;
  /** All texts of the variant. */
  texts: readonly string[];
}

export async function digestGaps(db: Database, template: WithDigest): Promise<DigestGap[]> {
  if (template.digest === null) return [];
  const gaps: DigestGap[] = [];
  if (await mergesEqualEvents(db, template.tenantId)) gaps.push("one-event");
  const { templateNames } = await import("@belfry/templates/language/template-variables");
  const names = templateNames(template.texts);
  const isRead = (system: string) =>
    names.some((name) => name === system || name.startsWith(`${system}.`));
  // A short text may show only the number of events.
  const isShort = CHANNEL_ROWS[template.channel].content === "text";
  if (!isRead("$items") && !(isShort && isRead("$count"))) gaps.push("newest-alone");
  return gaps;
}

/** Whether a tenant's events that differ only in their variables are deduplicated. */
export async function mergesEqualEvents(db: Database, tenantId: string): Promise<boolean> {
  if (tenantId === PLATFORM) return false;
  return (await tenantById(db, tenantId))?.dedupIncludesVariables === false;
}

/** Returns the gaps as warnings for the output of acts. */
export async function digestWarnings(
  db: Database,
  template: WithDigest,
): Promise<TemplateWarning[]> {
  return (await digestGaps(db, template)).map((gap) => ({ ...WARNINGS[gap], line: 1, column: 1 }));
}
