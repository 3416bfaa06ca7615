import { createHmac } from "node:crypto";
import { setTimeout as sleepFor } from "node:timers/promises";

const SECOND_MS = 1000;
const DEFAULT_TIMEOUT_MS = 10 * SECOND_MS;
/** Retries after a 429 or a 5xx. The specification recommends this number for 429. */
const DEFAULT_RETRIES = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8 * SECOND_MS;
/** A 429 with a longer wait means a daily limit, so the call fails at once. */
const DEFAULT_LONGEST_WAIT_MS = 65 * SECOND_MS;

/** How a client sends its requests. Each field can be replaced. */
export interface Transport {
  /** Timeout of one try in ms. Default: 10 s. */
  timeoutMs: number;
  /** The number of tries after the first one. Default: 3. */
  retries: number;
  /** In ms. A 429 that asks for a longer wait is thrown at once. Default: 65 s. */
  longestWaitMs: number;
  fetch: typeof fetch;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a random number, at least 0 and below 1, which varies the pauses. */
  random(): number;
}

export interface CallOptions {
  /** Aborts the call, also during the pauses between tries. */
  signal?: AbortSignal;
}

export interface Answer<Body> {
  headers: Headers;
  body: Body;
}

type Request = CallOptions & {
  /** A function is called for each try, because a signature may contain the time. */
  headers?: Record<string, string> | (() => Record<string, string>);
  body?: string | Uint8Array;
  /** Timeout of one try in ms, if it is longer than the client's. */
  timeoutMs?: number;
  /** If false, only a 429 is retried, because after another failure Belfry may have carried out the request. */
  repeatable?: boolean;
};

/** Sends one request and retries it with the same method, path and body. */
export type Caller = <Body>(
  method: string,
  path: string,
  request: Request,
) => Promise<Answer<Body>>;

export function createCaller(
  options: Partial<Transport> & { baseUrl: string; apiKey: string },
): Caller {
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    retries = DEFAULT_RETRIES,
    longestWaitMs = DEFAULT_LONGEST_WAIT_MS,
    sleep = (ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal }),
    random = Math.random,
  } = options;
  const request = options.fetch ?? fetch;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");

  async function attempt<Body>(method: string, path: string, one: Request): Promise<Answer<Body>> {
    const late = new AbortController();
    // If this process was suspended, its timers fire before it reads its sockets. setImmediate lets it first read an
    // answer that has already arrived.
    const timer = setTimeout(
      () => setImmediate(() => late.abort(new DOMException("no answer in time", "TimeoutError"))),
      Math.max(timeoutMs, one.timeoutMs ?? 0),
    );
    let response: Response;
    let text: string;
    try {
      response = await request(`${baseUrl}${path}`, {
        method,
        // Redirects are not followed, so that the API key is not sent to another address.
        redirect: "manual",
        signal: one.signal === undefined ? late.signal : AbortSignal.any([late.signal, one.signal]),
        headers: {
          "x-api-key": options.apiKey,
          ...(one.body === undefined ? {} : { "content-type": "application/json" }),
          ...(typeof one.headers === "function" ? one.headers() : one.headers),
        },
        ...(one.body === undefined ? {} : { body: one.body as NonNullable<RequestInit["body"]> }),
      });
      text = await response.text();
    } catch (cause) {
      one.signal?.throwIfAborted();
      throw new BelfryNetworkError(method, path, cause);
    } finally {
      clearTimeout(timer);
    }
    const body = parsed(text);
    if (!response.ok || body === undefined) throw new BelfryError(response, body);
    return { headers: response.headers, body: body as Body };
  }

  return async <Body>(method: string, path: string, one: Request) => {
    for (let retry = 0; ; retry += 1) {
      try {
        one.signal?.throwIfAborted();
        return await attempt<Body>(method, path, one);
      } catch (error) {
        const pauseMs = pauseAfter(error, retry, random);
        if (one.repeatable === false && !isRefused(error)) throw error;
        if (pauseMs === undefined || retry >= retries || pauseMs > longestWaitMs) throw error;
        await sleep(pauseMs, one.signal);
      }
    }
  };
}

