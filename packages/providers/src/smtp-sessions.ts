import { connect, isIPv6, type Socket } from "node:net";
import type { Readable } from "node:stream";
import SMTPConnection, {
  type SMTPConnectionCustomAuthHandler,
  type SMTPConnectionOptions,
  type SMTPConnectionSendInfo,
  type SMTPEnvelope,
} from "nodemailer/lib/smtp-connection";
import { AddressRefused, guardedLookup, hostFault } from "./address-guard.ts";
import { type CallTimeout, type Clock, SYSTEM_CLOCK } from "./call-timeout.ts";
import { NoMoreCalls, type ProviderDeps } from "./provider.ts";
import { NotAccepted, notBegun } from "./send-outcome.ts";
import { smtpFailure } from "./smtp-failure.ts";

/** A server may close an idle connection after five minutes (RFC 5321, 4.5.3.2.7). We close it well before. */
const IDLE_MS = 60_000;
/** The time after which we try the configured limits again, though the server has shown lower ones. */
const LEARNED_MS = 10 * 60_000;
/** A server that accepted a message this recently is up. If it refuses a connection, other clients use its capacity. */
const RECENTLY_MS = 10_000;
/** Error codes of connections that a server refuses without a reply, though it is up. */
const CLOSED = ["ECONNREFUSED", "ECONNRESET", "ECONNECTION"];

export interface SmtpSessionsOptions {
  /** Opens a session. Rejects with an error that `smtpFailure` can read. */
  open(timeout: CallTimeout): Promise<SmtpSession>;
  /** The maximum number of connections, from the settings. */
  maxConnections: number;
  maxMessages: number;
  /** Called with the number of connections that the server accepts, whenever a limit changes. */
  limitCalls(most: number): void;
  clock?: Clock | undefined;
}

/** Creates the pool of an account's connections. It learns the limits of the server from its refusals. */
export function createSmtpSessions(options: SmtpSessionsOptions) {
  const { clock = SYSTEM_CLOCK } = options;
  const idle = new Map<SmtpSession, NodeJS.Timeout>();
  const closing = new Set<Promise<void>>();
  /** The number of connections that are being opened, in use, idle or closing. */
  let there = 0;
  /** The number of connections in `there` that the server has accepted. */
  let taken = 0;
  let connections = options.maxConnections;
  let messages = options.maxMessages;
  let learnedAt = Number.NEGATIVE_INFINITY;
  let workedAt = Number.NEGATIVE_INFINITY;

  const setLimits = (most: { connections?: number; messages?: number }) => {
    connections = most.connections ?? connections;
    messages = most.messages ?? messages;
    learnedAt = clock.nowMs();
    options.limitCalls(connections);
  };
  const forget = () => {
    const isOld = clock.nowMs() - learnedAt > LEARNED_MS;
    if (isOld && (connections < options.maxConnections || messages < options.maxMessages)) {
      setLimits({ connections: options.maxConnections, messages: options.maxMessages });
    }
  };
  const close = (session: SmtpSession) => {
    clearTimeout(idle.get(session));
    idle.delete(session);
    session.quit();
    const gone = session.closed.then(() => void closing.delete(gone));
    closing.add(gone);
  };
  const open = async (timeout: CallTimeout) => {
    there += 1;
    try {
      const session = await options.open(timeout);
      taken += 1;
      void session.closed.then(() => {
        there -= 1;
        taken -= 1;
      });
      return session;
    } catch (error) {
      there -= 1;
      // A missing access token or a timeout is not about the number of connections.
      const isOurs = error instanceof NotAccepted || timeout.signal.aborted;
      throw isOurs ? error : refused(error);
    }
  };
  /** Returns the error to throw if no connection could be opened, and learns the server's limit from it. */
  const refused = (error: unknown): unknown => {
    const failure = smtpFailure(error, false, []);
    if (failure.class !== "transient" && failure.class !== "throttled") return error;
    if (there > 0) {
      // If the server was not reached, the error is not about its limit.
      const { code } = (error ?? {}) as { code?: unknown };
      const isClosed = taken > 0 && CLOSED.some((one) => one === code);
      if (failure.vendorStatus === null && !isClosed) return error;
      // The server keeps the other connections and refuses this one.
      setLimits({ connections: there });
      return new NoMoreCalls();
    }
    setLimits({ connections: options.maxConnections });
    const isUp = failure.vendorStatus !== null && clock.nowMs() - workedAt < RECENTLY_MS;
    return isUp
      ? new NotAccepted(notBegun("the mail server takes no other connection now"))
      : error;
  };

  return {
    /**
     * Returns the idle session that was used last, else opens a new one. Rejects with NoMoreCalls if the server accepts
     * no further connection, and otherwise like `openSmtpSession`.
     */
    async take(timeout: CallTimeout): Promise<SmtpSession> {
      forget();
      for (const session of [...idle.keys()].reverse()) {
        clearTimeout(idle.get(session));
        idle.delete(session);
        if (session.isOpen) return session;
      }
      // The server counts a connection until it is closed.
      while (there >= connections && closing.size > 0) await Promise.race(closing);
      return await open(timeout);
    },
    /** Returns a session to the pool after a message. `hasWorked`: the server accepted the message. */
    give(session: SmtpSession, hasWorked: boolean) {
      if (hasWorked) workedAt = clock.nowMs();
      if (!session.isOpen || session.messages >= messages) close(session);
      else idle.set(session, setTimeout(close, IDLE_MS, session).unref());
    },
    /** Closes a session in which the server accepts no more messages. */
    leave: close,
    /** Lowers the limit: a session accepted `most` messages and refused the next, which a new session accepted. */
    learnMessages(most: number) {
      setLimits({ messages: Math.min(messages, Math.max(1, most)) });
    },
    close() {
      for (const session of [...idle.keys()]) close(session);
    },
  };
}

