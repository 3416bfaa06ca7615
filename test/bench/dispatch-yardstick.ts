/**
 * The yardstick of the dispatch benchmark: a bare consumer of a stream with the same messages that makes
 * one batched insert a batch. It says `warm` after a part of the events and `done` at the end.
 */

import type { QueueItem, QueueMessage } from "@belfry/contracts/streams";
import { AckPolicy, type JsMsg, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";

export interface YardstickWarm {
  type: "warm";
  events: number;
}

export interface YardstickDone {
  type: "done";
  perSecond: number;
}

// biome-ignore lint/style/noProcessEnv: the benchmark's own process has no configuration schema
const { DATABASE_URL, NATS_URL, STREAM = "", EVENTS, WARM_UP } = process.env;
const events = Number(EVENTS);
const warmUp = Number(WARM_UP);
/** As the dispatcher does: so many events a transaction, so many of these at a time. */
const EVENTS_PER_BATCH = 200;
const AT_A_TIME = 2;
const MESSAGES_IN_HAND = 200;

const nc = await connect({ servers: NATS_URL ?? "", noAsyncTraces: true });
const manager = await jetstreamManager(nc, { checkAPI: false });
await manager.consumers.add(STREAM, { durable_name: "yardstick", ack_policy: AckPolicy.Explicit });
const consumer = await jetstream(nc).consumers.get(STREAM, "yardstick");
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: AT_A_TIME });
await pool.query(
  "create table if not exists yardstick (id uuid primary key, trace_id text not null, at timestamptz not null default clock_timestamp())",
);
process.on("disconnect", () => process.exit());

let done = 0;
let firstAt = 0;
let warmAt = 0;
let warmAfter = 0;
let underWay = 0;
const waiting: { message: JsMsg; items: QueueItem[] }[] = [];
const ended = Promise.withResolvers<void>();

const step = () => {
  while (underWay < AT_A_TIME && waiting.length > 0) {
    underWay += 1;
    work(nextBatch()).then(() => {
      underWay -= 1;
      if (done >= events) ended.resolve();
      else step();
    }, ended.reject);
  }
};
const nextBatch = () => {
  let size = 0;
  const end = waiting.findIndex(({ items }) => {
    size += items.length;
    return size > EVENTS_PER_BATCH;
  });
  return waiting.splice(0, end === -1 ? waiting.length : Math.max(1, end));
};
const work = async (batch: typeof waiting) => {
  const ids = batch.flatMap(({ items }) => items);
  await pool.query({
    name: "insert",
    text: "insert into yardstick (id, trace_id) select * from unnest($1::uuid[], $2::text[])",
    values: [ids.map(({ id }) => id), ids.map(({ traceId }) => traceId)],
  });
  for (const { message } of batch) message.ack();
  done += ids.length;
  if (warmAt > 0 || done < warmUp) return;
  warmAt = performance.now();
  warmAfter = done;
  process.send?.({ type: "warm", events: done } satisfies YardstickWarm);
};
await consumer.consume({
  max_messages: MESSAGES_IN_HAND,
  callback: (message) => {
    firstAt ||= performance.now();
    waiting.push({ message, items: message.json<QueueMessage>().items });
    // What arrived together is one batch.
    if (waiting.length === 1) setImmediate(step);
  },
});
await ended.promise;
// A few events are done with the first batch, or most of them: of the rest alone the rate would say nothing.
const [since, before] = done - warmAfter > events / 4 ? [warmAt, warmAfter] : [firstAt, 0];
const perSecond = (done - before) / ((performance.now() - since) / 1000);
await nc.flush();
process.send?.({ type: "done", perSecond } satisfies YardstickDone);
