import type { AuditNote } from "../audited.ts";
import type { ApiKey } from "./api-keys.ts";
import type { Tenant } from "./tenants.ts";

/** How the audit log tells of a change of a tenant: no key and no secret is in it. */

export function tenantCreated(made: Tenant): AuditNote {
  return { tenantId: made.id, action: "tenant.create", target: made.name, after: recorded(made) };
}

/** `webhookSecret`: what was asked for; undefined: it stays. */
export function tenantUpdated(
  before: Tenant,
  after: Tenant,
  webhookSecret?: string | null | undefined,
): AuditNote {
  const secret =
    webhookSecret === null ? { webhookSecret: "none" } : { webhookSecret: "a new one" };
  return {
    ...{ tenantId: after.id, action: "tenant.update", target: after.name },
    before: recorded(before),
    after: { ...recorded(after), ...(webhookSecret === undefined ? {} : secret) },
  };
}

/** `before` is whether it was active. */
export function tenantActivated(before: boolean, { id, name, active }: Tenant): AuditNote {
  const action = active ? "tenant.activate" : "tenant.deactivate";
  return { tenantId: id, action, target: name, before: { active: before }, after: { active } };
}

/** The open pages of all its users. */
export function tenantDisconnected({ id, name }: Pick<Tenant, "id" | "name">): AuditNote {
  return { tenantId: id, action: "tenant.disconnect", target: name };
}

export function tenantDeleted(before: Tenant): AuditNote {
  const { id, name } = before;
  return { tenantId: id, action: "tenant.delete", target: name, before: recorded(before) };
}

export function keyRotated({ id, apiKeys }: Tenant, overlapSeconds: number): AuditNote {
  const after = { role: apiKeys[0]?.role, othersEndAfterHours: overlapSeconds / 3600 };
  const target = apiKeys[0] === undefined ? "" : keyTarget(apiKeys[0]);
  return { tenantId: id, action: "key.rotate", target, after };
}

export function keyNoted(verb: "create" | "revoke", tenantId: string, key: ApiKey): AuditNote {
  const { role } = key;
  const target = keyTarget(key);
  const known = verb === "create" ? { after: { role } } : { before: { role } };
  return { tenantId, action: `key.${verb}`, target, ...known };
}

function keyTarget({ prefix, name }: { prefix: string; name: string | null }): string {
  return name === null ? `${prefix}…` : `${prefix}… ${name}`;
}

export function webhookSecretCreated({ id, previousWebhookSecretUntil }: Tenant): AuditNote {
  const after = { theOneBeforeEndsAt: previousWebhookSecretUntil };
  return { tenantId: id, action: "webhook-secret.create", target: "webhook secret", after };
}

function recorded(tenant: Tenant): object {
  const { name, perMinute, dailyCap, deliveryChannels, dedupIncludesVariables } = tenant;
  const { eventRetentionDays, notificationRetentionDays, defaultLocale } = tenant;
  const { timezone, quietHours, linkSchemes } = tenant;
  return {
    ...{ name, perMinute, dailyCap, deliveryChannels, dedupIncludesVariables },
    ...{ eventRetentionDays, notificationRetentionDays, defaultLocale },
    ...{ timezone, quietHours, linkSchemes },
  };
}
