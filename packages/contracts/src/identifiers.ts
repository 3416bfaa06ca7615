/** The owner of the `global.*` templates: no tenant has this id, and it has no API key. */
export const PLATFORM = "platform";

export function isGlobalEventType(eventType: string): boolean {
  return eventType.startsWith("global.");
}

export const TENANT_ID = /^[a-z0-9]{1,32}$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A UUID in lower case, for patterns of schemas, which cannot have flags. */
export const UUID_FORM = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/** A phone number in E.164 form that can receive text messages. No numbering plan has shorter numbers. */
export const PHONE = /^\+[1-9]\d{6,14}$/;
export const TRACE_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * The rules of `textFault` for control characters and lone surrogates, for schemas. The second part is for validators
 * that treat a surrogate pair as two characters.
 */
export const PLAIN_TEXT =
  "^(?:[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$";
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Finds control characters and surrogates. Most texts have neither, so they need only this test. */
const ODD = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/;

/**
 * Returns what is wrong with an `eventType`, `userId`, `eventId` or `X-Idempotency-Key`, or undefined. Allowed are
 * 1–255 characters without control characters and lone surrogates.
 */
export function textFault(value: string): string | undefined {
  if (value.length === 0) return "should not be empty";
  if (value.length <= MAX_TEXT_CHARACTERS && !ODD.test(value)) return undefined;
  if (value.length > MAX_TEXT_CHARACTERS && [...value].length > MAX_TEXT_CHARACTERS) {
    return `must be at most ${MAX_TEXT_CHARACTERS} characters`;
  }
  if (CONTROL.test(value)) return "must not contain control characters";
  if (!value.isWellFormed()) return "must not contain lone surrogates";
  return undefined;
}

/**
 * The length of a channel's name: the part of a realtime channel before the first `#`, and a Push template's target.
 */
const MAX_CHANNEL_NAME_CHARACTERS = 64;
export const REALTIME_CHANNEL_NAME = new RegExp(
  `^[A-Za-z0-9_.:-]{1,${MAX_CHANNEL_NAME_CHARACTERS}}$`,
);
export const PERSONAL_CHANNEL = "personal";
export const SYSTEM_CHANNEL = "global_system";
export const MAX_TEXT_CHARACTERS = 255;
/** In bytes of UTF-8: the longest name, `#`, and the longest user id with four bytes per character. */
export const MAX_REALTIME_CHANNEL_BYTES = MAX_CHANNEL_NAME_CHARACTERS + 1 + 4 * MAX_TEXT_CHARACTERS;

export function realtimeChannel(name: string, userId: string): string {
  return `${name}#${userId}`;
}

/** Splits `<name>#<userId>` at the first `#`, because a user id may contain `#` and `,`. */
export function parseRealtimeChannel(channel: string) {
  const hash = channel.indexOf("#");
  if (hash < 0) return undefined;
  const name = channel.slice(0, hash);
  const userId = channel.slice(hash + 1);
  if (!REALTIME_CHANNEL_NAME.test(name) || userId === "") return undefined;
  if (Buffer.byteLength(channel) > MAX_REALTIME_CHANNEL_BYTES) return undefined;
  return { name, userId };
}

// Limits that more than one service checks. Source: the decisions on the trigger, unless a comment names another one.

export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_NESTING = 64;

/** Maximum sizes of rendered pushes. If one is larger, the channel ends as `failed: rendered content too large`. */
export const MAX_PUSH_TITLE_CHARACTERS = 256;
export const MAX_PUSH_BODY_CHARACTERS = 4096;
/** Maximum lengths of a push's links, in ASCII, and of its buttons' labels. Longer ones are left out. */
export const MAX_PUSH_ADDRESS_CHARACTERS = 2048;
export const MAX_PUSH_LABEL_CHARACTERS = 40;
export const MAX_PUSH_ACTIONS = 2;

export const REALTIME_TOKEN_SECONDS = 2 * 60 * 60;

export const DEFAULT_PER_MINUTE = 600;
export const DEFAULT_DAILY_CAP = 100_000;
/** The space for all attachments of a tenant, in MiB. */
export const DEFAULT_ATTACHMENT_MIB = 5120;

export const HISTORY_DEFAULT_LIMIT = 50;
export const HISTORY_MAX_LIMIT = 1000;
/** The largest integer of Postgres. A deep page scans all rows before it. */
export const HISTORY_MAX_OFFSET = 2 ** 31 - 1;

export const MAX_LIVE_API_KEYS = 10;

/** Returns the age of a UUIDv7 in seconds by our clock, never negative. Undefined for another kind of id. */
export function secondsSinceId(id: string, nowMs: number = Date.now()): number | undefined {
  if (id[14] !== "7") return undefined;
  const madeAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isNaN(madeAtMs) ? undefined : Math.max(0, nowMs - madeAtMs) / 1000;
}
