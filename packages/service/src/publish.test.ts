import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  decodeQueueMessage,
  type QueueItem,
  type StreamDefinition,
} from "@belfry/contracts/streams";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { deleteStreams, testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { jetstreamManager } from "@nats-io/jetstream";
import { createLogger } from "./logger.ts";
import { connectNats } from "./nats.ts";
import { createPublisher, PublishFault } from "./publish.ts";
import { ensureStreams } from "./streams.ts";

const log = createLogger({ service: "test", level: "silent" });
const items: QueueItem[] = [{ id: "0198-a", traceId: "t" }];

async function setUp(t: Cleanup, url = testNatsUrl(), maxBytes = 1_000_000) {
  const prefix = testPrefix();
  const nats = await connectNats({ url, name: "test", log });
  t.after(async () => {
    if (nats.isConnected()) await deleteStreams(prefix, url);
    await nats.close();
  });
  const stream: StreamDefinition = {
    name: `${prefix}-events`,
    subjects: [`${prefix}.events.*`],
    maxBytes,
    duplicateWindowMs: 30_000,
  };
  await ensureStreams(nats.nc, [stream], { log });
  const publisher = createPublisher({ nats, streams: [stream], log });
  const manager = await jetstreamManager(nats.nc, { checkAPI: false });
  return { nats, stream, publisher, manager, subject: `${prefix}.events.express` };
}

const hasCode = (code: string) => (error: unknown) =>
  error instanceof PublishFault && error.code === code;

describe("publishIds", () => {
  test("stores the ids once, however often the same message is published", async (t) => {
    const { publisher, subject, stream, manager } = await setUp(t);
    const options = { messageId: "0198-a", expectStream: stream.name };
    assert.deepEqual(await publisher.publishIds(subject, items, options), {
      streamSequence: 1,
      duplicate: false,
    });
    assert.equal((await publisher.publishIds(subject, items, options)).duplicate, true);
    const stored = await manager.streams.getMessage(stream.name, { seq: 1 });
    assert.deepEqual(decodeQueueMessage(stored!.data), { version: 1, items });
  });

  test("many at a time share the wire", async (t) => {
    const { publisher, subject, stream, manager } = await setUp(t);
    await Promise.all(Array.from({ length: 300 }, () => publisher.publishIds(subject, items)));
    assert.equal((await manager.streams.info(stream.name)).state.messages, 300);
  });

  test("a stream that was lost is made again, and the message stored, in one call", async (t) => {
    const { publisher, subject, stream, manager } = await setUp(t);
    await manager.streams.delete(stream.name);
    const receipts = await Promise.all(
      Array.from({ length: 20 }, () =>
        publisher.publishIds(subject, items, { expectStream: stream.name }),
      ),
    );
    assert.equal(receipts.length, 20);
    assert.equal((await manager.streams.info(stream.name)).state.messages, 20);
  });

  test("a full stream is a clear fault", async (t) => {
    const { publisher, subject } = await setUp(t, testNatsUrl(), 20_000);
    // Large messages: nats-server 2.9 forgets its own overhead and drops the oldest of tiny ones.
    const many = Array.from({ length: 40 }, () => items).flat();
    const fill = async () => {
      for (let at = 0; at < 100; at += 1) await publisher.publishIds(subject, many);
    };
    await assert.rejects(fill(), hasCode("stream-full"));
  });

  test("a subject of another stream than expected is refused", async (t) => {
    const { publisher, subject } = await setUp(t);
    await assert.rejects(
      publisher.publishIds(subject, items, { expectStream: "another" }),
      hasCode("refused"),
    );
  });

  test("while NATS is known to be away nothing is published, not even later", async (t) => {
    const server = await ownNatsServer(t);
    const { publisher, subject, nats, stream, manager } = await setUp(t, server.url);
    await server.kill();
    await eventually(() => !nats.isConnected());
    await assert.rejects(publisher.publishIds(subject, items), hasCode("disconnected"));
    await server.start();
    await eventually(() => nats.isConnected());
    await eventually(async () => (await manager.streams.info(stream.name)).state.messages === 0);
    await publisher.publishIds(subject, items);
  });

  test("without an answer the outcome is unknown, and the caller learns so in time", async (t) => {
    const { publisher, nats } = await setUp(t);
    const subject = `${testPrefix()}.nobody`;
    const silent = nats.nc.subscribe(subject, { callback: () => undefined });
    await assert.rejects(
      publisher.publishIds(subject, items, { timeoutMs: 150 }),
      (error: PublishFault) => error.code === "timeout",
    );
    silent.unsubscribe();
  });
});
