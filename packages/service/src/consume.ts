import type { ConsumerDefinition, StreamDefinition } from "@belfry/contracts/streams";
import {
  deadline,
  type NatsConnection,
  type QueuedIterator,
  type Status,
} from "@nats-io/transport-node";
import { countMessages, watchConsumer } from "./consumer-metrics.ts";
import type { Logger } from "./logger.ts";
import { canWork, runBatch } from "./message-batch.ts";
import type { MessageHandler, SetAside, Tries } from "./message-outcome.ts";
import { pause } from "./pause.ts";
import { openPull, type Pull, type PulledMessage } from "./pull.ts";
import { ensureConsumer } from "./streams.ts";

const DRAIN_TIMEOUT_MS = 2000;
const FLUSH_TIMEOUT_MS = 2000;
const REOPEN_MS = 250;
const CANNOT_WORK_MS = 500;
/** How long a yes of `canWork` holds: it may cost a query. */
const ABLE_FOR_MS = 500;
const LONGEST_REST_MS = 10_000;

export interface ConsumeLoopOptions {
  nc: NatsConnection;
  /** Both are created, or created again when the server has lost them. */
  stream: StreamDefinition;
  consumer: ConsumerDefinition;
  replicas?: number;
  handler: MessageHandler;
  /** At most this many messages a call of the handler. */
  batchSize: number;
  /** Once a first message is there, how long to wait for a fuller batch. Default 0: take what came with it. */
  maxWaitMs?: number;
  /** At most this many calls of the handler at a time. Default 1. */
  concurrency?: number;
  setAside: SetAside;
  tries: Tries;
  /**
   * Whether what the handler needs (Postgres, and that it takes writes) is there; while it is not,
   * nothing is pulled.
   */
  canWork?: () => boolean | Promise<boolean>;
  /** Called when the consumer is there and the first messages may come. */
  onStarted?: () => void;
  log: Logger;
  /** Ends the loop: nothing more is pulled, what is in hand is finished and acknowledged. */
  signal: AbortSignal;
}

/**
 * Feeds a handler from a durable consumer until the signal, through every loss of NATS. At most
 * `batchSize × concurrency` messages are in hand. Resolves once all of them are settled and the server
 * has been told; throws StreamMismatch alone.
 */
export async function consumeLoop(options: ConsumeLoopOptions): Promise<void> {
  const { nc, consumer, signal } = options;
  using _lag = watchConsumer(nc, options.stream, consumer.durable);
  const log = options.log.child({ consumer: consumer.durable });
  const intake = createIntake({ ...options, log });
  const statuses = nc.status() as QueuedIterator<Status>;
  const watch = async () => {
    for await (const { type } of statuses) if (type === "reconnect") intake.reconnected();
  };
  watch().catch((err) => log.error({ err }, "NATS status ended"));
  try {
    while (!signal.aborted && !nc.isClosed()) {
      const { stream, replicas = 1 } = options;
      await ensureConsumer(nc, stream, consumer, { replicas, log, signal }).catch((err) => {
        if (!signal.aborted) throw err;
      });
      if (signal.aborted) break;
      const why = await intake.run();
      if (signal.aborted) break;
      log.warn({ why }, "the consumer does not answer: looking after it");
      await pause(REOPEN_MS, signal);
    }
  } finally {
    statuses.stop();
    await intake.finish();
  }
  if (!nc.isClosed()) {
    await deadline(nc.flush(), FLUSH_TIMEOUT_MS).catch((err) =>
      log.warn({ err }, "acknowledgements may not have arrived"),
    );
  }
}

function createIntake(options: ConsumeLoopOptions) {
  const { nc, consumer, batchSize, concurrency = 1, maxWaitMs = 0, log, signal } = options;
  const waiting: PulledMessage[] = [];
  const running = new Set<Promise<void>>();
  let inHand = 0;
  let oldestAt = 0;
  let failedInARow = 0;
  let restUntil = 0;
  let ableUntil = 0;
  let closing = false;
  let pull: Pull | undefined;
  let stepScheduled = false;
  let fillTimer: NodeJS.Timeout | undefined;
  let onLost: (why: string) => void = () => undefined;

  /** After the present turn of the event loop, so that what arrived together is handled together. */
  const step = () => {
    if (stepScheduled) return;
    stepScheduled = true;
    setImmediate(() => {
      stepScheduled = false;
      startBatches();
      ask().catch((err) => log.error({ err }, "could not pull"));
    });
  };

  const startBatches = () => {
    while (waiting.length > 0 && running.size < concurrency) {
      const leftMs = oldestAt + maxWaitMs - performance.now();
      if (waiting.length < batchSize && leftMs > 0 && !closing) {
        clearTimeout(fillTimer);
        fillTimer = setTimeout(step, leftMs);
        return;
      }
      const batch = waiting.splice(0, batchSize);
      oldestAt = performance.now();
      const run = runBatch(batch, { ...options, ackWaitMs: consumer.ackWaitMs }).then((result) => {
        countMessages(consumer.durable, result);
        running.delete(run);
        inHand -= batch.length;
        failedInARow = result.allFailed ? failedInARow + 1 : 0;
        if (failedInARow > 0) {
          ableUntil = 0;
          restUntil = performance.now() + Math.min(LONGEST_REST_MS, 250 * 2 ** failedInARow);
        }
        step();
      });
      running.add(run);
    }
  };

  let asking = false;
  const ask = async () => {
    if (asking || pull === undefined || signal.aborted || nc.isClosed() || pull.outstanding() > 0)
      return;
    const lost = pull.lost();
    if (lost !== undefined) return onLost(lost);
    const restMs = restUntil - performance.now();
    if (restMs > 0) return void setTimeout(step, restMs).unref();
    const free = batchSize * concurrency - inHand;
    if (free <= 0) return;
    if (options.canWork !== undefined && performance.now() >= ableUntil) {
      asking = true;
      const able = await canWork(options.canWork);
      asking = false;
      if (!able) return void setTimeout(step, CANNOT_WORK_MS).unref();
      ableUntil = performance.now() + ABLE_FOR_MS;
      // The world went on during the answer.
      return step();
    }
    // After a failure one message is enough to find out whether the trouble is over.
    pull.request(failedInARow > 0 ? 1 : free);
  };

  const onMessage = (message: PulledMessage) => {
    if (waiting.length === 0) oldestAt = performance.now();
    waiting.push(message);
    inHand += 1;
    step();
  };

  return {
    /** Pulls until the signal or until the consumer is lost; resolves with the reason. */
    async run(): Promise<string> {
      const opened = openPull(nc, consumer, onMessage, step);
      pull = opened;
      options.onStarted?.();
      const over = Promise.withResolvers<string>();
      onLost = over.resolve;
      const onAbort = () => over.resolve("aborted");
      signal.addEventListener("abort", onAbort, { once: true });
      nc.closed().then(onAbort, onAbort);
      step();
      const why = await over.promise;
      signal.removeEventListener("abort", onAbort);
      pull = undefined;
      await opened.drain(DRAIN_TIMEOUT_MS);
      return why;
    },
    /**
     * A server that comes back knows nothing of our request, perhaps nothing of the consumer, and to a
     * request for a consumer that it does not know it says nothing at all.
     */
    reconnected(): void {
      pull?.lose("reconnected");
    },
    /** Settles everything in hand. */
    async finish(): Promise<void> {
      closing = true;
      for (;;) {
        startBatches();
        if (running.size === 0) return;
        await Promise.race(running);
      }
    },
  };
}
