import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ConsumerDefinition, StreamDefinition } from "@belfry/contracts/streams";
import * as contract from "@belfry/contracts/streams";
import { assertHas } from "@belfry/testing/assert-has";
import { deleteStreams, testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { createLogger } from "./logger.ts";
import { connectNats, type NatsLink } from "./nats.ts";
import { ensureConsumer, ensureStreams, StreamMismatch } from "./streams.ts";

const log = createLogger({ service: "test", level: "silent" });
const root = testPrefix();
let nats: NatsLink;
let manager: JetStreamManager;
let counter = 0;

before(async () => {
  nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  manager = await jetstreamManager(nats.nc);
});
after(async () => {
  await deleteStreams(root);
  await nats.close();
});

function definitions(): { stream: StreamDefinition; consumer: ConsumerDefinition } {
  counter += 1;
  const name = `${root}-${counter}`;
  return {
    stream: { name, subjects: [`${name}.*`], maxBytes: 100_000, duplicateWindowMs: 30_000 },
    consumer: {
      stream: name,
      durable: `${name}-c`,
      filterSubject: `${name}.a`,
      ackWaitMs: 30_000,
      maxAckPending: 50,
    },
  };
}

test("a stream and its consumer are made as defined, and making them again changes nothing", async () => {
  const { stream, consumer } = definitions();
  await ensureConsumer(nats.nc, stream, consumer, { log });
  await ensureConsumer(nats.nc, stream, consumer, { log });
  const { config } = await manager.streams.info(stream.name);
  assertHas(config, { retention: "workqueue", storage: "file", discard: "new" });
  assertHas(config, { max_bytes: 100_000, duplicate_window: 30_000_000_000 });
  const info = await manager.consumers.info(stream.name, consumer.durable);
  assertHas(info.config, { ack_policy: "explicit", ack_wait: 30_000_000_000, max_ack_pending: 50 });
  assert.equal(info.config.max_deliver, -1);
});

test("the streams and consumers of the contracts are accepted by the server", async () => {
  const prefix = `${root}-all`;
  const streams = [contract.eventsStream(prefix), contract.deliveriesStream(prefix)];
  await ensureStreams(nats.nc, streams, { log });
  for (const lane of contract.EVENT_LANES) {
    const consumer = contract.eventsConsumer(prefix, lane);
    await ensureConsumer(nats.nc, contract.eventsStream(prefix), consumer, { log });
  }
  for (const channel of ["EMAIL", "SMS"] as const) {
    const consumer = contract.deliveriesConsumer(prefix, channel);
    await ensureConsumer(nats.nc, contract.deliveriesStream(prefix), consumer, { log });
  }
});

test("several services that start together agree", async () => {
  const { stream, consumer } = definitions();
  const start = () => ensureConsumer(nats.nc, stream, consumer, { log });
  await Promise.all(Array.from({ length: 10 }, start));
});

test("what an update can mend is mended", async () => {
  const { stream, consumer } = definitions();
  await ensureConsumer(nats.nc, stream, consumer, { log });
  await ensureConsumer(
    nats.nc,
    { ...stream, subjects: [...stream.subjects, `${stream.name}.more.*`], maxBytes: 200_000 },
    { ...consumer, ackWaitMs: 45_000, maxAckPending: 70 },
    { log },
  );
  const { config } = await manager.streams.info(stream.name);
  assert.equal(config.max_bytes, 200_000);
  assert.equal(config.subjects.length, 2);
  const info = await manager.consumers.info(stream.name, consumer.durable);
  assertHas(info.config, { ack_wait: 45_000_000_000, max_ack_pending: 70 });
});

test("what no update can mend stops the start, naming the field", async () => {
  const { stream } = definitions();
  await manager.streams.add({ name: stream.name, subjects: stream.subjects, retention: "limits" });
  await assert.rejects(
    ensureStreams(nats.nc, [stream], { log }),
    (error: Error) =>
      error instanceof StreamMismatch &&
      error.message === `stream ${stream.name}: retention is "limits" and must be "workqueue"`,
  );

  const other = definitions();
  await ensureStreams(nats.nc, [other.stream], { log });
  await manager.consumers.add(other.stream.name, {
    durable_name: other.consumer.durable,
    ack_policy: "explicit",
    filter_subject: other.consumer.filterSubject,
    replay_policy: "original",
  });
  await assert.rejects(
    ensureConsumer(nats.nc, other.stream, other.consumer, { log }),
    /replay_policy is "original" and must be "instant"/,
  );
});

test("another stream with the same subjects stops the start", async () => {
  const { stream } = definitions();
  await manager.streams.add({ name: `${stream.name}-other`, subjects: stream.subjects });
  await assert.rejects(ensureStreams(nats.nc, [stream], { log }), StreamMismatch);
});

test("more copies than the server can make stop the start", async () => {
  const { stream } = definitions();
  await assert.rejects(ensureStreams(nats.nc, [stream], { log, replicas: 3 }), StreamMismatch);
});