export interface SmtpTarget extends Omit<SMTPConnectionOptions, "name"> {
  host: string;
  /** Our name in EHLO. If undefined, our IP address is used. */
  name: string | undefined;
  port: number;
  auth: { user: string; pass: string } | null;
}

/** A logged-in connection to a mail server, for one message at a time. */
export interface SmtpSession {
  /** Sends a message. Rejects with nodemailer's error or the signal's reason; the connection may then be closed. */
  send(
    envelope: SMTPEnvelope,
    message: Readable,
    signal: AbortSignal,
  ): Promise<SMTPConnectionSendInfo>;
  readonly isOpen: boolean;
  /** Whether the server accepts addresses and header fields that are not ASCII (RFC 6531). */
  readonly offersSmtpUtf8: boolean;
  /** The number of messages begun so far. */
  readonly messages: number;
  /** Resolves when the server has closed its side, too, or a second after we closed ours. Never rejects. */
  readonly closed: Promise<void>;
  /** Sends QUIT and closes the connection. */
  quit(): void;
}

interface Offers {
  _supportedExtensions: readonly string[];
}

/** The library's timeouts in ms. They are far longer than ours, so that only our timeout ends a call. */
const NEVER_MS = 60 * 60_000;
/** The time in ms for the server to close its side after we closed ours. */
const CLOSE_MS = 1_000;

/**
 * Connects, greets, encrypts and logs in: with the access token if there is one, else with the password.
 * Rejects like `send`, or with AddressRefused.
 */
