import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { endDead, requeueDead } from "@belfry/administration/dead-letters/dead-letter-rows";
import {
  DELIVERY_STATUSES,
  DELIVERY_TRANSITIONS,
  type DeliveryStatus,
} from "@belfry/contracts/delivery";
import { RECEIPT_KINDS } from "@belfry/contracts/sending";
import { createDatabase, type Database, type Pool } from "@belfry/database/connection";
import { cancelEvents } from "@belfry/database/functions/cancel-events";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { releaseAgain, releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import {
  postponeDeliveries,
  type Settlement,
  settleDeliveries,
} from "@belfry/database/functions/settle-deliveries";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import { connectedDatabase } from "@belfry/testing/database";
import { receipt, settlement } from "./settlement.ts";

interface World {
  pool: Pool;
  db: Database;
}

/** One of the things that move a delivery, with what makes a difference to it. */
interface Mover {
  /** Changes beforehand: of the delivery, or of what stands around it. */
  given?: string;
  move(world: World, id: string): Promise<unknown>;
}

const EXPIRED = "update deliveries set expires_at = now() - interval '1 s'";
const INACTIVE = "update tenants set active = false";
const SUPPRESSED =
  "insert into suppressions (tenant_id, channel, address, reason) values ('a', 'EMAIL', 'u@example.com', 'by hand')";
const RESTING = "update deliveries set released_at = null, due_at = now()";
const LEASED = "update deliveries set claimed_until = now() + interval '1 hour'";
const AT_MOST_ONCE = "update templates set at_most_once = true";

const claim =
  (kind: string | null, maxRetries = 7): Mover["move"] =>
  ({ pool }, id) =>
    claimDeliveries(
      pool,
      [{ id, tenantId: "a", provider: kind === null ? null : { id: randomUUID(), kind } }],
      { channel: "EMAIL", leaseMs: 1000, maxRetries },
    );
const settle =
  (status: Settlement["status"], withCall = true): Mover["move"] =>
  ({ pool }, deliveryId) =>
    settleDeliveries(pool, [
      settlement(deliveryId, {
        ...{ status, delayMs: 1000, counted: true },
        end: withCall
          ? {
              ...{ class: "transient", durationMs: 1, reason: null },
              ...{ vendor_status: null, vendor_answer: null, message_id: null },
            }
          : null,
      }),
    ]);
const receiptOf =
  (kind: (typeof RECEIPT_KINDS)[number]): Mover["move"] =>
  ({ pool }, deliveryId) =>
    storeReceipts(pool, { tenantId: "a", channels: ["EMAIL"], providerKind: "sendgrid" }, [
      receipt(deliveryId, { kind }),
    ]);
const release: Mover["move"] = ({ pool }) =>
  releaseDeliveries(pool, { channel: "EMAIL", inFlightPerTenant: 10, after: "", most: 10 });
const again: Mover["move"] = ({ pool }) =>
  releaseAgain(pool, { channel: "EMAIL", olderThanMs: 0, most: 10 });

const MOVERS: Record<string, Mover> = {
  claim: { move: claim("sendgrid") },
  "claim: no provider": { move: claim(null) },
  "claim: expired": { given: EXPIRED, move: claim("sendgrid") },
  "claim: tenant inactive": { given: INACTIVE, move: claim("sendgrid") },
  "claim: suppressed": { given: SUPPRESSED, move: claim("sendgrid") },
  "claim: held": { given: LEASED, move: claim("sendgrid") },
  "claim: at most once": { given: AT_MOST_ONCE, move: claim("sendgrid") },
  "claim: retries exhausted": { move: claim("sendgrid", 0) },
  "claim: event gone": { given: "delete from events", move: claim("sendgrid") },
  "settle: accepted": { move: settle("accepted") },
  "settle: waiting": { move: settle("waiting") },
  "settle: waiting, no call": { move: settle("waiting", false) },
  "settle: failed": { move: settle("failed") },
  "settle: expired": { move: settle("expired") },
  "settle: skipped": { move: settle("skipped") },
  "settle: unknown": { move: settle("unknown") },
  ...Object.fromEntries(
    RECEIPT_KINDS.map((kind) => [`receipt: ${kind}`, { move: receiptOf(kind) }]),
  ),
  release: { given: RESTING, move: release },
  "release: expired": { given: `${RESTING}; ${EXPIRED}`, move: release },
  "release: tenant inactive": { given: `${RESTING}; ${INACTIVE}`, move: release },
  "release again": { move: again },
  "release again: tenant inactive": { given: INACTIVE, move: again },
  postpone: {
    move: ({ pool }, id) =>
      postponeDeliveries(pool, {
        tenantId: "a",
        ids: [id],
        reason: null,
        delayMs: 1,
        spacingMs: 1,
      }),
  },
  "replay of a dead letter": {
    move: ({ db }, id) => requeueDead(db, { ids: [id] }, { most: 1, reason: "replayed" }),
  },
  cancel: {
    given: "update attempts set class = 'transient', ended_at = now()",
    move: async ({ db }, id) => cancelEvents(db, "a", [await eventOf(db, id)]),
  },
  "cancel: a try ended without an answer": {
    given: "update attempts set class = 'ambiguous', ended_at = now()",
    move: async ({ db }, id) => cancelEvents(db, "a", [await eventOf(db, id)]),
  },
  "a dead letter is discarded": { move: ({ db }, id) => endDead(db, { ids: [id] }, 1) },
};

async function eventOf(db: Database, id: string): Promise<string> {
  const { event_id } = await db
    .selectFrom("deliveries")
    .select("event_id")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return event_id;
}

async function open(t: TestContext): Promise<World> {
  const { pool } = await connectedDatabase(t);
  return { pool, db: createDatabase(pool) };
}

/** Every time anew: a tenant with one delivery in this state, whose first attempt has begun. */
async function begin({ pool }: World, status: DeliveryStatus): Promise<string> {
  await pool.query(
    "delete from attempts; delete from deliveries; delete from events; delete from tenants; delete from receipts",
  );
  await pool.query("update templates set at_most_once = false");
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 600)");
  const { rows } = await pool.query<{ id: string }>(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, recipient_email, variables, trace_id, accepted_at, dispatched_at)
       values (gen_random_uuid(), 'a', 'x', 'u', 'u@example.com', '{}', 't', now(), now()) returning id),
     d as (
       insert into deliveries (id, event_id, tenant_id, channel, recipient, status, attempts, template_version_id, due_at,
         released_at, claimed_until, settled_at)
       select gen_random_uuid(), e.id, 'a', 'EMAIL', 'u@example.com', $1, 1, (select min(id) from template_versions), now(),
         now() - interval '1 s', now() - interval '1 s', now() from e returning id)
     insert into attempts (delivery_id, number, provider_kind, started_at)
     select id, 1, 'sendgrid', now() from d returning delivery_id as id`,
    [status],
  );
  return rows[0]!.id;
}

async function statusOf({ pool }: World, id: string): Promise<DeliveryStatus> {
  const { rows } = await pool.query("select status from deliveries where id = $1", [id]);
  return rows[0].status;
}

test("of every two states the database lets a delivery go from one to the other only if that is a move", async (t) => {
  const world = await open(t);
  for (const from of DELIVERY_STATUSES) {
    for (const to of DELIVERY_STATUSES) {
      const id = await begin(world, from);
      const moving = world.pool.query("update deliveries set status = $2 where id = $1", [id, to]);
      if (from === to || DELIVERY_TRANSITIONS[from].includes(to)) await moving;
      else await assert.rejects(moving, { code: "23514", constraint: "deliveries_move" });
    }
  }
});

test("whatever moves a delivery, in whatever state it finds it, makes a move that there is or none", async (t) => {
  const world = await open(t);
  const made = new Set<string>();
  for (const [name, { given, move }] of Object.entries(MOVERS)) {
    for (const from of DELIVERY_STATUSES) {
      const id = await begin(world, from);
      if (given !== undefined) await world.pool.query(given);
      await move(world, id);
      const to = await statusOf(world, id);
      if (from === to) continue;
      assert.ok(DELIVERY_TRANSITIONS[from].includes(to), `${name}: ${from} > ${to}`);
      made.add(`${from} > ${to}`);
    }
  }
  const moves = DELIVERY_STATUSES.flatMap((from) =>
    DELIVERY_TRANSITIONS[from].map((to) => `${from} > ${to}`),
  );
  assert.deepEqual([...made].sort(), moves.sort(), "and each move there is, something makes");
});
