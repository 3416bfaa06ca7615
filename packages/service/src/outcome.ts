import type { Logger } from "./logger.ts";

/** A message as a handler sees it. */
export interface Message {
  data: Uint8Array;
  subject: string;
  /** 1 at first; counts every delivery, a crash of the receiver included. */
  deliveryCount: number;
  streamSequence: number;
}

/** What became of one message: handled; to be handled later, for a fault of ours; never to be handled. */
export type Outcome =
  | { kind: "done" }
  | { kind: "retry"; delayMs: number; reason: string }
  | { kind: "reject"; reason: string };

export const DONE: Outcome = { kind: "done" };

/**
 * Handles a batch and returns one outcome a message, in order. A throw is a fault of ours: the batch is
 * run again message by message, and the one that throws alone is delivered again later. So handling a
 * message twice must do no harm.
 */
export type MessageHandler = (
  messages: Message[],
  context: { log: Logger; signal: AbortSignal },
) => Promise<Outcome[]>;

/** Keeps a message that will never be handled, with the reason, for people to see. */
export type SetAside = (message: Message, reason: string) => Promise<void>;
