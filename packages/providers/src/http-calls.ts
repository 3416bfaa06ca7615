import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { storedReason } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import { Agent, buildConnector, type Dispatcher, request } from "undici";
import { AddressRefused, type GuardOptions, guardedLookup, hostFault } from "./address-guard.ts";
import { startCallTimeout } from "./call-timeout.ts";
import type { ProviderContext, ProviderDeps } from "./provider.ts";
import { type HttpAnswer, outcome } from "./send-outcome.ts";
import { StreamedBody } from "./streamed-body.ts";

export const MAX_ANSWER_BYTES = 64 * 1024;
/** Time for the answer after a body with files: megabytes may still be in transit, a minute at 1 Mbit/s. */
const STREAMED_ANSWER_MS = 120_000;

/** An answer with a status, or the outcome of a call that got none. */
export type CallResult =
  | { answered: true; answer: HttpAnswer }
  | { answered: false; outcome: SendOutcome };

export interface HttpCalls {
  /** Calls once, without redirect and retry, with a timeout to connect and one to answer. Never rejects. */
  post(call: HttpCall): Promise<CallResult>;
  close(): Promise<void>;
}

/** Creates the kept-alive, bounded connections of one credential, behind the address guard. */
export function createHttpCalls(
  context: ProviderDeps & Pick<ProviderContext, "maxCalls">,
): HttpCalls {
  const { allowPrivateAddresses, resolve, timeoutMs, maxCalls, clock } = context;
  const { messageAnswerMs: streamedAnswerMs = STREAMED_ANSWER_MS } = context;
  const agent = guardedAgent({
    connections: maxCalls,
    connectTimeoutMs: timeoutMs,
    allowPrivateAddresses,
    ...(resolve && { resolve }),
  });
  return {
    async post(call) {
      const timeout = startCallTimeout(timeoutMs, clock);
      let isCut = call.body instanceof StreamedBody;
      const result = await postOnce(agent, call, {
        signal: timeout.signal,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        onBegin: () => timeout.renew(timeoutMs),
        onPiece(isLast) {
          if (isLast) isCut = false;
          timeout.renew(isLast ? streamedAnswerMs : timeoutMs);
        },
      });
      timeout.end();
      if (result.answered) return result;
      // A vendor that did not get the whole body cannot have accepted the message.
      const begun = result.begun && !isCut;
      return { answered: false, outcome: unanswered(result.error, begun) };
    },
    close: () => agent.close(),
  };
}

/** Returns the outcome of a call that got no status. `begun`: the other side may have the message. */
export function unanswered(error: unknown, begun: boolean): SendOutcome {
  const code = errorCode(error);
  if (error instanceof AddressRefused) return outcome("credentials", error.message);
  if (!begun) return outcome("transient", storedReason("no-connection-to-vendor", { code }));
  return outcome("ambiguous", storedReason("no-answer", { code }));
}

export type HttpMethod = "POST" | "PUT" | "PATCH";

export interface HttpCall {
  url: string;
  /** Default: POST. */
  method?: HttpMethod;
  headers: Record<string, string>;
  body: string | Buffer | StreamedBody;
}

/**
 * An answer with a status, or the error of a call that got none. `begun`: the other side may have read some of the
 * request. `wasIdle`: a kept connection ended before any of the answer arrived, for example because the other side
 * closed it as idle at that moment.
 */
export type PostResult =
  | { answered: true; answer: HttpAnswer }
  | { answered: false; error: unknown; begun: boolean; wasIdle: boolean };

export interface GuardedAgentOptions extends GuardOptions {
  /** Most connections to one host at a time; undefined: as many as there are calls. */
  connections?: number;
  connectTimeoutMs: number;
  /** If false, each call has its own connection. Default: true. */
  keepAlive?: boolean;
}

export interface PostOptions {
  /** Ends the call. If the answer's status has arrived by then, it still counts. */
  signal: AbortSignal;
  /** Most bytes of the answer's body that are read; then the connection is closed. */
  maxAnswerBytes: number;
  onBegin?: () => void;
  /** Called when the connection accepts a piece of a streamed body. After the last, the other side may have it all. */
  onPiece?: (isLast: boolean) => void;
  /** Called when the answer's status and headers have arrived, before its body. */
  onStatus?: () => void;
}

