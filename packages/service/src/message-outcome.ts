import type { Logger } from "./logger.ts";

/** A message as a handler sees it. */
export interface Message {
  data: Uint8Array;
  subject: string;
  /** 1 at first; counts every delivery, a crash of the receiver included. */
  deliveryCount: number;
  streamSequence: number;
  /** Tries of it that began and that no process lived to end; of a message that came seldom nobody knows. */
  unfinishedTries?: number;
}

/** What became of one message: handled; to be handled later, for a fault of ours; never to be handled. */
export type MessageOutcome =
  | { kind: "done" }
  | { kind: "retry"; delayMs: number; reason: string }
  | { kind: "reject"; reason: string };

export const DONE: MessageOutcome = { kind: "done" };

/**
 * Handles a batch and returns one outcome a message, in order. A throw is a fault of ours: the batch is
 * run again message by message, and the one that throws alone is delivered again later. So handling a
 * message twice must do no harm.
 */
export type MessageHandler = (
  messages: Message[],
  context: { log: Logger; signal: AbortSignal },
) => Promise<MessageOutcome[]>;

/**
 * Tries of messages that may have ended a process, remembered beyond its end. The deliveries that the
 * server counts do not tell: they count what we put off ourselves, and what was in hand beside the culprit.
 */
export interface Tries {
  /** Notes a try; resolves to how many of the message began before and never ended. */
  begin(message: Message): Promise<number>;
  end(message: Message): Promise<void>;
}

/** Keeps a message that will never be handled, with the reason, for people to see. */
export type SetAside = (message: Message, reason: string) => Promise<void>;
