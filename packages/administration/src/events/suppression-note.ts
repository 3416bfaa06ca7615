import type { AuditNote } from "../audited.ts";

/** How the audit log tells of addresses that were suppressed or freed by hand: one by name, more as a count. */
export function suppressionNote(
  verb: "add" | "remove",
  tenantId: string,
  channel: string,
  addresses: readonly string[],
  after: object,
): AuditNote {
  const what = addresses.length === 1 ? addresses[0] : `${addresses.length} addresses`;
  return { tenantId, action: `suppression.${verb}`, target: `${channel} ${what}`, after };
}
