import type { FastifyInstance } from "fastify";

/**
 * The rights of each role, in one table that the router uses. A route that is not listed cannot be registered. A role
 * includes the rights of the roles before it. An operator may do everything in every tenant.
 */
export type Access =
  /** Everybody, even if not signed in. */
  | "anyone"
  /** Every signed-in person. */
  | "person"
  /** A role in the tenant of the path. Paths of other tenants do not exist for the person (404). */
  | "viewer"
  | "editor"
  | "owner"
  /** An operator of the platform. */
  | "operator";

export const ACCESS = {
  "GET /": "anyone",
  "GET /*": "anyone",
  "GET /assets/*": "anyone",
  "GET /sign-in": "anyone",
  "POST /sign-in": "anyone",
  "GET /sign-in/code": "anyone",
  "POST /sign-in/code": "anyone",
  "GET /sign-in/oidc": "anyone",
  "GET /sign-in/oidc/callback": "anyone",
  "GET /join/:token": "anyone",
  "POST /join/:token": "anyone",
  "GET /reset/:token": "anyone",
  "POST /reset/:token": "anyone",
  "GET /preview-frame": "anyone",

  "POST /sign-out": "person",
  "GET /account": "person",
  "POST /account/name": "person",
  "POST /account/password": "person",
  "GET /account/two-factor": "person",
  "POST /account/two-factor/begin": "person",
  "POST /account/two-factor/turn-on": "person",
  "POST /account/two-factor/turn-off": "person",
  "POST /account/two-factor/recovery-codes": "person",
  "GET /account/identities/connect": "person",
  "POST /account/identities/connect": "person",
  "POST /account/identities/disconnect": "person",
  "POST /account/sessions/end-others": "person",
  "POST /account/sessions/:sessionId/end": "person",

  "GET /tenants": "operator",
  "POST /tenants": "operator",
  "GET /tenants/new": "operator",
  "GET /search": "operator",
  "GET /overview": "operator",
  "GET /system": "operator",
  "GET /audit": "operator",
  "GET /platform-keys": "operator",
  "POST /platform-keys": "operator",
  "POST /platform-keys/:keyId/revoke": "operator",
  "GET /alerts": "operator",
  "POST /alerts": "operator",
  "POST /alerts/sender": "operator",
  "GET /operators": "operator",
  "POST /operators/invite": "operator",
  "POST /operators/:personId/remove": "operator",
  "POST /operators/:personId/reset-link": "operator",
  "POST /operators/:personId/remove-two-factor": "operator",
  "POST /operators/:personId/disconnect-identity": "operator",
  "POST /operators/invitations/:invitationId/withdraw": "operator",
  "GET /tenants/:tenantId/settings": "viewer",
  "POST /tenants/:tenantId/settings": "operator",
  "POST /tenants/:tenantId/defaults": "owner",
  "POST /tenants/:tenantId/activate": "operator",
  "POST /tenants/:tenantId/deactivate": "operator",
  "GET /tenants/:tenantId/delete": "operator",
  "POST /tenants/:tenantId/delete": "operator",
  // Not in the tenant's path, because the page remains after the tenant is deleted.
  "GET /deletions/:deletedId": "operator",

  "GET /tenants/:tenantId": "viewer",
  "GET /tenants/:tenantId/search": "viewer",
  "GET /tenants/:tenantId/activity": "viewer",
  "GET /tenants/:tenantId/activity/:eventId": "viewer",
  "GET /tenants/:tenantId/activity/:eventId/document": "viewer",
  "GET /tenants/:tenantId/activity/:eventId/attachments/:position": "editor",
  "POST /tenants/:tenantId/activity/:eventId/resend": "editor",
  "GET /tenants/:tenantId/waiting": "viewer",
  "GET /tenants/:tenantId/waiting/:eventId/move": "editor",
  "POST /tenants/:tenantId/waiting/:eventId/move": "editor",
  "POST /tenants/:tenantId/waiting/:eventId/release": "editor",
  "POST /tenants/:tenantId/waiting/:eventId/cancel": "editor",
  "GET /tenants/:tenantId/broadcasts": "viewer",
  "POST /tenants/:tenantId/broadcasts": "editor",
  "GET /tenants/:tenantId/broadcasts/new": "editor",
  "GET /tenants/:tenantId/broadcasts/topics": "editor",
  "POST /tenants/:tenantId/broadcasts/preview": "editor",
  "POST /tenants/:tenantId/broadcasts/check": "editor",
  "GET /tenants/:tenantId/broadcasts/:broadcastId": "viewer",
  "POST /tenants/:tenantId/broadcasts/:broadcastId/pause": "editor",
  "POST /tenants/:tenantId/broadcasts/:broadcastId/resume": "editor",
  "POST /tenants/:tenantId/broadcasts/:broadcastId/cancel": "editor",
  "GET /tenants/:tenantId/digests/:digestId": "viewer",
  "POST /tenants/:tenantId/digests/:digestId/release": "editor",
  "GET /tenants/:tenantId/outbox": "viewer",
  "GET /tenants/:tenantId/outbox/:messageId": "viewer",
  "GET /tenants/:tenantId/outbox/:messageId/document": "viewer",
  "GET /tenants/:tenantId/users": "viewer",
  "POST /tenants/:tenantId/users/token": "editor",
  "POST /tenants/:tenantId/users/devices/delete": "editor",
  "POST /tenants/:tenantId/users/disconnect": "owner",
  "POST /tenants/:tenantId/users/disconnect-all": "owner",
  "POST /tenants/:tenantId/users/preferences": "editor",
  "GET /tenants/:tenantId/users/edit": "editor",
  "POST /tenants/:tenantId/users/edit": "editor",
  "GET /tenants/:tenantId/users/erase": "owner",
  "POST /tenants/:tenantId/users/erase": "owner",
  "GET /tenants/:tenantId/users/erasures/:erasureId": "viewer",
  "GET /tenants/:tenantId/users/import": "editor",
  "POST /tenants/:tenantId/users/import": "editor",
  "GET /tenants/:tenantId/replies": "viewer",

  "GET /tenants/:tenantId/topics": "viewer",
  "POST /tenants/:tenantId/topics": "editor",
  "GET /tenants/:tenantId/topics/:topicKey": "viewer",
  "POST /tenants/:tenantId/topics/:topicKey/add": "editor",
  "POST /tenants/:tenantId/topics/:topicKey/remove": "editor",
  "POST /tenants/:tenantId/topics/:topicKey/delete": "editor",
  "GET /tenants/:tenantId/imports": "viewer",
  "POST /tenants/:tenantId/imports": "editor",
  "GET /tenants/:tenantId/imports/:importId": "viewer",
  "POST /tenants/:tenantId/imports/:importId/parts": "editor",
  "POST /tenants/:tenantId/imports/:importId/cancel": "editor",

  "GET /tenants/:tenantId/categories": "viewer",
  "POST /tenants/:tenantId/categories": "editor",
  "GET /tenants/:tenantId/categories/:categoryKey": "viewer",
  "POST /tenants/:tenantId/categories/:categoryKey": "editor",
  "POST /tenants/:tenantId/categories/:categoryKey/delete": "editor",
  "POST /tenants/:tenantId/categories/:categoryKey/move": "editor",
  "POST /tenants/:tenantId/categories/:categoryKey/assign": "editor",
  "POST /tenants/:tenantId/categories/:categoryKey/unassign": "editor",

  "GET /tenants/:tenantId/dead-letters": "viewer",
  "GET /tenants/:tenantId/dead-letters/replay": "editor",
  "POST /tenants/:tenantId/dead-letters/replay": "editor",
  "GET /tenants/:tenantId/dead-letters/discard": "editor",
  "POST /tenants/:tenantId/dead-letters/discard": "editor",
  "GET /tenants/:tenantId/suppressions": "viewer",
  "POST /tenants/:tenantId/suppressions": "editor",
  "POST /tenants/:tenantId/suppressions/remove": "editor",
  "GET /tenants/:tenantId/suppressions/import": "editor",
  "POST /tenants/:tenantId/suppressions/import": "editor",

  "GET /tenants/:tenantId/templates": "viewer",
  "GET /tenants/:tenantId/templates/new": "editor",
  "GET /tenants/:tenantId/templates/starter": "editor",
  "POST /tenants/:tenantId/templates": "editor",
  "POST /tenants/:tenantId/templates/preview": "viewer",
  "POST /tenants/:tenantId/templates/test": "editor",
  "GET /tenants/:tenantId/templates/:templateId/preview": "viewer",
  "GET /tenants/:tenantId/templates/:templateId": "viewer",
  "POST /tenants/:tenantId/templates/:templateId": "editor",
  "POST /tenants/:tenantId/templates/:templateId/draft": "editor",
  "POST /tenants/:tenantId/templates/:templateId/discard": "editor",
  "POST /tenants/:tenantId/templates/:templateId/separate-events": "operator",
  "POST /tenants/:tenantId/templates/:templateId/same": "editor",
  "POST /tenants/:tenantId/templates/:templateId/remove-language": "editor",
  "GET /tenants/:tenantId/templates/:templateId/sample": "editor",
  "GET /tenants/:tenantId/templates/:templateId/publish": "editor",
  "POST /tenants/:tenantId/templates/:templateId/publish": "editor",
  "GET /tenants/:tenantId/templates/:templateId/copy": "editor",
  "POST /tenants/:tenantId/templates/:templateId/copy": "editor",
  "POST /tenants/:tenantId/templates/:templateId/activate": "editor",
  "POST /tenants/:tenantId/templates/:templateId/deactivate": "editor",
  "POST /tenants/:tenantId/templates/:templateId/delete": "editor",
  "GET /tenants/:tenantId/templates/:templateId/versions": "viewer",
  "POST /tenants/:tenantId/templates/:templateId/restore": "editor",
  "GET /tenants/:tenantId/environment": "viewer",
  "POST /tenants/:tenantId/environment": "operator",
  "GET /tenants/:tenantId/environment/promotion": "editor",
  "POST /tenants/:tenantId/environment/promotion": "editor",
  "GET /tenants/:tenantId/design": "viewer",
  "POST /tenants/:tenantId/design": "editor",
  "POST /tenants/:tenantId/design/preview": "viewer",
  "POST /tenants/:tenantId/design/restore": "editor",
  "POST /tenants/:tenantId/design/remove": "editor",
  "GET /tenants/:tenantId/images": "viewer",
  "POST /tenants/:tenantId/images": "editor",
  "POST /tenants/:tenantId/images/:imageId/delete": "editor",

  "GET /tenants/:tenantId/providers": "viewer",
  "GET /tenants/:tenantId/providers/new": "owner",
  "POST /tenants/:tenantId/providers": "owner",
  "GET /tenants/:tenantId/providers/:providerId": "owner",
  "POST /tenants/:tenantId/providers/:providerId": "owner",
  "POST /tenants/:tenantId/providers/:providerId/activate": "owner",
  "POST /tenants/:tenantId/providers/:providerId/deactivate": "owner",
  "POST /tenants/:tenantId/providers/:providerId/delete": "owner",
  "POST /tenants/:tenantId/providers/:providerId/move-up": "owner",
  "POST /tenants/:tenantId/providers/:providerId/make-first": "owner",
  "POST /tenants/:tenantId/providers/:providerId/test": "owner",

  "GET /tenants/:tenantId/keys": "viewer",
  "POST /tenants/:tenantId/keys": "owner",
  "POST /tenants/:tenantId/keys/rotate": "owner",
  "POST /tenants/:tenantId/keys/:keyId/revoke": "owner",
  "POST /tenants/:tenantId/webhook-secret": "owner",
  "POST /tenants/:tenantId/webhook-secret/remove": "owner",

  "GET /tenants/:tenantId/webhooks": "viewer",
  "GET /tenants/:tenantId/webhooks/new": "owner",
  "POST /tenants/:tenantId/webhooks": "owner",
  "GET /tenants/:tenantId/webhooks/:webhookId": "viewer",
  "GET /tenants/:tenantId/webhooks/:webhookId/edit": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId/activate": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId/deactivate": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId/rotate-secret": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId/delete": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId/test": "owner",
  "GET /tenants/:tenantId/webhooks/:webhookId/replay": "owner",
  "POST /tenants/:tenantId/webhooks/:webhookId/replay": "owner",
  "GET /tenants/:tenantId/webhooks/:webhookId/messages/:messageId": "viewer",
  "POST /tenants/:tenantId/webhooks/:webhookId/messages/:messageId/resend": "owner",

  "GET /tenants/:tenantId/members": "viewer",
  "POST /tenants/:tenantId/members/invite": "owner",
  "POST /tenants/:tenantId/members/:personId/role": "owner",
  "POST /tenants/:tenantId/members/:personId/remove": "owner",
  "POST /tenants/:tenantId/members/:personId/reset-link": "owner",
  "POST /tenants/:tenantId/members/:personId/remove-two-factor": "operator",
  "POST /tenants/:tenantId/members/:personId/disconnect-identity": "operator",
  "POST /tenants/:tenantId/invitations/:invitationId/withdraw": "owner",
  "GET /tenants/:tenantId/alerts": "owner",
  "POST /tenants/:tenantId/alerts": "owner",
  "GET /tenants/:tenantId/audit": "viewer",
} as const satisfies Record<string, Access>;

export type RouteKey = keyof typeof ACCESS;

/** A person's role in a tenant. */
export type Role = "viewer" | "editor" | "owner" | "operator";

const RANKS: readonly Role[] = ["viewer", "editor", "owner", "operator"];

export function mayDo(role: Role, needed: Role): boolean {
  return RANKS.indexOf(role) >= RANKS.indexOf(needed);
}

/** Whether the platform has this page, too, for its `global.*` templates. */
export function isOfPlatform(route: RouteKey): boolean {
  return /^(GET|POST) \/tenants\/:tenantId\/templates(\/|$)/.test(route);
}

/** Whether the page shows content of bundles. If the environment is locked, everybody has a viewer's rights on it. */
export function isOfBundle(route: RouteKey): boolean {
  const isOther = /\/templates\/(test|:templateId\/separate-events)$/.test(route);
  return !isOther && /\/:tenantId\/(templates|design|images|categories)(\/|$)/.test(route);
}

/** Makes Fastify refuse routes that the table does not name. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) {
      // Fastify adds a HEAD route for each GET route.
      const key = `${one === "HEAD" ? "GET" : one} ${url}`;
      if (!Object.hasOwn(ACCESS, key)) throw new Error(`${key} is not in the table of access`);
    }
  });
}
