import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { ClaimResult } from "@belfry/database/functions/claim-deliveries";
import { createLogger } from "@belfry/service/logger";
import { createFairSemaphore } from "@belfry/service/semaphore";
import { uuidv7 } from "uuidv7";
import { message } from "../test/sending-fixture.ts";
import { createDeliveriesHandler } from "./deliveries-handler.ts";
import { beginDeliveries, type Permit, type SendDeliveryDeps } from "./send-delivery.ts";

const log = createLogger({ service: "test", level: "silent" });
const LOST = new Error("Connection terminated unexpectedly");
const GONE: ClaimResult = { becomes: "gone" };
const maxCalls = async () => Number.POSITIVE_INFINITY;
/** No broadcast names a provider. */
const forOneProvider = async (_: string, ids: string[]) => ({ only: undefined, ids, others: [] });
const IDS = Array.from({ length: 4 }, () => uuidv7());

/** A lone tenant has two of four deliveries in progress: the others wait for a slot. */
function handlerWith(changes: Partial<SendDeliveryDeps>) {
  const slots = createFairSemaphore(4, 8);
  const deps = {
    channel: "EMAIL",
    slots,
    permits: { maxCalls, ask: async () => ({ kind: "none" }), forOneProvider },
    random: Math.random,
    log,
    ...changes,
  } as SendDeliveryDeps;
  const handler = createDeliveriesHandler({
    slots,
    slotWaitMs: 60_000,
    begin: (tenantId, ids, held) => beginDeliveries(tenantId, ids, held, deps),
    postpone: async () => assert.fail("nothing is put back"),
  });
  return handler([message("acme", IDS)], { log, signal: new AbortController().signal });
}

test("a failed claim fails the message, once everything that had begun has ended", async () => {
  const claimed: string[] = [];
  const second = Promise.withResolvers<ClaimResult>();
  const asked = Promise.withResolvers<void>();
  const permit = Promise.withResolvers<Permit>();
  let asks = 0;
  const handled = handlerWith({
    claim: async ({ id }) => {
      claimed.push(id);
      if (id === IDS[0]) throw LOST;
      return id === IDS[1] ? second.promise : GONE;
    },
    permits: {
      forOneProvider,
      maxCalls,
      ask: async () => {
        asks += 1;
        if (asks !== 2) return { kind: "none" };
        asked.resolve();
        return permit.promise;
      },
    },
  });
  const order: string[] = [];
  const ended = handled.catch(() => void order.push("failed"));
  await asked.promise;
  // A promise that nobody observes by the end of a turn is an unhandled rejection, and fails this test.
  await turn();
  permit.resolve({ kind: "none" });
  await turn();
  order.push("second");
  second.resolve(GONE);
  await ended;
  await assert.rejects(handled, LOST);
  assert.deepEqual(order, ["second", "failed"]);
  assert.deepEqual(claimed, IDS);
});

test("if the next delivery cannot begin, the handler waits for those in progress before the message fails", async () => {
  const first = Promise.withResolvers<ClaimResult>();
  const asked = Promise.withResolvers<void>();
  let asks = 0;
  const handled = handlerWith({
    claim: ({ id }) => (id === IDS[0] ? first.promise : Promise.resolve(GONE)),
    permits: {
      forOneProvider,
      maxCalls,
      ask: async () => {
        asks += 1;
        if (asks === 1) return { kind: "none" };
        asked.resolve();
        throw LOST;
      },
    },
  });
  const order: string[] = [];
  const ended = handled.catch(() => void order.push("failed"));
  await asked.promise;
  await turn();
  order.push("first");
  first.resolve(GONE);
  await ended;
  await assert.rejects(handled, LOST);
  assert.deepEqual(order, ["first", "failed"]);
});
