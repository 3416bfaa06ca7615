import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsStream } from "@belfry/contracts/streams";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { createLogger } from "./logger.ts";
import { createStoreWatch } from "./store-watch.ts";
import { ensureStreams } from "./streams.ts";

const log = createLogger({ service: "test", level: "silent" });
const RECENT_MS = 60_000;

test("a stream that was lost and made anew is told once, and again until it is dealt with", async (t) => {
  const nc = await connect({ servers: testNatsUrl() });
  t.after(() => nc.close());
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

  const manager = await jetstreamManager(nc);
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
