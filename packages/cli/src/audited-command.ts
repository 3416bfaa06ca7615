import type { AuditNote } from "@belfry/administration/audited";
import type { Database } from "@belfry/database/connection";
import { commandLineActor } from "./command-line-actor.ts";

/** Runs a change of a command with its entry in the audit log, in one transaction. */
export async function auditedCommand<T>(
  db: Database,
  change: (transaction: Database) => Promise<T>,
  note: (result: T) => AuditNote | undefined,
): Promise<T> {
  const { audited } = await import("@belfry/administration/audited");
  return await audited(db, commandLineActor(), change, note);
}

/** Of a template's text the log keeps the number of its version: the text is there. */
export function templateNote(
  action: string,
  template: { tenantId: string; eventType: string; channel: string; version?: number },
  locale = "",
): AuditNote {
  const { tenantId, eventType, channel, version } = template;
  const target = [eventType, channel, ...(locale === "" ? [] : [locale])].join(" ");
  return {
    ...{ tenantId, action: `template.${action}`, target },
    ...(version === undefined ? {} : { after: { version } }),
  };
}
