import type { ConsumerDefinition, StreamDefinition } from "@belfry/contracts/streams";
import type { ConsumerInfo } from "@nats-io/jetstream";
import {
  deadline,
  type NatsConnection,
  type QueuedIterator,
  type Status,
} from "@nats-io/transport-node";
import type { Logger } from "./logger.ts";
import {
  type BatchResult,
  canWork,
  type MessageHandler,
  type PulledMessage,
  runBatch,
  type SetAside,
  type Tries,
} from "./message-batch.ts";
import { counter, gauge } from "./metrics.ts";
import { pause } from "./pause.ts";
import { openPull, type Pull } from "./pull.ts";
import { ensureConsumer, managerOf } from "./streams.ts";

const DRAIN_TIMEOUT_MS = 2000;
const FLUSH_TIMEOUT_MS = 2000;
const REOPEN_MS = 250;
const CANNOT_WORK_MS = 500;
/** The time in ms for which a positive answer of `canWork` is cached, because it may cost a query. */
const ABLE_FOR_MS = 500;
const LONGEST_REST_MS = 10_000;

export interface ConsumeLoopOptions {
  nc: NatsConnection;
  /** The stream. It and the consumer are created, and created again if the server has lost them. */
  stream: StreamDefinition;
  consumer: ConsumerDefinition;
  replicas?: number;
  handler: MessageHandler;
  /** The maximum number of messages per call of the handler. */
  batchSize: number;
  /** The time in ms that a message waits for others to fill its batch. Default 0: for those that arrived with it. */
  maxWaitMs?: number;
  /** The maximum number of calls of the handler at a time. Default 1. */
  concurrency?: number;
  setAside: SetAside;
  tries: Tries;
  /**
   * Whether the handler can work, for example because Postgres accepts writes. While it cannot, nothing is pulled.
   */
  canWork?: () => boolean | Promise<boolean>;
  /** Called when the consumer exists, so that messages can arrive. */
  onStarted?: () => void;
  log: Logger;
  /** Ends the loop. Nothing more is pulled, and messages in hand are finished and acknowledged. */
  signal: AbortSignal;
}

/**
 * Passes messages of a durable consumer to a handler until the signal, and survives every loss of NATS. At most
 * `batchSize × concurrency` messages are in hand. Resolves when all are settled and the acknowledgements are flushed.
 * Throws only StreamMismatch.
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
      log.warn({ why }, "the consumer does not answer: opening it again");
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

  /** Runs after the current iteration of the event loop, so that messages that arrive together are handled together. */
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
      // The state may have changed during the check.
      return step();
    }
    // After a failure, one message is enough to test whether the fault is over.
    pull.request(failedInARow > 0 ? 1 : free);
  };

  const onMessage = (message: PulledMessage) => {
    if (waiting.length === 0) oldestAt = performance.now();
    waiting.push(message);
    inHand += 1;
    step();
  };

  return {
    /** Pulls until the signal or until the consumer is lost. Resolves to the reason. */
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
     * Gives up the current pull after a reconnect. The server has lost our request and perhaps the consumer, and does
     * not answer requests for unknown consumers.
     */
    reconnected(): void {
      pull?.lose("reconnected");
    },
    /** Settles all messages in hand. */
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

const handled = counter("belfry_messages_total", "JetStream messages by result", [
  "consumer",
  "outcome",
]);

function countMessages(durable: string, { done, retried, setAside }: BatchResult): void {
  for (const [outcome, count] of Object.entries({ done, retried, set_aside: setAside })) {
    handled.inc({ consumer: durable, outcome }, count);
  }
}

/** The consumers whose lag the gauges show. */
const watched = new Set<{ nc: NatsConnection; stream: string; durable: string }>();

for (const [name, help, value] of [
  [
    "belfry_consumer_waiting_messages",
    "Messages that no replica has taken yet",
    (info: ConsumerInfo) => info.num_pending,
  ],
  [
    "belfry_consumer_unacknowledged_messages",
    "Messages in some replica's hands",
    (info: ConsumerInfo) => info.num_ack_pending,
  ],
  [
    "belfry_consumer_redelivered_messages",
    "Of the unacknowledged, those that were delivered more than once",
    (info: ConsumerInfo) => info.num_redelivered,
  ],
] as const) {
  gauge(name, help, ["consumer"], async (it) => {
    for (const info of await readInfos()) it.set({ consumer: info.name }, value(info));
  });
}

/** Shows a consumer's lag in the gauges until the result is disposed. Each scrape reads it from the server. */
function watchConsumer(nc: NatsConnection, stream: StreamDefinition, durable: string): Disposable {
  const one = { nc, stream: stream.name, durable };
  // The counters start at zero, so that Prometheus sees the first message set aside as an increase.
  countMessages(durable, { done: 0, retried: 0, setAside: 0, allFailed: false });
  watched.add(one);
  return { [Symbol.dispose]: () => void watched.delete(one) };
}

let infos: Promise<ConsumerInfo[]> | undefined;
/** Reads the consumers' state. All gauges of a scrape share one request per consumer. */
function readInfos(): Promise<ConsumerInfo[]> {
  infos ??= Promise.all(
    [...watched].map(async ({ nc, stream, durable }) =>
      (await managerOf(nc)).consumers.info(stream, durable),
    ),
  ).finally(() => {
    infos = undefined;
  });
  return infos;
}
