import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as contract from "@belfry/contracts/streams";
import {
  type ConsumerDefinition,
  deliveriesConsumer,
  deliveriesStream,
  eventsStream,
  type StreamDefinition,
} from "@belfry/contracts/streams";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { deleteStreams, testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { ownNatsCluster } from "@belfry/testing/nats-cluster";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { createLogger } from "./logger.ts";
import { connectNats, type NatsLink } from "./nats.ts";
import {
  createStoreWatch,
  ensureConsumer,
  ensureStreams,
  oldestMessageMs,
  oldestUndeliveredMs,
  StreamMismatch,
} from "./streams.ts";

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

async function countConsumers({ name }: StreamDefinition): Promise<number> {
  return (await manager.streams.info(name)).state.consumer_count;
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
  assert.equal(await countConsumers(contract.eventsStream(prefix)), contract.EVENT_LANES.length);
  assert.equal(await countConsumers(contract.deliveriesStream(prefix)), 2);
});

test("several services that start together agree", async () => {
  const { stream, consumer } = definitions();
  const start = () => ensureConsumer(nats.nc, stream, consumer, { log });
  await Promise.all(Array.from({ length: 10 }, start));
  assert.equal(await countConsumers(stream), 1);
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

test("a stream is as old as the oldest message that it still holds, and an empty one holds none", async () => {
  const { nc } = nats;
  const { stream } = definitions();
  await ensureStreams(nc, [stream], { log });
  assert.equal(await oldestMessageMs(nc, stream), undefined);
  const beganAtMs = Date.now();
  const first = await jetstream(nc).publish(`${stream.name}.a`, "first");
  const betweenAtMs = Date.now();
  await jetstream(nc).publish(`${stream.name}.b`, "second");
  const askedAtMs = Date.now();
  const ageMs = await oldestMessageMs(nc, stream);
  assert.ok(ageMs !== undefined && ageMs >= askedAtMs - betweenAtMs - 1, `${ageMs} ms`);
  assert.ok(ageMs <= Date.now() - beganAtMs + 1, `${ageMs} ms`);
  await manager.streams.deleteMessage(stream.name, first.seq);
  const youngerMs = await oldestMessageMs(nc, stream);
  assert.ok(youngerMs !== undefined && youngerMs <= Date.now() - betweenAtMs + 1);
});

test("of a consumer the oldest message counts that nobody has been given, also after the server was killed", async (t) => {
  const server = await ownNatsServer(t);
  const { nc, close } = await connectNats({ url: server.url, name: "test", log });
  t.after(close);
  const stream = deliveriesStream("p");
  const consumer = deliveriesConsumer("p", "EMAIL");
  const undelivered = () => oldestUndeliveredMs(nc, consumer);
  await ensureStreams(nc, [stream], { log });
  await assert.rejects(undelivered(), /consumer not found/);
  await ensureConsumer(nc, stream, consumer, { log, replicas: 1, signal: t.signal });
  assert.equal(await undelivered(), undefined);
  const publish = (subject: string) => jetstream(nc).publish(`p.deliveries.${subject}`, "x");
  await publish("SMS.acme");
  assert.equal(await undelivered(), undefined, "of another consumer");

  await publish("EMAIL.acme");
  const betweenAtMs = Date.now();
  const { seq } = await publish("EMAIL.acme");
  const given = await (await jetstream(nc).consumers.get(stream.name, consumer.durable)).next();
  assert.ok(given !== null && given.seq === seq - 1);
  const ageMs = await undelivered();
  assert.ok(ageMs !== undefined && ageMs <= Date.now() - betweenAtMs + 1, `${ageMs} ms`);

  const back = statusOf(nc, "reconnect");
  await server.kill();
  await server.start();
  await back;
  assert.ok((await undelivered()) !== undefined);
  const manager = await jetstreamManager(nc, { checkAPI: false });
  await manager.streams.deleteMessage(stream.name, seq);
  assert.equal(
    await undelivered(),
    undefined,
    "the other was given to somebody, acknowledged or not",
  );
});

async function statusOf(nc: NatsConnection, wanted: string): Promise<void> {
  for await (const { type } of nc.status()) if (type === wanted) return;
}

const RECENT_MS = 60_000;

test("a stream that was lost and made anew is told once, and again until it is dealt with", async (t) => {
  const { nc } = nats;
  const streams = [eventsStream(testPrefix(t))];
  await ensureStreams(nc, streams, { log });
  const lost: string[] = [];
  let broken = false;
  const options = { nc, streams, recentMs: RECENT_MS, now: () => Date.now() + 2 * RECENT_MS };
  const look = createStoreWatch({
    ...options,
    async onLost(stream) {
      if (broken) throw new Error("Postgres is away");
      lost.push(stream);
    },
  });
  await look();
  await look();
  assert.equal(lost.length, 0);

  await manager.streams.delete(streams[0]!.name);
  await assert.rejects(look());
  await ensureStreams(nc, streams, { log });
  broken = true;
  await assert.rejects(look(), /Postgres/);
  broken = false;
  await look();
  await look();
  assert.deepEqual(lost, [streams[0]!.name]);

  const started = createStoreWatch({
    ...options,
    now: Date.now,
    onLost: async (stream) => void lost.push(stream),
  });
  await started();
  assert.equal(lost.length, 2, "lost while nobody watched");
});

test("a service waits for servers that are missing for the copies; consumers have as many copies as their stream", async (t) => {
  const cluster = await ownNatsCluster(t);
  const { stream, consumer } = definitions();
  await using link = await connectNats({ url: cluster.url, name: "test", log });
  await ensureConsumer(link.nc, stream, consumer, { log, replicas: 3 });
  const manager = await jetstreamManager(link.nc, { checkAPI: false });
  const info = await manager.consumers.info(stream.name, consumer.durable);
  assert.equal(info.cluster?.replicas?.length, 2);

  const stop = new AbortController();
  const noPeers = Promise.withResolvers<void>();
  const warn = ({ err }: { err: Error }) => {
    if (/no suitable peers/.test(err.message)) noPeers.resolve();
  };
  const waiting = ensureStreams(link.nc, [definitions().stream], {
    log: Object.create(log, { warn: { value: warn } }),
    replicas: 5,
    signal: stop.signal,
  });
  await Promise.race([noPeers.promise, waiting]);
  stop.abort(new Error("stopped"));
  await assert.rejects(waiting, /^Error: stopped$/);
});

test("a stream whose leader was killed is not taken for a new one", async (t) => {
  const cluster = await ownNatsCluster(t);
  const { stream } = definitions();
  await using link = await connectNats({ url: cluster.url, name: "test", log });
  await ensureStreams(link.nc, [stream], { log, replicas: 3 });
  const lost: string[] = [];
  const look = createStoreWatch({
    nc: link.nc,
    streams: [stream],
    recentMs: 0,
    onLost: async (name) => void lost.push(name),
    now: Date.now,
  });
  await look();
  const leader = await cluster.leaderOf(stream.name);
  await leader.kill();
  await eventually(async () =>
    assert.notEqual((await cluster.leaderOf(stream.name)).name, leader.name),
  );
  await eventually(look);
  await leader.start();
  await eventually(async () => assert.equal((await cluster.currentCopies(stream.name)).length, 3));
  await look();
  assert.deepEqual(lost, []);
});
