import {
  MAX_VENDOR_ANSWER_BYTES,
  type OutcomeClass,
  type SendOutcome,
} from "@belfry/contracts/sending";

/** Returns an outcome. Fields that are not in `known` are null. */
export function outcome(
  outcomeClass: OutcomeClass,
  reason: string,
  known: Partial<Omit<SendOutcome, "class" | "reason">> = {},
): SendOutcome {
  return {
    class: outcomeClass,
    reason,
    messageId: null,
    vendorStatus: null,
    vendorAnswer: null,
    retryAfterSeconds: null,
    ...known,
  };
}

/** Returns the outcome of an attempt that made no call to the vendor. */
export function notBegun(reason: string): SendOutcome {
  return outcome("transient", reason, { notBegun: true });
}

/** An error that carries an outcome from our transport through a vendor's library to its caller. */
export class NotAccepted extends Error {
  readonly outcome: SendOutcome;
  constructor(notAccepted: SendOutcome) {
    super(notAccepted.reason);
    this.name = "NotAccepted";
    this.outcome = notAccepted;
  }
}

/** Returns the outcome for an error of a vendor's library: that of a NotAccepted, else one of class `otherwise`. */
export function thrownOutcome(error: unknown, otherwise: OutcomeClass): SendOutcome {
  if (error instanceof NotAccepted) return error.outcome;
  return outcome(otherwise, "the vendor's library refused the message before any call");
}

/**
 * Returns the first KB of a vendor's answer as text that Postgres can store: without NULs and lone surrogates, cut
 * between characters. Masks credentials, because a vendor may echo them. Returns null for an empty answer.
 */
