import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import type { Patience } from "./patience.ts";
import { NoMoreCalls } from "./provider.ts";
import { NotAccepted, notBegun } from "./send-outcome.ts";
import { smtpFailure } from "./smtp-failure.ts";
import type { SmtpSession } from "./smtp-session.ts";

/** A server may hang up after five minutes (RFC 5321, 4.5.3.2.7); we do so well before. */
const IDLE_MS = 60_000;
/** What a server was seen to bear is tried again after this. */
const LEARNED_MS = 10 * 60_000;
/** A server that refuses a connection this soon after it took a message is up: others use what it bears. */
const RECENTLY_MS = 10_000;
/** By which a server that takes others refuses a connection without a word. */
const CLOSED = ["ECONNREFUSED", "ECONNRESET", "ECONNECTION"];

export interface SmtpSessionsOptions {
  /** Rejects with what `smtpFailure` reads. */
  open(patience: Patience): Promise<SmtpSession>;
  /** Of the settings: what nobody has seen to be too many. */
  maxConnections: number;
  maxMessages: number;
  /** Called with how many connections the server bears, whenever that is seen anew. */
  limitCalls(most: number): void;
  clock?: Clock | undefined;
}

/** The connections of one account, and what its server has shown that it bears. */
export function createSmtpSessions(options: SmtpSessionsOptions) {
  const { clock = SYSTEM_CLOCK } = options;
  const idle = new Map<SmtpSession, NodeJS.Timeout>();
  const closing = new Set<Promise<void>>();
  /** Being opened, in use, idle or closing. */
  let there = 0;
  /** Of these, those that the server has taken. */
  let taken = 0;
  let connections = options.maxConnections;
  let messages = options.maxMessages;
  let learnedAt = Number.NEGATIVE_INFINITY;
  let workedAt = Number.NEGATIVE_INFINITY;

  const bear = (most: { connections?: number; messages?: number }) => {
    connections = most.connections ?? connections;
    messages = most.messages ?? messages;
    learnedAt = clock.nowMs();
    options.limitCalls(connections);
  };
  const forget = () => {
    const isOld = clock.nowMs() - learnedAt > LEARNED_MS;
    if (isOld && (connections < options.maxConnections || messages < options.maxMessages)) {
      bear({ connections: options.maxConnections, messages: options.maxMessages });
    }
  };
  const close = (session: SmtpSession) => {
    clearTimeout(idle.get(session));
    idle.delete(session);
    session.quit();
    const gone = session.closed.then(() => void closing.delete(gone));
    closing.add(gone);
  };
  const open = async (patience: Patience) => {
    there += 1;
    try {
      const session = await options.open(patience);
      taken += 1;
      void session.closed.then(() => {
        there -= 1;
        taken -= 1;
      });
      return session;
    } catch (error) {
      there -= 1;
      // No access token to log in with, or no time left: that says nothing of connections.
      const isOurs = error instanceof NotAccepted || patience.signal.aborted;
      throw isOurs ? error : refused(error);
    }
  };
  /** What to throw where no connection was to be had. */
  const refused = (error: unknown): unknown => {
    const failure = smtpFailure(error, false, []);
    if (failure.class !== "transient" && failure.class !== "throttled") return error;
    if (there > 0) {
      // Where the server was not reached, that says nothing of how many it takes.
      const { code } = (error ?? {}) as { code?: unknown };
      const isClosed = taken > 0 && CLOSED.some((one) => one === code);
      if (failure.vendorStatus === null && !isClosed) return error;
      // Refused beside others that it bears.
      bear({ connections: there });
      return new NoMoreCalls();
    }
    bear({ connections: options.maxConnections });
    const isUp = failure.vendorStatus !== null && clock.nowMs() - workedAt < RECENTLY_MS;
    return isUp
      ? new NotAccepted(notBegun("the mail server takes no other connection now"))
      : error;
  };

  return {
    /**
     * The one that was used last, else a new one. Rejects with NoMoreCalls where the server does not take
     * another beside those that are there, and as `openSmtpSession` does.
     */
    async take(patience: Patience): Promise<SmtpSession> {
      forget();
      for (const session of [...idle.keys()].reverse()) {
        clearTimeout(idle.get(session));
        idle.delete(session);
        if (session.isOpen) return session;
      }
      // For the server they are there until they are closed.
      while (there >= connections && closing.size > 0) await Promise.race(closing);
      return await open(patience);
    },
    /** After a message; `hasWorked`: the server took it. */
    give(session: SmtpSession, hasWorked: boolean) {
      if (hasWorked) workedAt = clock.nowMs();
      if (!session.isOpen || session.messages >= messages) close(session);
      else idle.set(session, setTimeout(close, IDLE_MS, session).unref());
    },
    /** The server wants no more messages of this one. */
    leave: close,
    /** A session took so many messages and no more, and a new one the next. */
    learnMessages(most: number) {
      bear({ messages: Math.min(messages, Math.max(1, most)) });
    },
    close() {
      for (const session of [...idle.keys()]) close(session);
    },
  };
}
