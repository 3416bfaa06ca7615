import type { OutcomeClass } from "@belfry/contracts/sending";
import {
  answeredWith,
  MAX_WEBHOOK_ANSWER_BYTES,
  WEBHOOK_BODY_MS,
  WEBHOOK_TIMEOUT_MS,
} from "@belfry/contracts/webhook-payload";
import { ownVersion } from "@belfry/database/connection";
import { AddressRefused, type Resolve } from "@belfry/providers/address-guard";
import { type Clock, SYSTEM_CLOCK, startCallTimeout } from "@belfry/providers/call-timeout";
import {
  errorCode,
  guardedAgent,
  type HttpCall,
  type PostResult,
  postOnce,
} from "@belfry/providers/http-calls";
import { createPublicResolver } from "@belfry/providers/public-resolver";
import { type HttpAnswer, retryAfterOf } from "@belfry/providers/send-outcome";

export interface EndedCall extends WebhookAnswer {
  /** Whether no status arrived in time. */
  timedOut: boolean;
}

export interface EndpointCalls {
  /**
   * POSTs JSON once, within 15 s. Reads the answer's body for at most 1 s; the status counts even if the endpoint keeps
   * the body open. If a kept-alive connection had just been closed, posts again on a new one, which is safe because the
   * endpoint recognizes a message by its id. Never rejects.
   */
  post(call: HttpCall): Promise<EndedCall>;
  close(): Promise<void>;
}

export interface EndpointCallsOptions {
  allowPrivateAddresses: boolean;
  resolve?: Resolve;
  clock?: Clock;
  now?: () => number;
}

/**
 * Creates the client for calls of all endpoints. Each call has its own connection, and connections per host are not
 * limited, so that no call waits for another. The caller limits the number of calls.
 */
export function createEndpointCalls(options: EndpointCallsOptions): EndpointCalls {
  const { allowPrivateAddresses, clock = SYSTEM_CLOCK, now = Date.now } = options;
  // If private addresses are allowed, the system's resolver is used, because only it knows private names.
  const resolve = options.resolve ?? (allowPrivateAddresses ? undefined : createPublicResolver());
  const connections = {
    connectTimeoutMs: WEBHOOK_TIMEOUT_MS,
    allowPrivateAddresses,
    ...(resolve && { resolve }),
  };
  const kept = guardedAgent(connections);
  const fresh = guardedAgent({ ...connections, keepAlive: false });
  const always = {
    "content-type": "application/json",
    "user-agent": `Belfry/${ownVersion()}`,
  };
  return {
    async post({ url, headers, body }) {
      const endsAt = clock.nowMs() + WEBHOOK_TIMEOUT_MS;
      const timeout = startCallTimeout(WEBHOOK_TIMEOUT_MS, clock);
      const call = { url, body, headers: { ...always, ...headers } };
      const bounds = {
        signal: timeout.signal,
        maxAnswerBytes: MAX_WEBHOOK_ANSWER_BYTES,
        onStatus: () =>
          timeout.renew(Math.max(0, Math.min(WEBHOOK_BODY_MS, endsAt - clock.nowMs()))),
      };
      let result = await postOnce(kept, call, bounds);
      if (!result.answered && result.wasIdle) result = await postOnce(fresh, call, bounds);
      timeout.end();
      const timedOut = !result.answered && timeout.signal.aborted;
      return { ...webhookAnswer(result, now()), timedOut };
    },
    async close() {
      await Promise.all([kept.close(), fresh.close()]);
    },
  };
}

/** The result of a call to an endpoint. */
export interface WebhookAnswer {
  /** `ambiguous`: the request was sent but got no answer. `transient`: any other failure. */
  class: Extract<OutcomeClass, "accepted" | "transient" | "ambiguous">;
  /** One sentence, for the tenant. */
  reason: string;
  /** The HTTP status; null if there was no answer. */
  status: number | null;
  /** The beginning of the answer's body; null if it was empty or there was no answer. */
  text: string | null;
  /** Seconds from the header `Retry-After`, at most a day; null if there is none. */
  retryAfterSeconds: number | null;
  /** Whether the endpoint answered 410: it is gone for good. */
  gone: boolean;
}

const GONE = 410;
const TIMEOUT_SECONDS = WEBHOOK_TIMEOUT_MS / 1000;

/**
 * Returns the result of a call without an answer: `transient` if nothing was posted, `ambiguous` if that is unknown.
 */
export function failedWith(
  reason: string,
  failedClass: "transient" | "ambiguous" = "transient",
): WebhookAnswer {
  const nothing = { status: null, text: null, retryAfterSeconds: null, gone: false };
  return { class: failedClass, reason, ...nothing };
}

/** Turns an HTTP result into a `WebhookAnswer`. `nowMs` (since 1970) is for a date in `Retry-After`. */
export function webhookAnswer(result: PostResult, nowMs: number): WebhookAnswer {
  if (!result.answered) return unanswered(result.error, result.begun);
  const { answer } = result;
  const hasArrived = answer.status >= 200 && answer.status < 300;
  return {
    class: hasArrived ? "accepted" : "transient",
    reason: reasonOf(answer),
    status: answer.status,
    // A text column of Postgres cannot store U+0000.
    text: answer.text === "" ? null : answer.text.replaceAll("\u0000", "\ufffd"),
    retryAfterSeconds: hasArrived ? null : retryAfterOf(answer.headers, nowMs),
    gone: answer.status === GONE,
  };
}

function reasonOf({ status }: HttpAnswer): string {
  if (status >= 300 && status < 400) return `it redirected (${status}), which is not followed`;
  if (status === GONE) return "it answered 410 Gone";
  return answeredWith(status);
}

function unanswered(error: unknown, begun: boolean): WebhookAnswer {
  if (error instanceof AddressRefused) return failedWith(`not called: ${error.message}`);
  const why = faultWords(errorCode(error));
  if (!begun) return failedWith(`no connection${why}`);
  return failedWith(`the request left and no answer came${why}`, "ambiguous");
}

const NO_NAME = "its name has no address";
const NO_NAME_SERVER = "the name servers of its name do not answer";
const CLOSED = "it closed the connection";
const UNKNOWN_ISSUER =
  "its certificate's issuer is not known, or it does not send the issuer's certificate";
/** Explanations of error codes of Node, OpenSSL and undici. */
const FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_NAME,
  ENODATA: NO_NAME,
  EAI_AGAIN: NO_NAME_SERVER,
  ESERVFAIL: NO_NAME_SERVER,
  ETIMEOUT: NO_NAME_SERVER,
  ECONNREFUSED: "it refuses connections",
  EHOSTUNREACH: "no route leads to it",
  ENETUNREACH: "no route leads to it",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  EPROTO: "it does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate's issuer is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UND_ERR_HEADERS_OVERFLOW: "its headers are too long",
};

function faultWords(code: string): string {
  if (code === "timeout") return ` within ${TIMEOUT_SECONDS} s`;
  const words = code.startsWith("HPE_") ? "its answer is not HTTP" : FAULTS[code];
  return words === undefined ? ` (${code})` : `: ${words} (${code})`;
}
