import type { SampleTenant } from "./sample-tenant.ts";

/** Every page there is, by name: for looking at each. */
export function adminPages(tenant: SampleTenant): Record<string, string> {
  const base = `/tenants/${tenant.id}`;
  return {
    overview: base,
    activity: `${base}/activity`,
    event: `${base}/activity/${tenant.eventId}`,
    "event-failed": `${base}/activity/${tenant.failedEventId}`,
    users: `${base}/users`,
    user: `${base}/users?user=ada`,
    outbox: `${base}/outbox`,
    "outbox-message": `${base}/outbox/${tenant.outboxId}`,
    "dead-letters": `${base}/dead-letters`,
    suppressions: `${base}/suppressions`,
    templates: `${base}/templates`,
    "template-new": `${base}/templates/new`,
    "template-email": `${base}/templates/${tenant.templates.EMAIL}`,
    "template-sms": `${base}/templates/${tenant.templates.SMS}`,
    "template-push": `${base}/templates/${tenant.templates.PUSH}`,
    "template-versions": `${base}/templates/${tenant.templates.EMAIL}/versions`,
    providers: `${base}/providers`,
    "provider-new": `${base}/providers/new?channel=SMS&kind=vonage`,
    provider: `${base}/providers/${tenant.providerId}`,
    keys: `${base}/keys`,
    members: `${base}/members`,
    audit: `${base}/audit`,
    limits: `${base}/settings`,
    tenants: "/tenants",
    "tenant-new": "/tenants/new",
    "platform-templates": "/tenants/platform/templates",
    system: "/system",
    operators: "/operators",
    "audit-all": "/audit",
    account: "/account",
    missing: "/nowhere",
  };
}
