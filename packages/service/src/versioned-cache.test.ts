import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationSubject } from "@belfry/contracts/streams";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createLogger } from "./logger.ts";
import { connectNats } from "./nats.ts";
import { createVersionedCache, watchVersion } from "./versioned-cache.ts";

/** Answers reads when told to. */
function source() {
  const calls: { keys: readonly string[]; answer(values: object): void; fail(): void }[] = [];
  const read = (keys: readonly string[]) =>
    new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
      calls.push({
        keys,
        answer: (values) => resolve(new Map(Object.entries(values))),
        fail: () => reject(new Error("no answer")),
      });
    });
  return { calls, cache: createVersionedCache<string>({ max: 100, read }) };
}

test("keys are read together, each once at a time, and what does not exist is remembered too", async () => {
  const { calls, cache } = source();
  const first = cache.getAll(["a", "b"]);
  const second = cache.getAll(["b", "c"]);
  assertEach(calls, ({ keys }) => keys, [["a", "b"], ["c"]]);
  calls[0]?.answer({ a: "1" });
  calls[1]?.answer({ c: "3" });
  assert.deepEqual([...(await first)], [["a", "1"]]);
  assert.deepEqual([...(await second)], [["c", "3"]]);
  assert.equal(await cache.get("b"), undefined);
  assert.deepEqual(cache.peek("b"), { value: undefined });
  assert.equal(calls.length, 2);
});

test("what was read before a change is not remembered, and serves only who asked before it", async () => {
  const { calls, cache } = source();
  const before = cache.get("a");
  cache.clear();
  const after = cache.get("a");
  calls[1]?.answer({ a: "new" });
  assert.equal(await after, "new");
  calls[0]?.answer({ a: "old" });
  assert.equal(await before, "old");
  assert.equal(await cache.get("a"), "new");
});

test("a read that fails fails all who wait for it, and is made again for the next", async () => {
  const { calls, cache } = source();
  const waiting = [cache.get("a"), cache.getAll(["a", "b"])];
  calls[0]?.fail();
  calls[1]?.answer({});
  for (const one of waiting) await assert.rejects(one, /no answer/);
  const again = cache.get("a");
  calls[2]?.answer({ a: "1" });
  assert.equal(await again, "1");
});

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
