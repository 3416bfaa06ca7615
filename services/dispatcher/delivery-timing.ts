import { MAX_DIGEST_SECONDS } from "@belfry/contracts/timing";
import type { DeliveryTiming, StoredEvent } from "@belfry/database/functions/dispatch-events";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { uuidv7 } from "uuidv7";
import { digestKey } from "./digest-key.ts";
import type { RoutingTenant } from "./read-routing.ts";
import type { ActiveTemplate, ActiveVariant } from "./routing-cache.ts";
import type { UserWishes } from "./user-wishes.ts";

interface Timed {
  event: StoredEvent;
  wishes: UserWishes;
  tenant: RoutingTenant;
  template: ActiveTemplate;
  variant: ActiveVariant;
  /** Something of the event must not stay: it is gathered with nothing. */
  isSensitive: boolean;
  /** It leaves a notification that can be read. */
  hasPush: boolean;
}

export function isTimed({ digest, throttle, afterUnreadSeconds }: ActiveTemplate): boolean {
  return digest !== undefined || throttle !== undefined || afterUnreadSeconds !== undefined;
}

/**
 * What the settings of a template say of when a delivery leaves; undefined: at once, and any number of them, as
 * mostly. Nothing rests longer than the tenant's retention lets it, whatever the settings were saved under.
 */
export function timingOf(timed: Timed): DeliveryTiming | undefined {
  const { event, wishes, tenant, template, variant, isSensitive, hasPush } = timed;
  const { digest: setting, throttle, afterUnreadSeconds } = template;
  const digest = isSensitive ? undefined : setting;
  const unread = hasPush ? afterUnreadSeconds : undefined;
  if (!digest && !throttle && unread === undefined) return undefined;
  const timing: DeliveryTiming = {
    userId: event.userId,
    eventType: event.eventType,
    zone: wishes.recipient?.timezone ?? tenant.timeZone,
    sensitive: isSensitive,
  };
  if (template.expiresAfterSeconds !== null) {
    timing.expiresAfterSeconds = template.expiresAfterSeconds;
  }
  const quietEnd = wishes.recipient?.quietEnd ?? null;
  if (quietEnd !== null) timing.quietEnd = quietEnd;
  if (throttle) timing.throttle = throttle;
  if (unread !== undefined) timing.unlessRead = Math.min(unread, tenant.mostRestSeconds);
  if (digest) {
    const { key, maxSeconds = MAX_DIGEST_SECONDS, ...window } = digest;
    timing.digest = {
      ...window,
      id: uuidv7(),
      locale: variant.locale,
      key: key === undefined ? "" : digestKey(parseVariables(event.variables ?? "{}") ?? {}, key),
      maxSeconds: Math.min(maxSeconds, MAX_DIGEST_SECONDS, tenant.mostRestSeconds),
    };
  }
  return timing;
}
