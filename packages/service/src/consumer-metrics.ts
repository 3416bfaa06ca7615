import type { StreamDefinition } from "@belfry/contracts/streams";
import { type ConsumerInfo, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { counter, gauge } from "./metrics.ts";

interface Watched {
  nc: NatsConnection;
  stream: string;
  durable: string;
}

const watched = new Set<Watched>();
const managers = new WeakMap<NatsConnection, Promise<JetStreamManager>>();

const handled = counter("belfry_messages_total", "JetStream messages by what became of them", [
  "consumer",
  "outcome",
]);

for (const { name, help, value } of [
  {
    name: "belfry_consumer_waiting_messages",
    help: "Messages that no replica has taken yet",
    value: (info: ConsumerInfo) => info.num_pending,
  },
  {
    name: "belfry_consumer_unacknowledged_messages",
    help: "Messages in some replica's hands",
    value: (info: ConsumerInfo) => info.num_ack_pending,
  },
  {
    name: "belfry_consumer_redelivered_messages",
    help: "Of the unacknowledged, those that were delivered more than once",
    value: (info: ConsumerInfo) => info.num_redelivered,
  },
]) {
  gauge(name, help, ["consumer"], async (it) => {
    for (const info of await readInfos()) it.set({ consumer: info.name }, value(info));
  });
}

/** Shows a consumer's lag from here on; asked of the server at each scrape. Returns what ends it. */
export function watchConsumer(
  nc: NatsConnection,
  stream: StreamDefinition,
  durable: string,
): Disposable {
  const one = { nc, stream: stream.name, durable };
  // From zero on, so that the first one set aside is seen as an increase.
  for (const outcome of ["done", "retried", "set_aside"]) {
    handled.inc({ consumer: durable, outcome }, 0);
  }
  watched.add(one);
  return { [Symbol.dispose]: () => void watched.delete(one) };
}

/** Counts what became of a batch. */
export function countMessages(
  durable: string,
  result: { done: number; retried: number; setAside: number },
): void {
  if (result.done > 0) handled.inc({ consumer: durable, outcome: "done" }, result.done);
  if (result.retried > 0) handled.inc({ consumer: durable, outcome: "retried" }, result.retried);
  if (result.setAside > 0)
    handled.inc({ consumer: durable, outcome: "set_aside" }, result.setAside);
}

let infos: Promise<ConsumerInfo[]> | undefined;
/** One look for all gauges of a scrape. */
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

function managerOf(nc: NatsConnection): Promise<JetStreamManager> {
  let manager = managers.get(nc);
  if (manager === undefined) {
    manager = jetstreamManager(nc, { checkAPI: false });
    managers.set(nc, manager);
  }
  return manager;
}
