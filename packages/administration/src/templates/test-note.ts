import type { AuditNote } from "../audited.ts";

/** How the audit log tells of a test of a template: `after` is what came of it, without content. */
export function templateTested(
  template: { tenantId: string; eventType: string; channel: string },
  after: { class: string } | { userId: string },
): AuditNote {
  const { tenantId, eventType, channel } = template;
  return { tenantId, action: "template.test", target: `${eventType} ${channel}`, after };
}