export function vendorAnswer(text: string, secrets: readonly string[]): string | null {
  let clean = text;
  for (const secret of secrets) {
    for (const form of writtenForms(secret)) clean = clean.replaceAll(form, "••••");
  }
  clean = clean.replace(/\b(Bearer|Basic)(\s+)[\w+/=.~-]{8,}/gi, "$1$2••••");
  clean = clean.replaceAll("\u0000", "").toWellFormed().trim();
  if (clean === "") return null;
  const bytes = Buffer.from(clean);
  if (bytes.length <= MAX_VENDOR_ANSWER_BYTES) return clean;
  let end = MAX_VENDOR_ANSWER_BYTES;
  // A continuation byte (10xxxxxx) at the cut belongs to a character that began before it.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

function writtenForms(secret: string): string[] {
  // A short secret also occurs in ordinary text: masking it would only spoil the answer.
  if (secret.length < 4) return [];
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The start of the body as it was sent, not decompressed. Shorter if the connection broke. */
  text: string;
}

const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/** Returns the class of an HTTP status that the vendor's own table does not list. */
export function statusClass(status: number): OutcomeClass {
  if (status === 429) return "throttled";
  if (status === 401 || status === 402 || status === 403 || status === 407) return "credentials";
  if (status === 408 || status === 425 || status >= 500) return "transient";
  // A redirect means that the base URL in the settings is wrong. We do not follow it, and the message waits.
  if (status >= 300 && status < 400) return "credentials";
  // This is not the documented success: the vendor may have the message, or another server answered.
  if (status < 300) return "ambiguous";
  return "permanent";
}

/** The values to mask in a stored answer, and the clock. */
interface Asked {
  secrets: readonly string[];
  now: () => number;
}

/** The meaning of a vendor's refusal, beyond its HTTP status. */
export interface Meaning extends Pick<SendOutcome, "ofOneMessage" | "suppress" | "gone"> {
  /** The time to wait, for a vendor that says it in the body; otherwise it is read from the header fields. */
  retryAfterSeconds?: number;
  /** The vendor's own code, shown instead of the status. */
  code?: string | null;
  class?: OutcomeClass;
}

/** A vendor whose answer says at once whether it accepts the message, and describes a refusal in JSON. */
export interface JudgedVendor {
  /** The vendor's name in the timeline. */
  name: string;
  /** Returns the id of an accepted message; undefined if the answer is no success as the vendor documents it. */
  acceptedId(body: Record<string, unknown>, answer: HttpAnswer): unknown;
  meaning(body: Record<string, unknown>, answer: HttpAnswer): Meaning;
}

/** Returns the outcome of a vendor's answer. */
export function judge(vendor: JudgedVendor, answer: HttpAnswer, context: Asked): SendOutcome {
  const body = parseObject(answer.text);
  const id = answer.status < 300 ? vendor.acceptedId(body, answer) : undefined;
  if (typeof id === "string" && id !== "") return accepted(vendor.name, answer, id);
  const { code = null, class: known, ...more } = vendor.meaning(body, answer);
  if (known === "accepted") return accepted(vendor.name, answer, null);
  const outcomeClass = known ?? statusClass(answer.status);
  return { ...refusal(vendor.name, outcomeClass, answer, context, code), ...more };
}

function accepted(name: string, answer: HttpAnswer, id: string | null): SendOutcome {
  const messageId = id !== null && /^[\x21-\x7e]{1,255}$/.test(id) ? id : null;
  const vendorStatus = String(answer.status);
  return outcome("accepted", `${name} accepted the message`, { messageId, vendorStatus });
}

/** Returns the outcome of an answer that is no success. `code` is the vendor's code, shown instead of the status. */
export function refusal(
  vendor: string,
  outcomeClass: OutcomeClass,
  answer: HttpAnswer,
  { secrets, now }: Asked,
  code: string | null = null,
): SendOutcome {
  // A vendor may echo a credential where its code stands.
  const isOpen = code !== null && vendorAnswer(code, secrets) === code;
  const status = isOpen ? code : String(answer.status);
  return outcome(outcomeClass, reasonFor(vendor, outcomeClass, answer.status, status), {
    vendorStatus: status,
    vendorAnswer: vendorAnswer(answer.text, secrets),
    retryAfterSeconds: retryAfterSeconds(answer.headers, now()),
  });
}

/** `X-RateLimit-Reset` is a Unix time at most vendors, and a number of seconds at Telnyx, if it is less than this. */
const FIRST_UNIX_TIME = 1_000_000_000;
/** Header fields with the number of seconds until the rate limit resets: from the IETF's draft, and from Brevo. */
const RESET_SECONDS = ["ratelimit-reset", "x-sib-ratelimit-reset"];

/**
 * Returns the seconds until the vendor accepts another request: from `Retry-After`, else from `X-RateLimit-Reset` (a
 * Unix time or seconds), else from RESET_SECONDS. At most a day; null if there is no such field.
 */
export function retryAfterSeconds(headers: HttpAnswer["headers"], nowMs: number): number | null {
  const retryAfter = retryAfterOf(headers, nowMs);
  if (retryAfter !== null) return retryAfter;
  const reset = single(headers["x-ratelimit-reset"]);
  if (reset !== null && /^\d{1,12}$/.test(reset)) {
    const isTime = Number(reset) >= FIRST_UNIX_TIME;
    return bounded(isTime ? Number(reset) - nowMs / 1000 : Number(reset));
  }
  const seconds = RESET_SECONDS.map((name) => single(headers[name])).find((text) => text !== null);
  return seconds !== undefined && /^\d{1,9}$/.test(seconds ?? "") ? bounded(Number(seconds)) : null;
}

/** Returns `Retry-After` (seconds or a date) in seconds, at most a day. Null if it is missing or unreadable. */
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
  if (status < 300 && outcomeClass === "ambiguous") {
    return `${vendor} answered ${code} without what it documents as success`;
  }
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

/** Parses an answer as a JSON object. Returns an empty object if it is anything else. */
export function parseObject(text: string): Record<string, unknown> {
  // Most answers of success have no body, and an error of JSON.parse costs more than the rest of the reading.
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
