/** The lifetime of an idempotency key of a management call or of a broadcast. */
export const REPEATED_CALL_HOURS = 24;

/** How many days events and notifications are kept. */
export interface KeptDays {
  eventDays: number;
  notificationDays: number;
}

/** The defaults if neither the tenant nor the installation sets a value. */
export const DEFAULT_EVENT_RETENTION_DAYS = 30;
export const DEFAULT_NOTIFICATION_RETENTION_DAYS = 90;

const DAY_MS = 24 * 60 * 60 * 1000;
/** For a retention up to this, the reserve is only one day, because eight days would leave almost nothing. */
const SHORT_DAYS = 9;

/**
 * Returns how long something may wait before it is sent, so that it and its results are still kept for a while
 * afterwards: 8 days less than the shorter retention, or 1 day less if that is 9 days or less.
 */
export function mostRestMs({ eventDays, notificationDays }: KeptDays): number {
  const days = Math.min(eventDays, notificationDays);
  return (days - spared(days)) * DAY_MS;
}

/** Returns the reason of this limit, as a text that follows the limit. */
export function restRule({ eventDays, notificationDays }: KeptDays): string {
  return eventDays <= notificationDays
    ? `events are kept for ${daysWords(eventDays)}`
    : `the inbox is kept for ${daysWords(notificationDays)}`;
}

/** Returns a number of days in words: `1 day`, `22 days`. */
export function daysWords(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}

export function daysOfMs(ms: number): number {
  return ms / DAY_MS;
}

function spared(days: number): number {
  return days <= SHORT_DAYS ? 1 : 8;
}
