/** The lifetime of an idempotency key of a management call or of a broadcast. */
export const REPEATED_CALL_HOURS = 24;

/** How long something is kept. */
export interface KeptDays {
  eventDays: number;
  notificationDays: number;
}

/** Defaults, if neither tenant nor installation has another value. */
export const DEFAULT_EVENT_RETENTION_DAYS = 30;
export const DEFAULT_NOTIFICATION_RETENTION_DAYS = 90;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Up to this retention only one day is held back, because eight days would leave almost nothing. */
const SHORT_DAYS = 9;

/**
 * How long something may rest before it is sent, so that it and what it leaves are still there for a while
 * after that: 8 days less than the shorter retention, a day less where that is 9 days or less.
 */
export function mostRestMs({ eventDays, notificationDays }: KeptDays): number {
  const days = Math.min(eventDays, notificationDays);
  return (days - spared(days)) * DAY_MS;
}

/** Why there is a bound, in words that follow it. */
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
