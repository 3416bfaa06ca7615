import { type Logger, pino } from "pino";
import { type BufferedOutput, createBufferedOutput } from "./buffered-output.ts";

export type { Logger } from "pino";

export interface LoggerOptions {
  service: string;
  level: string;
  /** The output. Default: standard output. Tests pass their own. */
  destination?: { write(line: string): void };
}

const FLUSH_EVERY_MS = 100;
const CHUNK_BYTES = 64 * 1024;

/**
 * Creates a logger of JSON lines. It redacts keys, secrets, bodies and recipients, and writes lines in batches, at most
 * a tenth of a second late.
 */
export function createLogger(options: LoggerOptions): Logger {
  const destination = options.destination ?? bufferedOutput();
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }), log: (line) => redact(line) },
      serializers: SERIALIZERS,
    },
    destination,
  );
}

function bufferedOutput(): BufferedOutput {
  const output = createBufferedOutput({
    fd: 1,
    flushEveryMs: FLUSH_EVERY_MS,
    chunkBytes: CHUNK_BYTES,
  });
  // A sudden exit must not lose the line with its reason.
  process.on("exit", () => output.flushSync());
  return output;
}

let writtenAt = 0;
let writtenTime = "";
/** Formats each millisecond once. Under load many lines share one, and formatting is a large part of a line's cost. */
function isoTime(): string {
  const now = Date.now();
  if (now !== writtenAt) {
    writtenAt = now;
    writtenTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return writtenTime;
}

/** Names of fields that must not reach a log. */
const SECRETS = [
  "addresses",
  "apiKey",
  "authorization",
  "blocks",
  "body",
  "chat",
  "content",
  "cookie",
  "credentials",
  "email",
  "headers",
  "html",
  "keys",
  "password",
  "payload",
  "phone",
  "rawBody",
  "recipient",
  "recipientEmail",
  "recipientPhone",
  "recipientChat",
  "secret",
  "secrets",
  "setCookie",
  "settings",
  "signature",
  "text",
  "to",
  "token",
  "variables",
  "webhookSecret",
  "xApiKey",
  "xServiceSignature",
];

/** Names are compared without regard to case, `-` and `_`. */
const SECRET_NAMES = new Set(SECRETS.map((name) => name.toLowerCase()));

const CENSORED = "[redacted]";
const MAX_DEPTH = 4;

const verdicts = new Map<string, boolean>();
const MAX_VERDICTS = 2000;

function isSecretName(name: string): boolean {
  let verdict = verdicts.get(name);
  if (verdict === undefined) {
    verdict = SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ""));
    if (verdicts.size < MAX_VERDICTS) verdicts.set(name, verdict);
  }
  return verdict;
}

/**
 * Returns the object itself if it holds nothing secret, otherwise a redacted copy. For this list, Pino's own `redact`
 * takes 18 µs per line, ten times as long as logging the line. This function adds a tenth of that time.
 */
export function redact(value: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const item = value[name];
    if (item === undefined || item === null) continue;
    let shown: unknown = item;
    if (isSecretName(name)) shown = CENSORED;
    else if (item instanceof Error) {
      // Pino passes the field `err` of the line to its serializer after this.
      if (name !== "err" || depth > 0) shown = describeError(item);
    } else if (typeof item === "object") {
      shown = depth < MAX_DEPTH ? redact(item as Record<string, unknown>, depth + 1) : CENSORED;
    }
    if (shown !== item) {
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      copy[name] = shown;
    }
  }
  return copy ?? value;
}

/** Returns the fields of an error to log, without the requests, bodies and keys that libraries attach to errors. */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "object" ? CENSORED : error;
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined || depth >= MAX_DEPTH
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && depth < MAX_DEPTH
      ? { errors: error.errors.slice(0, 5).map((one) => describeError(one, depth + 1)) }
      : {}),
  };
}

/** Pino serializers that redact the bindings of child loggers, which formatters do not get. */
export const SERIALIZERS: Record<string, (value: unknown) => unknown> = {
  ...Object.fromEntries(SECRETS.map((name) => [name, () => CENSORED])),
  err: (error) => describeError(error),
};
