import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationSubject } from "@belfry/contracts/streams";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { watchVersion } from "./configuration-watch.ts";
import { createLogger } from "./logger.ts";
import { connectNats } from "./nats.ts";

const log = createLogger({ service: "test", level: "silent" });

test("a change is noticed by polling, errors of the database notwithstanding", async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  let version: bigint | undefined = 1n;
  let reads = 0;
  const readTwiceMore = async () => {
    const before = reads;
    await eventually(() => reads >= before + 2);
  };
  const watch = watchVersion({
    read: async () => {
      reads += 1;
      if (version === undefined) throw new Error("no database");
      return version;
    },
    everyMs: 10,
    prefix: "p",
    onChange: (value) => void seen.push(value),
    log,
    signal: stop.signal,
  });
  await eventually(() => seen.length === 1);
  version = undefined;
  await readTwiceMore();
  version = 2n;
  await eventually(() => seen.length === 2);
  await readTwiceMore();
  assert.deepEqual(seen, ["1", "2"]);
  stop.abort();
  await watch;
});

test("a change that could not be taken in is offered again", async () => {
  const stop = new AbortController();
  let offers = 0;
  const watch = watchVersion({
    read: async () => "7",
    everyMs: 5,
    prefix: "p",
    onChange: () => {
      offers += 1;
      if (offers < 3) throw new Error("not now");
    },
    log,
    signal: stop.signal,
  });
  await eventually(() => offers === 3);
  stop.abort();
  await watch;
});

test("a word on NATS hastens it", async (t) => {
  const stop = new AbortController();
  const prefix = testPrefix();
  await using nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  const seen: string[] = [];
  let version = "1";
  const watch = watchVersion({
    read: async () => version,
    everyMs: 3_600_000,
    nc: nats.nc,
    prefix,
    onChange: (value) => void seen.push(value),
    log,
    signal: stop.signal,
  });
  t.after(() => stop.abort());
  await eventually(() => seen.length === 1);
  version = "2";
  nats.nc.publish(configurationSubject(prefix));
  await eventually(() => seen.length === 2);
  stop.abort();
  await watch;
});
