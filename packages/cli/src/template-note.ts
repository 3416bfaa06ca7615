import type { AuditNote } from "@belfry/administration/audited";

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
