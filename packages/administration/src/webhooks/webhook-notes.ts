import type { Webhook } from "@belfry/contracts/webhook-endpoints";
import type { AuditNote } from "../audited.ts";
import type { Replayed, ReplayInput } from "./replay-webhook.ts";

/**
 * How the audit log tells of endpoints: never a secret, and of a URL not its query, where some keep one.
 */
export function webhookNote(
  verb: "create" | "update" | "delete" | "rotate-secret" | "resend" | "replay" | "test" | "disable",
  tenantId: string,
  url: string,
  change: { before?: object | null; after?: object | null } = {},
): AuditNote {
  return { tenantId, action: `webhook.${verb}`, target: maskedUrl(url), ...change };
}

/** Of what put or change has answered. */
export function webhookChanged(
  tenantId: string,
  { before, after }: { before: Webhook | null; after: Webhook },
): AuditNote {
  return webhookNote(before === null ? "create" : "update", tenantId, after.url, {
    before: before === null ? null : recorded(before),
    after: recorded(after),
  });
}

export function webhookDeleted(tenantId: string, before: Webhook): AuditNote {
  return webhookNote("delete", tenantId, before.url, { before: recorded(before) });
}

export function signingSecretRotated(
  tenantId: string,
  { url, previousSecretUntil }: { url: string; previousSecretUntil: string },
): AuditNote {
  const after = { secret: "a new one", theOneBeforeSignsUntil: previousSecretUntil };
  return webhookNote("rotate-secret", tenantId, url, { after });
}

export function webhookReplayed(
  { tenantId, since, until = "now", all = false }: ReplayInput,
  { url, replayed, more }: Replayed & { url: string },
): AuditNote {
  return webhookNote("replay", tenantId, url, { after: { since, until, all, replayed, more } });
}

/** A URL without the values of its query. */
export function maskedUrl(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : `${url.slice(0, at)}?…`;
}

function recorded({ id, url, types, description, active, disabledReason }: Webhook): object {
  return {
    ...{ id, url: maskedUrl(url), types: types.length === 0 ? "all" : types },
    ...{ description, active, disabledReason },
  };
}