/** Shorter than the 5 s after which many servers close, so that a call seldom uses a connection just closed. */
const KEEP_ALIVE_MS = 4_000;
/** The longest for a server whose `keep-alive: timeout=` allows more. */
const MAX_KEEP_ALIVE_MS = 10_000;
/** Most bytes of one answer's status line and headers. Node's default of 16 KiB is less than real servers send. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Most bytes of one answer with headers and chunk extensions: more than any caller reads, plus the buffers' size. */
const MAX_RECEIVED_BYTES = 1024 * 1024;

/** Creates an agent with kept-alive connections. The address guard checks each new one. */
export function guardedAgent(options: GuardedAgentOptions): Agent {
  return new Agent({
    connections: options.connections ?? null,
    // 0: no connection is kept.
    pipelining: options.keepAlive === false ? 0 : 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: guardedConnector(options),
  });
}

/** Calls once, by POST or the call's method, without redirect and retry. Never rejects. */
export async function postOnce(
  agent: Agent,
  call: HttpCall,
  { signal, maxAnswerBytes, onBegin, onPiece, onStatus }: PostOptions,
): Promise<PostResult> {
  let begun = false;
  const begin = () => {
    begun = true;
    onBegin?.();
  };
  try {
    const response = await request(call.url, {
      method: call.method ?? "POST",
      ...written(call, onPiece),
      signal,
      dispatcher: agent.compose(noteBegin(begin)),
    });
    onStatus?.();
    const text = await readStart(response.body, maxAnswerBytes);
    return {
      answered: true,
      answer: { status: response.statusCode, headers: response.headers, text },
    };
  } catch (error) {
    const wasIdle = error instanceof Error && endsOfIdle.has(error);
    return { answered: false, error, begun, wasIdle };
  }
}

function written({ headers, body }: HttpCall, onPiece: PostOptions["onPiece"]) {
  if (!(body instanceof StreamedBody)) return { headers, body };
  return {
    headers: { ...headers, "content-length": String(body.bytes) },
    body: Readable.from(told(body, onPiece), { objectMode: false, highWaterMark: 1 }),
  };
}

async function* told(body: StreamedBody, onPiece: PostOptions["onPiece"]): AsyncGenerator<Buffer> {
  let left = body.bytes;
  for await (const piece of body.read()) {
    left -= piece.length;
    onPiece?.(left <= 0);
    yield piece;
  }
}

const GET_TIMEOUT_MS = 5_000;

/**
 * GETs a public URL once, over its own connection: follows no redirect and reads at most MAX_ANSWER_BYTES. Resolves to
 * undefined unless the status is 200. Never rejects.
 */
export async function getText(
  url: string,
  guard: GuardOptions = { allowPrivateAddresses: false },
): Promise<string | undefined> {
  const agent = guardedAgent({ ...guard, keepAlive: false, connectTimeoutMs: GET_TIMEOUT_MS });
  try {
    const signal = AbortSignal.timeout(GET_TIMEOUT_MS);
    const response = await request(url, { method: "GET", signal, dispatcher: agent });
    const text = await readStart(response.body, MAX_ANSWER_BYTES);
    return response.statusCode === 200 ? text : undefined;
  } catch {
    return undefined;
  } finally {
    await agent.close();
  }
}

/** Returns the code of a failed call, such as `ECONNREFUSED` or `timeout`. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/**
 * Calls `onBegin` when undici begins to write the request to a connection. Nothing before that (names, connect, TLS,
 * waiting for a free connection) can have reached the other side; everything after it may have.
 */
function noteBegin(onBegin: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        onBegin();
      },
      onRequestUpgrade: (...event) => handler.onRequestUpgrade?.(...event),
      onResponseStart: (...event) => handler.onResponseStart?.(...event),
      onResponseData: (...event) => handler.onResponseData?.(...event),
      onResponseEnd: (...event) => handler.onResponseEnd?.(...event),
      onResponseError: (...event) => handler.onResponseError?.(...event),
    });
}

/** Drops a byte order mark, which some gateways send before their JSON. */
const decoder = new TextDecoder();

