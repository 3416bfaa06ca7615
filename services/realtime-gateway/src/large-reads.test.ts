import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Crowded, LargeReads, UserBytes } from "./held-bytes.ts";

function setUp() {
  const reads = new LargeReads({ maxBytes: 100, maxUserBytes: 150 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (name: string, user: UserBytes, bytes: number) =>
    reads.run(user, bytes, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  return { begun, read, end: (name: string) => ends.get(name)!() };
}

test("reads run up to the byte limit, in the order of requests, and a larger one runs alone", async () => {
  const { begun, read, end } = setUp();
  const all = [
    read("a", new UserBytes(), 60),
    read("b", new UserBytes(), 60),
    read("c", new UserBytes(), 10),
    read("d", new UserBytes(), 500),
  ];
  await turn();
  assert.deepEqual(begun, ["a"]);
  end("a");
  await turn();
  assert.deepEqual(begun, ["a", "b", "c"]);
  end("b");
  await turn();
  assert.deepEqual(begun, ["a", "b", "c"]);
  end("c");
  await turn();
  assert.deepEqual(begun, ["a", "b", "c", "d"]);
  end("d");
  assert.deepEqual(await Promise.all(all), ["a", "b", "c", "d"]);
});

test("a user with too much in progress is told to retry, and others are not", async () => {
  const { begun, read, end } = setUp();
  const user = new UserBytes();
  user.heldBytes = 100;
  const first = read("a", user, 50);
  await assert.rejects(read("b", user, 1), Crowded);
  const other = read("c", new UserBytes(), 40);
  await turn();
  assert.deepEqual(begun, ["a", "c"]);
  end("a");
  end("c");
  await Promise.all([first, other]);
  const again = read("d", user, 50);
  await turn();
  end("d");
  assert.equal(await again, "d");
  assert.equal(user.readingBytes, 0);
});

test("a failed read frees its share, and a read whose user has left does not begin", async () => {
  const reads = new LargeReads({ maxBytes: 100, maxUserBytes: 150 });
  const user = new UserBytes();
  let fail = (_error: Error) => {};
  const failing = reads.run(
    user,
    100,
    () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
  );
  const left = reads.run(user, 50, () => assert.fail("it was read"));
  await turn();
  user.isClosed = true;
  fail(new Error("away"));
  await assert.rejects(failing, /away/);
  await assert.rejects(left, Crowded);
  assert.equal(user.readingBytes, 0);
  assert.equal(await reads.run(new UserBytes(), 100, async () => "next"), "next");
});
