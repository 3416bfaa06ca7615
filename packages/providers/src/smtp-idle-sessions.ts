import type { SmtpSession } from "./smtp-session.ts";

/** A server may hang up after five minutes (RFC 5321, 4.5.3.2.7); we do so well before. */
const IDLE_MS = 60_000;
const MAX_MESSAGES_A_CONNECTION = 100;

/** The connections that wait for their next message, each until it has waited too long. */
export function createIdleSessions() {
  const sessions = new Map<SmtpSession, NodeJS.Timeout>();
  const leave = (session: SmtpSession) => {
    clearTimeout(sessions.get(session));
    sessions.delete(session);
    session.quit();
  };
  return {
    /** The one that was used last; undefined when none is open. */
    take(): SmtpSession | undefined {
      for (const session of [...sessions.keys()].reverse()) {
        clearTimeout(sessions.get(session));
        sessions.delete(session);
        if (session.isOpen) return session;
      }
      return undefined;
    },
    put(session: SmtpSession) {
      if (!session.isOpen) return;
      if (session.messages >= MAX_MESSAGES_A_CONNECTION) session.quit();
      else sessions.set(session, setTimeout(leave, IDLE_MS, session).unref());
    },
    close() {
      for (const session of [...sessions.keys()]) leave(session);
    },
  };
}
