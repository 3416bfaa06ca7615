import type { SampleTenant } from "./sample-tenant.ts";

/** Every page of a tenant, by name. */
export function tenantPages(tenant: SampleTenant): Record<string, string> {
  const base = `/tenants/${tenant.id}`;
  return {
    overview: base,
    activity: `${base}/activity`,
    event: `${base}/activity/${tenant.eventId}`,
    "event-failed": `${base}/activity/${tenant.failedEventId}`,
    "event-resting": `${base}/activity/${tenant.restingId}`,
    waiting: `${base}/waiting`,
    "waiting-retry": `${base}/waiting?why=retry`,
    "waiting-move": `${base}/waiting/${tenant.restingId}/move`,
    broadcasts: `${base}/broadcasts`,
    broadcast: `${base}/broadcasts/${tenant.broadcastId}`,
    "broadcast-types": `${base}/broadcasts/new`,
    "broadcast-new": `${base}/broadcasts/new?eventType=order.confirmed`,
    digest: `${base}/digests/${tenant.digestId}`,
    search: `${base}/search?q=ada%40example.com`,
    "search-empty": `${base}/search?q=nobody%40example.com`,
    users: `${base}/users`,
    user: `${base}/users?user=ada`,
    "user-new": `${base}/users/edit`,
    "user-edit": `${base}/users/edit?user=ada`,
    "tenant-delete": `${base}/delete`,
    "user-erase": `${base}/users/erase?user=ada`,
    "user-erasure": `${base}/users/erasures/${tenant.erasureId}`,
    "users-import": `${base}/users/import`,
    replies: `${base}/replies`,
    topics: `${base}/topics`,
    topic: `${base}/topics/news`,
    imports: `${base}/imports?topic=news`,
    "import-file": `${base}/imports/${tenant.importId}`,
    categories: `${base}/categories`,
    category: `${base}/categories/offers`,
    outbox: `${base}/outbox`,
    "outbox-message": `${base}/outbox/${tenant.outboxId}`,
    "dead-letters": `${base}/dead-letters`,
    "dead-letters-replay": `${base}/dead-letters/replay?class=credentials&channel=EMAIL&of=20`,
    "dead-letters-discard": `${base}/dead-letters/discard?class=credentials`,
    suppressions: `${base}/suppressions`,
    "suppressions-import": `${base}/suppressions/import`,
    templates: `${base}/templates`,
    "template-new": `${base}/templates/new`,
    "template-email": `${base}/templates/${tenant.templates.EMAIL}`,
    "template-sms": `${base}/templates/${tenant.templates.SMS}`,
    "template-push": `${base}/templates/${tenant.templates.PUSH}`,
    "template-publish": `${base}/templates/${tenant.templates.SMS}/publish`,
    "template-copy": `${base}/templates/${tenant.templates.SMS}/copy`,
    design: `${base}/design`,
    environment: `${base}/environment`,
    promotion: `${base}/environment/promotion`,
    "template-versions": `${base}/templates/${tenant.templates.EMAIL}/versions`,
    providers: `${base}/providers`,
    "provider-new": `${base}/providers/new?channel=SMS&kind=vonage`,
    "provider-new-mail": `${base}/providers/new?channel=EMAIL&kind=mailgun`,
    provider: `${base}/providers/${tenant.providerId}`,
    keys: `${base}/keys`,
    webhooks: `${base}/webhooks`,
    "webhook-new": `${base}/webhooks/new`,
    webhook: `${base}/webhooks/${tenant.webhookId}`,
    "webhook-edit": `${base}/webhooks/${tenant.webhookId}/edit`,
    "webhook-replay": `${base}/webhooks/${tenant.webhookId}/replay`,
    "webhook-message": `${base}/webhooks/${tenant.webhookId}/messages/${tenant.webhookMessageId}`,
    members: `${base}/members`,
    alerts: `${base}/alerts`,
    audit: `${base}/audit`,
    limits: `${base}/settings`,
  };
}

/** The platform's pages and those of a person's own account. */
export const PLATFORM_PAGES: Readonly<Record<string, string>> = {
  tenants: "/tenants",
  "search-all": "/search?q=ada%40example.com",
  "tenant-new": "/tenants/new",
  "platform-templates": "/tenants/platform/templates",
  "overview-all": "/overview",
  system: "/system",
  "platform-keys": "/platform-keys",
  operators: "/operators",
  alerts: "/alerts",
  "audit-all": "/audit",
  account: "/account",
  "two-factor": "/account/two-factor",
  missing: "/nowhere",
};

/** Pages of a tenant without any data. */
export function emptyPages(tenantId: string): Record<string, string> {
  const pages = ["", "activity", "users", "users?user=nobody", "outbox", "dead-letters"];
  pages.push("dead-letters/replay", "suppressions", "templates", "providers", "members", "audit");
  pages.push("topics", "imports");
  pages.push("replies", "categories", "users/import", "waiting", "webhooks", "broadcasts");
  return Object.fromEntries(
    pages.map((path) => [`empty ${path}`, `/tenants/${tenantId}${path === "" ? "" : `/${path}`}`]),
  );
}
