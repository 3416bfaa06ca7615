import { CHANNEL_ROWS, type Channel } from "@belfry/contracts/channels";
import type { DigestSettings } from "@belfry/contracts/delivery";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { tenantById } from "../tenants/tenant-rows.ts";
import type { TemplateWarning } from "./templates.ts";

/**
 * Ways in which a template's digest drops events unseen: `one-event`, those that differ in their variables alone
 * are duplicates; `newest-alone`, the text shows only the newest of its events.
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
  /** All that is written of the variant. */
  texts: readonly string[];
}

export async function digestGaps(db: Database, template: WithDigest): Promise<DigestGap[]> {
  if (template.digest === null) return [];
  const gaps: DigestGap[] = [];
  if (await losesAlike(db, template.tenantId)) gaps.push("one-event");
  const { templateNames } = await import("@belfry/templates/language/template-variables");
  const names = templateNames(template.texts);
  const isRead = (system: string) =>
    names.some((name) => name === system || name.startsWith(`${system}.`));
  // A short text may say how many there are, and no more.
  const isShort = CHANNEL_ROWS[template.channel].content === "text";
  if (!isRead("$items") && !(isShort && isRead("$count"))) gaps.push("newest-alone");
  return gaps;
}

/** Whether a tenant's events that differ in their variables alone are one event. */
export async function losesAlike(db: Database, tenantId: string): Promise<boolean> {
  if (tenantId === PLATFORM) return false;
  return (await tenantById(db, tenantId))?.dedupIncludesVariables === false;
}

/** The same, as acts answer it. */
export async function digestWarnings(
  db: Database,
  template: WithDigest,
): Promise<TemplateWarning[]> {
  return (await digestGaps(db, template)).map((gap) => ({ ...WARNINGS[gap], line: 1, column: 1 }));
}
