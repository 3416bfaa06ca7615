import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import type { HttpAnswer } from "./post-once.ts";
import type { ProviderContext } from "./provider.ts";
import { outcome, vendorAnswer } from "./send-outcome.ts";

const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/** The class of a status that a vendor's own table does not name. */
export function statusClass(status: number): OutcomeClass {
  if (status === 429) return "throttled";
  if (status === 401 || status === 402 || status === 403 || status === 407) return "credentials";
  if (status === 408 || status === 425 || status >= 500) return "transient";
  // The address is not the API's: a matter of the settings. The message waits, nothing was followed.
  if (status >= 300 && status < 400) return "credentials";
  // Not what the vendor documents as success: it may have the message, or a stranger answered.
  if (status < 300) return "ambiguous";
  return "permanent";
}

/** The classes of a vendor's error codes. */
export function classesByCode(codes: Partial<Record<OutcomeClass, readonly number[]>>) {
  const classes = Object.entries(codes) as [OutcomeClass, readonly number[]][];
  return new Map(classes.flatMap(([name, some]) => some.map((code) => [String(code), name])));
}

/** The outcome of an answer that is not a success; `code` is the vendor's own, told instead of the status. */
export function refusal(
  vendor: string,
  outcomeClass: OutcomeClass,
  answer: HttpAnswer,
  { secrets, now }: Pick<ProviderContext, "secrets" | "now">,
  code: string | null = null,
): SendOutcome {
  const status = code ?? String(answer.status);
  return outcome(outcomeClass, reasonFor(vendor, outcomeClass, answer.status, status), {
    vendorStatus: status,
    vendorAnswer: vendorAnswer(answer.text, secrets),
    retryAfterSeconds: retryAfterSeconds(answer.headers, now()),
  });
}

/**
 * When the vendor wants to be asked again: `Retry-After`, else `X-RateLimit-Reset` (epoch seconds); at most a
 * day. Null when it does not say.
 */
export function retryAfterSeconds(headers: HttpAnswer["headers"], nowMs: number): number | null {
  const retryAfter = retryAfterOf(headers, nowMs);
  if (retryAfter !== null) return retryAfter;
  const reset = single(headers["x-ratelimit-reset"]);
  if (reset !== null && /^\d{1,12}$/.test(reset)) return bounded(Number(reset) - nowMs / 1000);
  return null;
}

/** What `Retry-After` says, seconds or a date, in seconds and at most a day; null where it says nothing. */
export function retryAfterOf(headers: HttpAnswer["headers"], nowMs: number): number | null {
  const retryAfter = single(headers["retry-after"]);
  if (retryAfter !== null && /^\d{1,9}$/.test(retryAfter)) return bounded(Number(retryAfter));
  const isDate = retryAfter !== null && / GMT$/.test(retryAfter);
  const date = isDate ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? null : bounded((date - nowMs) / 1000);
}

function bounded(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER_SECONDS);
}

function single(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? null;
}

function reasonFor(vendor: string, outcomeClass: OutcomeClass, status: number, code: string) {
  if (status >= 300 && status < 400) return `${vendor} redirected (${code}), which is not followed`;
  if (status < 300) return `${vendor} answered ${code} without what it documents as success`;
  const meaning: Record<OutcomeClass, string> = {
    accepted: "accepted the message",
    permanent: "refused the message",
    policy: "does not take the message by its rules",
    credentials: "refused the account or its configuration",
    throttled: "is asked too fast",
    deferred: "could not reach the recipient now",
    transient: "could not take the message now",
    ambiguous: "may have the message",
  };
  return `${vendor} ${meaning[outcomeClass]} (${code})`;
}

/** A JSON object of an answer; an empty one when it is something else. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
