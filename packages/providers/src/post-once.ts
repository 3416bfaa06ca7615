import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, request } from "undici";
import { AddressRefused, type GuardOptions, guardedLookup, hostFault } from "./address-guard.ts";

export interface HttpCall {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The start of the body, or what had come of it when it broke off; as it was sent, not decompressed. */
  text: string;
}

/**
 * An answer with a status, or what a call failed by that got none; `begun`: some of it may have been read;
 * `wasIdle`: it met a kept connection that ended before anything of the answer came, as when the other side
 * closes it for being idle just then.
 */
export type PostResult =
  | { answered: true; answer: HttpAnswer }
  | { answered: false; error: unknown; begun: boolean; wasIdle: boolean };

export interface GuardedAgentOptions extends GuardOptions {
  /** To one host at a time; undefined: as many as there are calls. */
  connections?: number;
  connectTimeoutMs: number;
  /** False: each call has a connection of its own. Default: true. */
  keepAlive?: boolean;
}

export interface PostOptions {
  /** Ends the call. An answer's status that has come by then stands. */
  signal: AbortSignal;
  /** How much of the answer's body is read; then its connection is closed. */
  maxAnswerBytes: number;
  onBegin?: () => void;
  /** The answer's status and headers have come, and its body follows. */
  onStatus?: () => void;
}

/** Shorter than the 5 s after which many servers close, so that a call seldom meets a connection just closed. */
const KEEP_ALIVE_MS = 4_000;
/** For a server whose `keep-alive: timeout=` says that it waits longer. */
const MAX_KEEP_ALIVE_MS = 10_000;
/** Of one answer's status line and headers. Node's default of 16 KiB is less than what real servers send. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Of one answer, with all that is no body: beyond what any caller reads of it, and what stands in buffers. */
const MAX_RECEIVED_BYTES = 1024 * 1024;

/** Kept-alive connections behind the address guard, which looks at every one that is made. */
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

/** POSTs once: no redirect followed, no retry. Never rejects. */
export async function postOnce(
  agent: Agent,
  call: HttpCall,
  { signal, maxAnswerBytes, onBegin, onStatus }: PostOptions,
): Promise<PostResult> {
  let begun = false;
  const begin = () => {
    begun = true;
    onBegin?.();
  };
  try {
    const response = await request(call.url, {
      method: "POST",
      headers: call.headers,
      body: call.body,
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

/** What tells one failure of a call from another: `ECONNREFUSED`, `timeout` … */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/**
 * Notes when undici begins to write the request to a connection. Everything before (names, connect,
 * TLS, waiting for a free connection) cannot have reached the other side; everything after may have.
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
    // The status stands; whoever needs the body finds it incomplete.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString();
}

function guardedConnector(options: GuardedAgentOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: false,
    // undici hands its options on to net.connect and tls.connect; its type leaves `lookup` out.
    ...({ lookup: guardedLookup(options) } as object),
  });
  return (connectOptions, callback) => {
    // A literal address never reaches `lookup`.
    const fault = hostFault(connectOptions.hostname, options);
    if (fault !== null) {
      callback(new AddressRefused(`the host ${fault}`), null);
      return;
    }
    connect(connectOptions, (...result) => {
      // undici leaves the socket out where there is none.
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
 * Closes a connection that sends more than this for one request: interim answers (1xx), chunk extensions and
 * trailers have no bound else, and cost the processor time for as long as a call may take.
 */
function boundReceived(socket: Socket): void {
  let written = socket.bytesWritten;
  let atRequest = socket.bytesRead;
  let seen = socket.bytesRead;
  socket.prependListener("readable", () => {
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

/** An interim answer, by the first bytes of its status line; 101 ends what HTTP is. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)/;
const STATUS_BYTES = "HTTP/1.1 100".length;
const NOTHING = Buffer.alloc(0);

/**
 * Leaves interim answers (1xx) out of what is read: undici takes `100 Continue` for a broken connection, but a
 * client has to read on until the final answer (RFC 9110 15.2). Keeps no more than a few bytes between two reads.
 */
function skipInterimAnswers(socket: Socket): void {
  const read = socket.read.bind(socket) as () => Buffer | null;
  let written = 0;
  let isFinal = true;
  let isSkipping = false;
  let held = NOTHING;

  /** Null: more has to come. */
  const withoutInterim = (chunk: Buffer): Buffer | null => {
    let rest = Buffer.concat([held, chunk]);
    held = NOTHING;
    for (;;) {
      if (isSkipping) {
        const end = rest.indexOf("\r\n\r\n");
        if (end === -1) {
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
    // The first answer after a request: what was written belongs to it.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      isFinal = false;
    }
    return chunk === null || isFinal ? chunk : withoutInterim(chunk);
  };
}

/** By what kept connections ended when a request had been written and nothing had come of its answer. */
const endsOfIdle = new WeakSet<Error>();

/** undici gives the request the very error that its connection ended by. */
function noteEndOfIdle(socket: Socket): void {
  let writtenWhenAnswered: number | undefined;
  socket.prependListener("readable", () => {
    // The end is readable, too.
    if (socket.readableLength > 0) writtenWhenAnswered = socket.bytesWritten;
  });
  socket.prependListener("error", (error) => {
    if (writtenWhenAnswered === undefined) return;
    if (socket.bytesWritten !== writtenWhenAnswered) endsOfIdle.add(error);
  });
}
