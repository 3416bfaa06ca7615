import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamDefinition } from "@belfry/contracts/streams";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { createLogger } from "./logger.ts";
import { connectNats } from "./nats.ts";
import { oldestMessageMs } from "./oldest-message.ts";
import { ensureStreams } from "./streams.ts";

test("a stream is as old as the oldest message that it still holds, and an empty one holds none", async (t) => {
  const prefix = testPrefix(t);
  const log = createLogger({ service: "test", level: "silent" });
  const { nc, close } = await connectNats({ url: testNatsUrl(), name: "test", log });
  t.after(close);
  const stream: StreamDefinition = {
    name: `${prefix}-work`,
    subjects: [`${prefix}.work.*`],
    maxBytes: 1024 * 1024,
    duplicateWindowMs: 1000,
  };
  await ensureStreams(nc, [stream], { log });
  assert.equal(await oldestMessageMs(nc, stream), undefined);
  const beganAtMs = Date.now();
  const first = await jetstream(nc).publish(`${prefix}.work.a`, "first");
  const betweenAtMs = Date.now();
  await jetstream(nc).publish(`${prefix}.work.b`, "second");
  const askedAtMs = Date.now();
  const ageMs = await oldestMessageMs(nc, stream);
  assert.ok(ageMs !== undefined && ageMs >= askedAtMs - betweenAtMs - 1, `${ageMs} ms`);
  assert.ok(ageMs <= Date.now() - beganAtMs + 1, `${ageMs} ms`);
  const manager = await jetstreamManager(nc, { checkAPI: false });
  await manager.streams.deleteMessage(stream.name, first.seq);
  const youngerMs = await oldestMessageMs(nc, stream);
  assert.ok(youngerMs !== undefined && youngerMs <= Date.now() - betweenAtMs + 1);
});
