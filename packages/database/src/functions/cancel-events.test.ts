import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { aNotification, anAttempt } from "@belfry/testing/rows";
import { cancelEvents } from "./cancel-events.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { type Settlement, settleDeliveries } from "./settle-deliveries.ts";

interface Part {
  channel: string;
  status: string;
  reason?: string;
  /** Classes of its attempts; null: an attempt without an end. */
  classes?: (OutcomeClass | null)[];
}

interface Case {
  /** The event's place; absent: dispatched. */
  place?: "open" | "resting" | "refused" | "cancelled";
  deliveries?: Part[];
  hasNotification?: boolean;
  /** Deliveries of digests, with the state of the event's item. */
  digests?: (Part & { item: string })[];
  /** The verdict and the stopped channels; undefined: none. */
  says: string | undefined;
  /** The statuses that its deliveries have then, and the states of its items. */
  leaves?: string;
}

const EMAIL = "EMAIL";
const SMS = "SMS";
const CASES: Record<string, Case> = {
  "not dispatched": { place: "open", says: "cancelled" },
  resting: { place: "resting", says: "cancelled" },
  "given back to its caller": { place: "refused", says: undefined },
  "cancelled before": { place: "cancelled", says: "cancelled" },
  "nothing on any channel": { says: "too late" },
  queued: {
    deliveries: [{ channel: EMAIL, status: "queued" }],
    ...{ says: "cancelled", leaves: "skipped" },
  },
  "waiting after a try that failed": {
    deliveries: [{ channel: EMAIL, status: "waiting", classes: ["transient", "throttled"] }],
    ...{ says: "cancelled", leaves: "skipped" },
  },
  "waiting after a try of unknown outcome": {
    deliveries: [{ channel: EMAIL, status: "waiting", classes: ["ambiguous", "transient"] }],
    ...{ says: "too late", leaves: "unknown" },
  },
  "queued again by a person after a try of unknown outcome": {
    deliveries: [{ channel: EMAIL, status: "queued", classes: ["ambiguous"] }],
    ...{ says: "too late", leaves: "unknown" },
  },
  "waiting with a try that has no end": {
    deliveries: [{ channel: EMAIL, status: "waiting", classes: [null] }],
    ...{ says: "too late", leaves: "unknown" },
  },
  ...Object.fromEntries(
    ["accepted", "delivered", "bounced", "complained", "unknown"].map((status) => [
      status,
      {
        deliveries: [
          { channel: EMAIL, status, classes: ["accepted"] },
          { channel: SMS, status: "queued" },
        ],
        ...{ says: "partly SMS", leaves: `${status} skipped` },
      },
    ]),
  ),
  "being sent": {
    deliveries: [
      { channel: EMAIL, status: "sending", classes: ["transient", null] },
      { channel: SMS, status: "queued" },
    ],
    ...{ says: "pending", leaves: "sending skipped" },
  },
  "being sent after a try of unknown outcome": {
    deliveries: [{ channel: EMAIL, status: "sending", classes: ["ambiguous", null] }],
    ...{ says: "too late", leaves: "sending" },
  },
  "sent, and nothing else": {
    deliveries: [{ channel: EMAIL, status: "accepted", classes: ["accepted"] }],
    ...{ says: "too late", leaves: "accepted" },
  },
  "failed for good, the rest queued": {
    deliveries: [
      { channel: EMAIL, status: "failed", classes: ["permanent"] },
      { channel: SMS, status: "queued" },
    ],
    ...{ says: "cancelled", leaves: "discarded skipped" },
  },
  "expired after a try of unknown outcome, the rest queued": {
    deliveries: [
      { channel: EMAIL, status: "expired", classes: ["ambiguous"] },
      { channel: SMS, status: "queued" },
    ],
    ...{ says: "partly SMS", leaves: "expired skipped" },
  },
  "failed, and nothing else": {
    deliveries: [{ channel: EMAIL, status: "failed", classes: ["permanent"] }],
    ...{ says: "too late", leaves: "failed" },
  },
  "skipped by a rule": {
    deliveries: [{ channel: EMAIL, status: "skipped", reason: "address suppressed (bounced)" }],
    ...{ says: "too late", leaves: "skipped" },
  },
  "in the history": {
    deliveries: [{ channel: EMAIL, status: "queued" }],
    hasNotification: true,
    ...{ says: "partly EMAIL", leaves: "skipped" },
  },
  "in the history, and nothing else": { hasNotification: true, says: "too late" },
  "in an open digest": {
    digests: [{ channel: EMAIL, status: "queued", item: "in" }],
    ...{ says: "cancelled", leaves: "queued cancelled" },
  },
  "in a digest that is tried again": {
    digests: [{ channel: EMAIL, status: "waiting", classes: ["transient"], item: "in" }],
    ...{ says: "cancelled", leaves: "waiting cancelled" },
  },
  "in a digest that a provider may have": {
    digests: [{ channel: EMAIL, status: "waiting", classes: ["ambiguous"], item: "in" }],
    ...{ says: "too late", leaves: "waiting in" },
  },
  "in a digest that is being sent": {
    deliveries: [{ channel: SMS, status: "queued" }],
    digests: [{ channel: EMAIL, status: "sending", item: "in" }],
    ...{ says: "pending", leaves: "skipped sending in" },
  },
  "left out of a digest, as it was read": {
    deliveries: [{ channel: SMS, status: "queued" }],
    digests: [{ channel: EMAIL, status: "accepted", item: "read" }],
    ...{ says: "cancelled", leaves: "skipped accepted read" },
  },
  "the leading one of a digest": {
    deliveries: [{ channel: EMAIL, status: "accepted" }],
    digests: [{ channel: EMAIL, status: "queued", item: "alone" }],
    ...{ says: "too late", leaves: "accepted queued alone" },
  },
  "in a digest that has failed, the rest queued": {
    deliveries: [{ channel: SMS, status: "queued" }],
    digests: [{ channel: EMAIL, status: "failed", classes: ["permanent"], item: "in" }],
    ...{ says: "cancelled", leaves: "skipped failed cancelled" },
  },
};

