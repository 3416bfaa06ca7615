import { type ClientHttp2Session, connect, constants } from "node:http2";
import { storedReason } from "@belfry/contracts/reasons";
import { AddressRefused, guardedLookup, hostFault } from "./address-guard.ts";
import { type Clock, SYSTEM_CLOCK, startCallTimeout } from "./call-timeout.ts";
import { type CallResult, errorCode, MAX_ANSWER_BYTES, unanswered } from "./http-calls.ts";
import { NoMoreCalls, type ProviderContext } from "./provider.ts";
import { type HttpAnswer, notBegun } from "./send-outcome.ts";

/** Shorter than the few minutes after which networks silently drop idle connections. */
const IDLE_MS = 3 * 60_000;
/** Most bytes that a connection receives in a second: many times what its answers take. */
const MAX_RECEIVED_BYTES = 1024 * 1024;
const SECOND_MS = 1000;

export interface Http2Calls {
  /** POSTs once, with a timeout to connect and one to answer. Rejects with NoMoreCalls alone. */
  post(url: URL, headers: Record<string, string>, body: string): Promise<CallResult>;
  close(): Promise<void>;
}

interface Connection {
  session: ClientHttp2Session;
  /** Resolves when the other side has told its limits. */
  ready: Promise<void>;
  streams: number;
  maxStreams: number;
  /** The last stream that is processed, as the other side says when it ends the connection (GOAWAY). */
  lastId: number;
}

const CLOSED = Object.assign(new Error("the connection was closed"), { code: "closed" });
const { POSITIVE_INFINITY: NO_LIMIT } = Number;

/** Creates the HTTP/2 connections of one credential behind the address guard: one per origin, opened when needed. */
export function createHttp2Calls(context: ProviderContext): Http2Calls {
  const { timeoutMs, maxCalls, limitCalls, clock = SYSTEM_CLOCK } = context;
  const current = new Map<string, Connection>();
  const open = new Set<Connection>();
  const noteLimits = () =>
    limitCalls(Math.min(maxCalls, ...[...open].map((one) => one.maxStreams)));

  const connectionTo = (origin: string): Connection => {
    const kept = current.get(origin);
    if (kept !== undefined && !kept.session.closed) return kept;
    // `lookup` is not called for a literal address.
    const fault = hostFault(new URL(origin).hostname, context);
    if (fault !== null) throw new AddressRefused(`the host ${fault}`);
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    const lookup = { lookup: guardedLookup(context) };
    const session = connect(origin, { settings: { enablePush: false }, ...lookup });
    const none = { streams: 0, maxStreams: NO_LIMIT, lastId: NO_LIMIT };
    const connection: Connection = { session, ready, ...none };
    open.add(connection);
    current.set(origin, connection);
    const timeout = startCallTimeout(timeoutMs, clock);
    timeout.signal.onabort = () => session.destroy(timeout.signal.reason);
    session.on("remoteSettings", ({ maxConcurrentStreams = NO_LIMIT }) => {
      timeout.end();
      connection.maxStreams = maxConcurrentStreams;
      noteLimits();
      resolve();
    });
    session.on("goaway", (_code, lastId) => {
      connection.lastId = lastId;
    });
    session.setTimeout(IDLE_MS, () => session.close());
    session.on("error", reject);
    session.once("close", () => {
      timeout.end();
      open.delete(connection);
      noteLimits();
      reject(CLOSED);
    });
    endFlood(session, clock);
    return connection;
  };

  const exchange = (connection: Connection, headers: Record<string, string>, body: string) => {
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    const { session } = connection;
    const stream = session.request(headers).setEncoding("utf8");
    let answer: HttpAnswer | undefined;
    let error: unknown = CLOSED;
    const timeout = startCallTimeout(timeoutMs, clock);
    timeout.signal.onabort = () => {
      stream.destroy(timeout.signal.reason);
      // The connection may be dead: it gets no further stream, and ends when its others have had their time.
      session.close();
      clock.after(timeoutMs, () => session.destroy(), { ref: false });
    };
    stream.on("response", (received) => {
      answer = { status: Number(received[":status"]), headers: received, text: "" };
    });
    stream.on("data", (piece: string) => {
      answer!.text += piece;
      if (answer!.text.length >= MAX_ANSWER_BYTES) stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", (reason) => {
      error = reason;
    });
    const failure = () => {
      const code = errorCode(error);
      if ((stream.id ?? NO_LIMIT) > connection.lastId) {
        return notBegun(storedReason("no-connection-to-vendor", { code: "GOAWAY" }));
      }
      // A stream that its session's error ended has that error's code, whatever became of its message.
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      return unanswered(error, !(isRefused && code === "ERR_HTTP2_STREAM_ERROR"));
    };
    stream.once("close", () => {
      timeout.end();
      resolve(answer ? { answered: true, answer } : { answered: false, outcome: failure() });
    });
    stream.end(body);
    return promise;
  };

  return {
    async post({ origin, pathname }, headers, body) {
      try {
        const connection = connectionTo(origin);
        await connection.ready;
        if (connection.streams >= connection.maxStreams) throw new NoMoreCalls();
        connection.streams += 1;
        const whole = { ":method": "POST", ":path": pathname, ...headers };
        return await exchange(connection, whole, body).finally(() => {
          connection.streams -= 1;
        });
      } catch (error) {
        if (error instanceof NoMoreCalls) throw error;
        return { answered: false, outcome: unanswered(error, false) };
      }
    },
    async close() {
      for (const { session } of open) session.destroy();
    },
  };
}

/** Ends a connection that floods us with frames. Node.js does so only for PING and SETTINGS. */
function endFlood(session: ClientHttp2Session, clock: Clock, seen = 0): void {
  if (session.destroyed) return;
  const { bytesRead } = session.socket;
  if (bytesRead - seen > MAX_RECEIVED_BYTES) session.destroy();
  else clock.after(SECOND_MS, () => endFlood(session, clock, bytesRead), { ref: false });
}