async function readStart(body: Dispatcher.ResponseData["body"], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop destroys the stream: an endless answer costs one connection, not memory.
      if (bytes >= maxBytes) break;
    }
  } catch {
    // The status counts, even if the body is incomplete.
  }
  return decoder.decode(Buffer.concat(chunks).subarray(0, maxBytes));
}

function guardedConnector(options: GuardedAgentOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: false,
    // undici passes its options on to net.connect and tls.connect, but its type omits `lookup`.
    ...({ lookup: guardedLookup(options) } as object),
  });
  return (connectOptions, callback) => {
    // `lookup` is not called for a literal address.
    const fault = hostFault(connectOptions.hostname, options);
    if (fault !== null) {
      callback(new AddressRefused(`the host ${fault}`), null);
      return;
    }
    connect(connectOptions, (...result) => {
      // undici omits the socket if there is none.
      if (result[1]) {
        boundReceived(result[1]);
        skipInterimAnswers(result[1]);
        noteEndOfIdle(result[1]);
      }
      callback(...result);
    });
  };
}

/**
 * Closes a connection that sends more than MAX_RECEIVED_BYTES for one request. Nothing else bounds interim
 * answers (1xx), chunk extensions and trailers, which would cost processor time until the call times out.
 */
function boundReceived(socket: Socket): void {
  let written = socket.bytesWritten;
  let atRequest = socket.bytesRead;
  let seen = socket.bytesRead;
  socket.prependListener("readable", () => {
    // Bytes were written, so another request has begun: its answer is counted from here.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      atRequest = seen;
    }
    seen = socket.bytesRead;
    if (seen - atRequest > MAX_RECEIVED_BYTES) {
      const fault = new Error("more was answered than is read");
      socket.destroy(Object.assign(fault, { code: "answer too long" }));
    }
  });
}

/** Matches an interim answer by the first bytes of its status line, but not 101: HTTP ends there. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)/;
const STATUS_BYTES = "HTTP/1.1 100".length;
const NOTHING = Buffer.alloc(0);

/**
 * Drops interim answers (1xx) before undici reads them: undici treats `100 Continue` as a broken connection, but a
 * client has to read on until the final answer (RFC 9110 15.2). Keeps at most a few bytes between two reads.
 */
function skipInterimAnswers(socket: Socket): void {
  const read = socket.read.bind(socket) as () => Buffer | null;
  let written = 0;
  let isFinal = true;
  let isSkipping = false;
  let held = NOTHING;

  /** Returns null if more has to arrive. */
  const withoutInterim = (chunk: Buffer): Buffer | null => {
    let rest = Buffer.concat([held, chunk]);
    held = NOTHING;
    for (;;) {
      if (isSkipping) {
        const end = rest.indexOf("\r\n\r\n");
        if (end === -1) {
          // The end of the headers, of 4 bytes, may be split between two reads.
          held = rest.subarray(-3);
          return null;
        }
        rest = rest.subarray(end + 4);
        isSkipping = false;
      }
      if (rest.length < STATUS_BYTES) {
        held = rest;
        return null;
      }
      isSkipping = INTERIM.test(rest.toString("latin1", 0, STATUS_BYTES));
      isFinal = !isSkipping;
      if (isFinal) return rest;
    }
  };

  socket.read = () => {
    const chunk = read();
    // Bytes were written since the last answer, so the next answer belongs to a new request.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      isFinal = false;
    }
    return chunk === null || isFinal ? chunk : withoutInterim(chunk);
  };
}

/** Errors that ended kept connections after a request was written and before any of its answer came. */
const endsOfIdle = new WeakSet<Error>();

/** Notes such an error. undici rejects the request with the same error object that ended its connection. */
function noteEndOfIdle(socket: Socket): void {
  let writtenWhenAnswered: number | undefined;
  socket.prependListener("readable", () => {
    // `readable` also fires at the end, without data.
    if (socket.readableLength > 0) writtenWhenAnswered = socket.bytesWritten;
  });
  socket.prependListener("error", (error) => {
    if (writtenWhenAnswered === undefined) return;
    if (socket.bytesWritten !== writtenWhenAnswered) endsOfIdle.add(error);
  });
}