for (const [name, one] of Object.entries(CASES)) {
  test(`cancelling what is ${name}`, async (t) => {
    const { pool, db } = await connectedDatabase(t);
    const id = await store(pool, one);
    // Asked again, it says the same.
    for (const round of ["first", "second"]) {
      const [said] = await cancelEvents(db, "a", [id, randomUUID()]);
      const words = said && [said.verdict, ...said.stopped].join(" ");
      // A delivery that is unknown by now was not stopped.
      assert.equal(words, one.says, round);
      assert.equal(await left(pool, id), one.leaves ?? "", round);
    }
    const rows = await pool.sql`select cancelled_at is not null as cancelled,
        cancel_asked_at is not null as asked,
        (select count(*)::integer from undispatched_events) + (select count(*)::integer from scheduled_events) as open
      from events`;
    const cancelled = one.says?.startsWith("cancelled") ?? false;
    assert.deepEqual(rows, [{ cancelled, asked: one.says !== undefined, open: 0 }]);
    assert.deepEqual(await cancelEvents(db, "other", [id]), []);
  });
}

test("the automatic key is free, the one that the tenant named is not; others of the moment stay", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  const cancelled = await store(pool, { place: "open", says: "" });
  const other = await store(pool, { place: "open", says: "" });
  for (const [id, keys] of Object.entries({ [cancelled]: ["02", "03"], [other]: ["04", "05"] })) {
    for (const key of keys) {
      await pool.sql`insert into dedup_keys
        select 'a', decode(${key}, 'hex'), id, 'x', 'A', accepted_at from events where id = ${id}`;
    }
  }
  await cancelEvents(db, "a", [cancelled]);
  const rows = await pool.sql`select encode(key, 'hex') as key from dedup_keys order by key`;
  assertEach(rows, ({ key }) => key, ["03", "04", "05"]);
});

