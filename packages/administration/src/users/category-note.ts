import type { AuditNote } from "../audited.ts";

/** How the audit log tells of a change of a category. */
export function categoryNote(
  verb: "create" | "update" | "delete" | "assign" | "unassign",
  tenantId: string,
  key: string,
  change: Pick<AuditNote, "before" | "after">,
): AuditNote {
  return { tenantId, action: `category.${verb}`, target: key, ...change };
}
