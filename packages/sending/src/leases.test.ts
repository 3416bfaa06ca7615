import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@belfry/service/logger";
import { createLeases } from "./leases.ts";
import type { Lease } from "./renew-leases.ts";

const log = createLogger({ service: "test", level: "silent" });

/** Leases whose renewals can be awaited, one by one. */
function createBench(fail = (_renewal: number) => false) {
  const renewals: string[][] = [];
  let renewed = Promise.withResolvers<void>();
  const leases = createLeases({
    leaseMs: 20,
    async renew(due: Lease[]) {
      renewals.push(due.map(({ id }) => id));
      renewed.resolve();
      renewed = Promise.withResolvers();
      if (fail(renewals.length)) throw new Error("no database");
    },
    log,
  });
  return { leases, renewals, next: () => renewed.promise };
}

/** Keeps the process awake: the renewals alone do not. */
const awake = async <Result>(work: Promise<Result>): Promise<Result> => {
  const timer = setInterval(() => undefined, 1_000);
  return work.finally(() => clearInterval(timer));
};

test("what is held is renewed, all of it at once, until it is settled", async () => {
  const { leases, renewals, next } = createBench();
  const [first, second] = [
    leases.hold({ id: "a", attempt: 1 }),
    leases.hold({ id: "b", attempt: 1 }),
  ];
  await awake(next());
  assert.deepEqual(renewals, [["a", "b"]]);
  await awake(next());
  first[Symbol.dispose]();
  await awake(next());
  assert.deepEqual(renewals.slice(1), [["a", "b"], ["b"]]);
  second[Symbol.dispose]();
});

test("a renewal that fails is tried again", async () => {
  const { leases, renewals, next } = createBench((renewal) => renewal === 1);
  using _lease = leases.hold({ id: "a", attempt: 1 });
  await awake(next());
  await awake(next());
  assert.deepEqual(renewals, [["a"], ["a"]]);
});

test("what is settled before its lease is looked at costs nothing", async () => {
  const { leases, renewals, next } = createBench();
  leases.hold({ id: "short", attempt: 1 })[Symbol.dispose]();
  using _long = leases.hold({ id: "long", attempt: 1 });
  await awake(next());
  assert.deepEqual(renewals, [["long"]]);
});