test("variables go where a template is or was sensitive, once nothing is to be sent", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  await pool.query(
    `insert into templates (id, tenant_id, event_type, channel, sensitive, sensitive_until) values
     (gen_random_uuid(), 'a', 'now', 'EMAIL', true, null),
     (gen_random_uuid(), 'a', 'once', 'EMAIL', false, now() + interval '1 hour'),
     (gen_random_uuid(), 'a', 'before', 'EMAIL', false, now() - interval '1 hour'),
     (gen_random_uuid(), 'b', 'never', 'EMAIL', true, null),
     (gen_random_uuid(), 'platform', 'global.otp', 'EMAIL', true, null)`,
  );
  const open: Case = { place: "open", says: "" };
  const sending: Case = {
    deliveries: [
      { channel: EMAIL, status: "sending", classes: [null] },
      { channel: SMS, status: "queued" },
    ],
    says: "",
  };
  const told: Record<string, boolean> = {};
  for (const [type, one, has] of [
    ["now", open, false],
    ["once", open, false],
    ["before", open, true],
    ["never", open, true],
    ["global.otp", open, false],
    ["now", sending, true],
  ] as const) {
    const id = await store(pool, one, type);
    await cancelEvents(db, "a", [id]);
    const rows = await pool.sql`select variables from events where id = ${id}`;
    const kind = `${type} ${one === open ? "open" : "sending"}`;
    told[kind] = (rows[0].variables !== null) === has;
  }
  assert.deepEqual([...new Set(Object.values(told))], [true], JSON.stringify(told));
});

async function store(pool: TestPool, one: Case, type = "x"): Promise<string> {
  const id = randomUUID();
  const { place } = one;
  await pool.sql`insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at,
      variables, dispatched_at, refused_at, cancelled_at)
    values (${id}, 'a', ${type}, 'u', 't', now(), '{}', ${place === undefined ? new Date() : null},
      ${place === "refused" ? new Date() : null}, ${place === "cancelled" ? new Date() : null})`;
  if (place === "open") await pool.sql`insert into undispatched_events values (${id}, now())`;
  if (place === "resting") {
    await pool.sql`insert into scheduled_events values (${id}, 'a', now(), 1, 't')`;
  }
  for (const part of one.deliveries ?? []) await storeDelivery(pool, id, part);
  for (const { item, ...part } of one.digests ?? []) {
    const digest = randomUUID();
    await pool.sql`insert into digests (id, tenant_id, event_type, channel, user_id, locale, key,
        opened_at, window_ends_at)
      values (${digest}, 'a', 'x', ${part.channel}, 'u', '', '', now(), now())`;
    await pool.sql`insert into digest_items values (${digest}, ${id}, now(), ${item})`;
    await storeDelivery(pool, digest, part);
  }
  if (one.hasNotification) {
    await aNotification(pool, { id, tenant_id: "a", user_id: "u" });
  }
  return id;
}

