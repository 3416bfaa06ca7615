import { MAX_DELIVERIES_OF_A_MESSAGE, MAX_UNFINISHED_TRIES } from "@belfry/contracts/streams";
import type { Logger } from "./logger.ts";

/** A message as a handler sees it. */
export interface Message {
  data: Uint8Array;
  subject: string;
  /** The number of deliveries, including this one and those to a process that crashed. */
  deliveryCount: number;
  streamSequence: number;
  /** The number of earlier tries during which the process ended; undefined if the message was rarely delivered. */
  unfinishedTries?: number;
}

/** A message with its answers to the server. They are not confirmed: if one is lost, the server redelivers. */
export interface PulledMessage extends Message {
  ack(): void;
  nak(delayMs: number): void;
  term(): void;
  /** Restarts the ack wait. */
  working(): void;
}

/** The outcome of one message. A `retry` is redelivered after `delayMs`; a rejected message is never handled again. */
export type MessageOutcome =
  | { kind: "done" }
  | { kind: "retry"; delayMs: number; reason: string }
  | { kind: "reject"; reason: string };

export const DONE: MessageOutcome = { kind: "done" };

/**
 * Handles a batch and returns one outcome per message, in order. If it throws, the batch is run again message by
 * message, and a message that throws alone is redelivered later. So handling a message twice must do no harm.
 */
export type MessageHandler = (
  messages: Message[],
  context: { log: Logger; signal: AbortSignal },
) => Promise<MessageOutcome[]>;

/**
 * Stores persistently which messages may have crashed a process. The server's count of deliveries does not show this:
 * it also counts our retries, and messages that were in hand together with the faulty one.
 */
export interface Tries {
  /** Stores a try. Resolves to the number of earlier tries of this message that never ended. */
  begin(message: Message): Promise<number>;
  end(message: Message): Promise<void>;
}

/** Stores a message that will never be handled, with the reason, so that people can see it. */
export type SetAside = (message: Message, reason: string) => Promise<void>;

const SECOND_MS = 1000;
const LONGEST_DELAY_MS = 60 * SECOND_MS;
/** If this many messages fail first, the fault is not in the messages, so the other ones are not tried. */
const FAULTS_IN_A_ROW = 3;

export interface BatchOptions {
  handler: MessageHandler;
  setAside: SetAside;
  tries: Tries;
  ackWaitMs: number;
  log: Logger;
  signal: AbortSignal;
  /** Whether the handler's dependencies are available; called when a batch has failed. */
  canWork?: (() => boolean | Promise<boolean>) | undefined;
}

export interface BatchResult {
  done: number;
  retried: number;
  setAside: number;
  /** Whether no message could be handled, so that the fault is not in the messages. */
  allFailed: boolean;
}

/**
 * Runs a batch to its end and answers each message to the server. Never throws. Only this function acks, naks (always
 * with a delay) or terms messages.
 */
export async function runBatch(messages: PulledMessage[], options: BatchOptions) {
  const result: BatchResult = { done: 0, retried: 0, setAside: 0, allFailed: false };
  const keepAlive = setInterval(() => {
    for (const message of messages) message.working();
  }, options.ackWaitMs / 2);
  try {
    const [frequent, others] = partition(messages);
    let anyWorked = false;
    if (others.length > 0 && (await handle(others, options, result))) anyWorked = true;
    for (const message of frequent) {
      if (await handleNoted(message, options, result)) anyWorked = true;
    }
    result.allFailed = !anyWorked;
  } finally {
    clearInterval(keepAlive);
  }
  return result;
}

function partition(messages: PulledMessage[]): [PulledMessage[], PulledMessage[]] {
  const frequent: PulledMessage[] = [];
  const others: PulledMessage[] = [];
  for (const message of messages) {
    (message.deliveryCount > MAX_DELIVERIES_OF_A_MESSAGE ? frequent : others).push(message);
  }
  return [frequent, others];
}