export async function openSmtpSession(
  target: SmtpTarget,
  deps: ProviderDeps,
  signal: AbortSignal,
  accessToken?: string,
): Promise<SmtpSession> {
  const { auth, name, ...options } = target;
  const socket = await openSocket(target.host, target.port, deps, signal);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const connection = new SMTPConnection({
    ...options,
    name: name ?? addressLiteral(socket.localAddress ?? "127.0.0.1"),
    socketCloseTimeout: CLOSE_MS,
    connectionTimeout: NEVER_MS,
    greetingTimeout: NEVER_MS,
    socketTimeout: NEVER_MS,
    connection: socket,
  });
  let isOpen = true;
  let messages = 0;
  connection.once("end", () => {
    isOpen = false;
  });
  // An error between two exchanges would end the process without a listener. "end" follows it and ends the session.
  connection.on("error", () => {});

  /** Runs one exchange with the server until its callback, the end of the connection or our timeout. */
  const exchange = async <Result>(
    begin: (done: (error?: Error | null, result?: Result) => void) => void,
    until: AbortSignal,
  ): Promise<Result> => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    // The exchange's own callback follows at once and has a better error, so it gets the chance to reject first.
    const onEnd = () => queueMicrotask(() => reject(closedError()));
    const onAbort = () => {
      reject(until.reason);
      connection.close();
    };
    connection.on("error", reject);
    connection.on("end", onEnd);
    until.addEventListener("abort", onAbort, { once: true });
    try {
      until.throwIfAborted();
      begin((error, result) => (error ? reject(error) : resolve(result as Result)));
      return await promise;
    } finally {
      connection.off("error", reject);
      connection.off("end", onEnd);
      until.removeEventListener("abort", onAbort);
    }
  };
  const close = (error: unknown): never => {
    connection.close();
    throw error;
  };

  await exchange((done) => connection.connect(done), signal).catch(close);
  if (auth !== null) {
    const login = accessToken === undefined ? auth : { user: auth.user, method: "XOAUTH2" };
    if (accessToken !== undefined) connection.customAuth.set("XOAUTH2", xoauth2(accessToken));
    await exchange<boolean>((done) => connection.login(login, done), signal).catch(close);
  }
  let isDirty = false;
  return {
    async send(envelope, message, until) {
      messages += 1;
      try {
        if (isDirty) await exchange<boolean>((done) => connection.reset(done), until);
        isDirty = true;
        const info = await exchange<SMTPConnectionSendInfo>(
          // The library writes the server's answers into the envelope, so it gets a copy.
          (done) => connection.send({ ...envelope }, message, done),
          until,
        );
        isDirty = false;
        return info;
      } catch (error) {
        // After a refused message the session is still usable. The next message begins with RSET.
        return isRefusal(error) ? Promise.reject(error) : close(error);
      }
    },
    get isOpen() {
      return isOpen;
    },
    get offersSmtpUtf8() {
      // The library stores the answer to EHLO in a private field. By itself, it sends such addresses to any server.
      const { _supportedExtensions: offered } = connection as unknown as Offers;
      return offered.includes("SMTPUTF8") && offered.includes("8BITMIME");
    },
    get messages() {
      return messages;
    },
    closed,
    quit() {
      if (isOpen) connection.quit();
      connection.close();
    },
  };
}

/** Returns a login with XOAUTH2. The library's own login hides the server's reply after the challenge. */
function xoauth2(accessToken: string): SMTPConnectionCustomAuthHandler {
  return async ({ auth, sendCommand }) => {
    const token = `user=${auth.user}\u0001auth=Bearer ${accessToken}\u0001\u0001`;
    const first = await sendCommand(`AUTH XOAUTH2 ${Buffer.from(token).toString("base64")}`);
    // The challenge is JSON that describes the error. The server sends its reply after our empty line.
    const { status } = first.status === 334 ? await sendCommand("") : first;
    if (status !== 235) throw new Error("Invalid login");
  };
}

/** Returns the EHLO name of a host without a domain name: an address literal (RFC 5321, 4.1.3). */
function addressLiteral(address: string): string {
  return isIPv6(address) ? `[IPv6:${address.split("%", 1)[0]}]` : `[${address}]`;
}

function isRefusal(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return (code === "EENVELOPE" || code === "EMESSAGE") && responseCode !== 421;
}

function closedError(): Error {
  return Object.assign(new Error("the connection was closed"), { code: "ECONNECTION" });
}

/** Connects to a checked address. Nodemailer would resolve the host itself, without the address guard. */
async function openSocket(host: string, port: number, deps: ProviderDeps, signal: AbortSignal) {
  const fault = hostFault(host, deps);
  if (fault !== null) throw new AddressRefused(`the host ${fault}`);
  const socket = connect({ host, port, lookup: guardedLookup(deps) });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const onAbort = () => reject(signal.reason);
  socket.once("error", reject);
  socket.once("connect", () => resolve(socket));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off("error", reject);
    signal.removeEventListener("abort", onAbort);
  }
}