async function storeDelivery(pool: TestPool, eventId: string, part: Part): Promise<void> {
  const { channel, status, reason = null, classes = [] } = part;
  const id = randomUUID();
  await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, template_version_id,
      status, reason, attempts,
    due_at, released_at)
    values (${id}, ${eventId}, 'a', ${channel}, 1, ${status}, ${reason}, ${classes.length}, now(), now())`;
  for (const [at, kind] of classes.entries()) {
    await anAttempt(pool, { delivery_id: id, number: at + 1, class: kind });
  }
}

/** Statuses of its deliveries by channel, then of its digests' with the states of its items. */
async function left(pool: TestPool, id: string): Promise<string> {
  const rows = await pool.sql<{
    words: string;
  }>`select d.status || case when d.reason like '#cancelled%'
      and coalesce(d.due_at, d.released_at, d.claimed_until) is not null then ' and due' else '' end as words
    from deliveries d where d.event_id = ${id}
    order by d.channel`;
  const items = await pool.sql<{ words: string }>`select d.status || ' ' || i.state as words
    from digest_items i
    join deliveries d on d.event_id = i.digest_id where i.event_id = ${id}`;
  return [...rows, ...items].map(({ words }) => words).join(" ");
}

test("a digest that is tried again with every event of it cancelled is not sent", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 1)");
  await pool.query(
    `insert into templates (id, tenant_id, event_type, channel) values (gen_random_uuid(), 'a', 'x', 'EMAIL')`,
  );
  await pool.query(
    `insert into template_versions (template_id, version, content, compiled)
     select id, 1, '', '{}' from templates where tenant_id = 'a'`,
  );
  const one: Case = {
    digests: [{ channel: EMAIL, status: "waiting", classes: ["transient"], item: "in" }],
    says: "cancelled",
  };
  const id = await store(pool, one);
  await pool.query(
    "update digests set closed_at = now(); update deliveries set template_version_id = (select max(id) from template_versions)",
  );
  await cancelEvents(db, "a", [id]);
  const rows = await pool.sql`select id from deliveries`;
  const [claim] = await claimDeliveries(
    pool,
    [{ id: rows[0].id, tenantId: "a", provider: { id: randomUUID(), kind: "sandbox" } }],
    { channel: "EMAIL", leaseMs: 1000, maxRetries: 7 },
  );
  assert.equal(claim?.becomes, "skipped");
  assert.equal("reason" in claim && claim.reason, "every event of it was cancelled");
});

type End = Pick<Settlement, "status"> & { class: OutcomeClass | null };

/** How the try ends during which a cancel came, and what it leaves: of the event when it is asked again, of the delivery. */
const ENDS: Record<string, { classes?: string[]; end: End; says: string; leaves: string }> = {
  "fails for now": {
    end: { status: "waiting", class: "transient" },
    ...{ says: "cancelled", leaves: "skipped: cancelled" },
  },
  "fails for good": {
    end: { status: "failed", class: "permanent" },
    ...{ says: "cancelled", leaves: "skipped: cancelled" },
  },
  "makes no call": {
    end: { status: "waiting", class: null },
    ...{ says: "cancelled", leaves: "skipped: cancelled" },
  },
  "is accepted": {
    end: { status: "accepted", class: "accepted" },
    ...{ says: "partly SMS", leaves: "accepted" },
  },
  "gets no answer": {
    end: { status: "waiting", class: "ambiguous" },
    ...{ says: "partly SMS", leaves: "unknown: cancelled after a try of unknown outcome" },
  },
  "fails for now after one of unknown outcome": {
    classes: ["ambiguous"],
    end: { status: "waiting", class: "transient" },
    ...{ says: "partly SMS", leaves: "unknown: cancelled after a try of unknown outcome" },
  },
};

function settlement(deliveryId: string, attempt: number, { status, class: kind }: End): Settlement {
  const answer = { reason: null, vendor_status: null, vendor_answer: null, message_id: null };
  return {
    ...{ deliveryId, attempt, status, reason: null, counted: true, missing: null },
    delayMs: status === "waiting" ? 1 : null,
    end: kind === null ? null : { class: kind, durationMs: 1, ...answer },
  };
}

for (const [name, { classes = [], end, says, leaves }] of Object.entries(ENDS)) {
  // One by one, and joined with many others.
  for (const others of [0, 5]) {
    test(`a try that ${name} during a cancel is the last one, settled with ${others} others`, async (t) => {
      const { pool, db } = await connectedDatabase(t);
      const sending = { channel: EMAIL, status: "sending" };
      const id = await store(pool, {
        deliveries: [
          { ...sending, classes: [...classes, null] as (OutcomeClass | null)[] },
          { channel: SMS, status: "queued" },
          { channel: "PUSH2", status: "failed", classes: ["permanent"] },
        ],
        says: "",
      });
      for (let n = 0; n < others; n += 1) {
        await store(pool, { deliveries: [{ ...sending, classes: [null] }], says: "" });
      }
      const key =
        "insert into dedup_keys select 'a', '\\x02', id, 'x', 'A', accepted_at from events where id = $1";
      await pool.query(key, [id]);
      const isPending = classes.length === 0;
      const verdict = async () =>
        (await cancelEvents(db, "a", [id])).map((one) => [one.verdict, ...one.stopped].join(" "));
      assert.deepEqual(await verdict(), [isPending ? "pending" : says]);

      const tries = await pool.sql`select id, attempts from deliveries where status = 'sending'`;
      await settleDeliveries(
        pool,
        tries.map((row) => settlement(row.id, row.attempts, end)),
      );
      const rows = await pool.sql`select status || coalesce(': ' || reason_in_words(reason),
          '') as words, due_at from deliveries
        where event_id = ${id} and channel = 'EMAIL'`;
      assert.deepEqual(rows, [{ words: leaves, due_at: null }]);
      const isCancelled = says === "cancelled";
      const state = await pool.sql`select e.cancelled_at is not null as cancelled,
          d.status as failed, (select count(*)::integer from dedup_keys) as keys
        from events e join deliveries d on d.event_id = e.id and d.channel = 'PUSH2' where e.id = ${id}`;
      const failed = isCancelled ? "discarded" : "failed";
      assert.deepEqual(state, [{ cancelled: isCancelled, failed, keys: isCancelled ? 0 : 1 }]);
      assert.deepEqual(await verdict(), [says]);
    });
  }
}

test("of a digest that is tried again the events are left out that were cancelled during the try", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  const sending: Case = {
    digests: [{ channel: EMAIL, status: "sending", classes: [null], item: "in" }],
    says: "pending",
  };
  const id = await store(pool, sending);
  const other = await store(pool, { says: "" });
  await pool.sql`insert into digest_items (digest_id, event_id, added_at)
    select id, ${other}, now() from digests`;
  const verdicts = async () => (await cancelEvents(db, "a", [id])).map(({ verdict }) => verdict);
  assert.deepEqual(await verdicts(), ["pending"]);
  const rows = await pool.sql`select id from deliveries`;
  await settleDeliveries(pool, [
    settlement(rows[0].id, 1, { status: "waiting", class: "transient" }),
  ]);
  const states = await pool.query("select event_id as id, state from digest_items order by state");
  assert.deepEqual(states.rows, [
    { id, state: "cancelled" },
    { id: other, state: "in" },
  ]);
  assert.equal((await pool.query("select status from deliveries")).rows[0].status, "waiting");
  assert.ok((await pool.sql`select cancelled_at from events where id = ${id}`)[0].cancelled_at);
  assert.deepEqual(await verdicts(), ["cancelled"]);
});

test("a try that a cancel found and whose sender died is not tried again", async (t) => {
  const { pool, db } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 1)");
  const sending = { channel: EMAIL, status: "sending", classes: [null] };
  const id = await store(pool, { deliveries: [sending], says: "" });
  await pool.query("update deliveries set claimed_until = now() - interval '1 second'");
  const verdicts = async () => (await cancelEvents(db, "a", [id])).map(({ verdict }) => verdict);
  assert.deepEqual(await verdicts(), ["pending"]);
  const rows = await pool.sql`select id from deliveries`;
  const [claim] = await claimDeliveries(
    pool,
    [{ id: rows[0].id, tenantId: "a", provider: { id: randomUUID(), kind: "sandbox" } }],
    { channel: "EMAIL", leaseMs: 1000, maxRetries: 7 },
  );
  assert.equal(claim?.becomes, "unknown");
  assert.deepEqual(await verdicts(), ["too late"]);
});