/** Handles one message alone, so that if the process crashes, this message is the cause. */
async function handleNoted(message: PulledMessage, options: BatchOptions, result: BatchResult) {
  const { tries, log } = options;
  let unfinishedTries: number;
  try {
    unfinishedTries = await tries.begin(message);
  } catch (err) {
    log.error({ err, ...placeOf(message) }, "a try could not be noted: later");
    await settle(message, faultOutcome(message), options, result);
    return false;
  }
  let worked = true;
  if (unfinishedTries < MAX_UNFINISHED_TRIES) {
    worked = await handle([{ ...message, unfinishedTries }], options, result);
  } else {
    const reason = "ended the process too often";
    await settle(message, { kind: "reject", reason }, options, result);
  }
  await tries.end(message).catch((err) => log.warn({ err }, "a try could not be struck out"));
  return worked;
}

/** Handles messages. Resolves to whether any of them could be handled. */
async function handle(messages: PulledMessage[], options: BatchOptions, result: BatchResult) {
  const { log } = options;
  let failure: unknown;
  try {
    const outcomes = await call(messages, options);
    for (const [at, message] of messages.entries()) {
      await settle(message, outcomes[at]!, options, result);
    }
    return true;
  } catch (err) {
    failure = err;
  }
  const isOurs = options.canWork !== undefined && !(await canWork(options.canWork));
  if (messages.length === 1 || isOurs) {
    log.error({ err: failure, messages: messages.length }, "messages could not be handled");
    for (const message of messages) await settle(message, faultOutcome(message), options, result);
    return false;
  }
  log.warn({ err: failure, messages: messages.length }, "batch failed: running it one by one");
  return await handleOneByOne(messages, options, result);
}

async function handleOneByOne(
  messages: PulledMessage[],
  options: BatchOptions,
  result: BatchResult,
): Promise<boolean> {
  let faults = 0;
  let anyWorked = false;
  for (const message of messages) {
    let outcome = faultOutcome(message);
    if (anyWorked || faults < FAULTS_IN_A_ROW) {
      try {
        outcome = (await call([message], options))[0]!;
        anyWorked = true;
      } catch (err) {
        faults += 1;
        options.log.error({ err, ...placeOf(message) }, "message could not be handled");
      }
    }
    await settle(message, outcome, options, result);
  }
  return anyWorked;
}

async function call(messages: PulledMessage[], options: BatchOptions): Promise<MessageOutcome[]> {
  const { handler, log, signal } = options;
  const outcomes = await handler(messages, { log, signal });
  if (outcomes.length !== messages.length) {
    throw new Error(`handler gave ${outcomes.length} outcomes for ${messages.length} messages`);
  }
  return outcomes;
}

async function settle(
  message: PulledMessage,
  outcome: MessageOutcome,
  options: BatchOptions,
  result: BatchResult,
): Promise<void> {
  switch (outcome.kind) {
    case "done":
      message.ack();
      result.done += 1;
      return;
    case "retry":
      message.nak(outcome.delayMs);
      result.retried += 1;
      return;
    case "reject":
      try {
        await options.setAside(message, outcome.reason);
        options.log.error({ reason: outcome.reason, ...placeOf(message) }, "message set aside");
        message.term();
        result.setAside += 1;
      } catch (err) {
        options.log.error({ err, ...placeOf(message) }, "message could not be set aside");
        message.nak(faultDelayMs(message.deliveryCount));
        result.retried += 1;
      }
  }
}

function faultOutcome(message: PulledMessage): MessageOutcome {
  return { kind: "retry", delayMs: faultDelayMs(message.deliveryCount), reason: "fault" };
}

/** Returns 1 s, doubled with each delivery, at most a minute, reduced at random by up to half. In ms. */
export function faultDelayMs(deliveryCount: number, random: () => number = Math.random): number {
  const most = Math.min(LONGEST_DELAY_MS, SECOND_MS * 2 ** (deliveryCount - 1));
  return Math.round(most * (1 - random() / 2));
}

export async function canWork(check: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}

function placeOf(message: PulledMessage) {
  const { subject, streamSequence, deliveryCount } = message;
  return { subject, streamSequence, deliveryCount };
}
