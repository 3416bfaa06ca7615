import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createLogger } from "@belfry/service/logger";
import { createHandClock } from "@belfry/testing/hand-clock";
import { createLeases, type Lease } from "./leases.ts";

const log = createLogger({ service: "test", level: "silent" });

/** Leases that are checked each time a quarter of one has passed. */
function createBench(fail = (_renewal: number) => false) {
  const renewals: string[][] = [];
  const clock = createHandClock();
  const leases = createLeases({
    leaseMs: 20,
    async renew(due: Lease[]) {
      renewals.push(due.map(({ id }) => id));
      if (fail(renewals.length)) throw new Error("no database");
    },
    log,
    clock,
  });
  const look = async () => {
    clock.advance(5);
    await nextTurn();
  };
  return { leases, renewals, look };
}

test("all held deliveries are renewed together until they are settled", async () => {
  const { leases, renewals, look } = createBench();
  const [first, second] = [
    leases.hold({ id: "a", attempt: 1 }),
    leases.hold({ id: "b", attempt: 1 }),
  ];
  await look();
  assert.deepEqual(renewals, [["a", "b"]]);
  await look();
  first[Symbol.dispose]();
  await look();
  assert.deepEqual(renewals.slice(1), [["a", "b"], ["b"]]);
  second[Symbol.dispose]();
  await look();
  assert.equal(renewals.length, 3);
});

test("a failed renewal is tried again", async () => {
  const { leases, renewals, look } = createBench((renewal) => renewal === 1);
  using _lease = leases.hold({ id: "a", attempt: 1 });
  await look();
  await look();
  assert.deepEqual(renewals, [["a"], ["a"]]);
});

test("a delivery that is settled before the next check costs no renewal", async () => {
  const { leases, renewals, look } = createBench();
  leases.hold({ id: "short", attempt: 1 })[Symbol.dispose]();
  using _long = leases.hold({ id: "long", attempt: 1 });
  await look();
  assert.deepEqual(renewals, [["long"]]);
});