/** Returns whether Belfry has rejected the request without carrying it out. */
function isRefused(error: unknown): boolean {
  return error instanceof BelfryError && error.status === 429;
}

/** Returns the milliseconds until the next try, or undefined if a retry cannot help. */
function pauseAfter(error: unknown, retry: number, random: () => number): number | undefined {
  if (error instanceof BelfryError) {
    if (error.status === 429 && error.retryAfterSeconds !== undefined) {
      return error.retryAfterSeconds * SECOND_MS;
    }
    if (error.status < 500 && error.status !== 429) return undefined;
  } else if (!(error instanceof BelfryNetworkError)) {
    return undefined;
  }
  // A random part, from half to all of the pause, so that many clients do not retry at the same moment.
  return Math.min(FIRST_PAUSE_MS * 2 ** retry, LONGEST_PAUSE_MS) * (0.5 + random() / 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The method and path of a call. The generated files list the calls. */
interface Route {
  method: string;
  path: string;
  query?: readonly string[];
  hasBody?: true;
}

/** Puts each field into the path, the query or else the JSON body. Omits undefined fields. */
export function requestOf(
  { method, path, query = [], hasBody }: Route,
  input: Readonly<Record<string, unknown>>,
): { path: string; body: string | undefined } {
  const others = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string) => {
    const value = others.get(name);
    others.delete(name);
    return value;
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(String(take(name) ?? "")));
  const search = queryOf(Object.fromEntries(query.map((name) => [name, take(name)])));
  const isSent = hasBody ?? (method !== "GET" && method !== "DELETE" && others.size > 0);
  return {
    path: filled + search,
    body: isSent ? JSON.stringify(Object.fromEntries(others)) : undefined,
  };
}

/**
 * Encodes a text as one segment of a path. Throws a TypeError for "", `.` and `..`: URL parsers remove them, even if
 * they are percent-encoded, so the request would have another path.
 */
function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be part of a path`);
  // A user with the id "batch" must not get the path of the batch call.
  return text === "batch" ? "%62atch" : encodeURIComponent(text);
}

/** Returns the `X-Service-Signature` of a body: its HMAC-SHA256 in lowercase hex. */
export function sign(webhookSecret: string, body: string | Uint8Array): string {
  return createHmac("sha256", webhookSecret).update(body).digest("hex");
}

/** Returns the query string, such as `?limit=5`; an empty text if no field is given. */
function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value ?? []].flat()) query.append(name, String(one));
  }
  return query.size > 0 ? `?${query}` : "";
}

/** Thrown if the API answers without success. Distinguish errors by `status`. */
export class BelfryError extends Error {
  override readonly name = "BelfryError";
  readonly status: number;
  /** The error's name, such as `Validation Error`. */
  readonly error: string;
  /** One line for each fault. A 422 names each fault's field. */
  readonly messages: readonly string[];
  /** How long to wait, in seconds. Set only for a 429. */
  readonly retryAfterSeconds: number | undefined;
  /** The request's trace id. Give it when you ask us for help. */
  readonly traceId: string | undefined;

  constructor(response: { status: number; headers: Headers }, body: unknown) {
    const fields =
      typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
    const messages = [fields.message ?? `unexpected answer with status ${response.status}`];
    const lines = messages.flat().map(String);
    super(lines.join("; "));
    this.status = response.status;
    this.error = typeof fields.error === "string" ? fields.error : "";
    this.messages = lines;
    this.retryAfterSeconds =
      seconds(fields.retryAfter) ?? seconds(response.headers.get("retry-after"));
    this.traceId = response.headers.get("x-trace-id") ?? undefined;
  }
}

/** Thrown if no answer arrived: there was no connection, or the timeout passed. Belfry may have got the request. */
export class BelfryNetworkError extends Error {
  override readonly name = "BelfryNetworkError";

  constructor(method: string, path: string, cause: unknown) {
    // The message has only the beginning of the path, because the rest and the query may contain user ids.
    super(`no answer to ${method} ${path.split("/").slice(0, 4).join("/")}`, { cause });
  }
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
