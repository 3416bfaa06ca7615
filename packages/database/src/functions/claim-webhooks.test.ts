import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { uuidv7 } from "uuidv7";
import { type WebhooksUnderTest, webhooksUnderTest } from "../../test/webhooks-under-test.ts";
import {
  type ClaimedWebhook,
  claimWebhooks,
  noteWebhookCalls,
  type WebhookClaimOptions,
} from "./claim-webhooks.ts";
import { releaseDeliveries } from "./release-deliveries.ts";
import { type Settlement, settleDeliveries } from "./settle-deliveries.ts";

const OPTIONS: WebhookClaimOptions = { full: [], leaseMs: 60_000, maxRetries: 3 };
const FAILURES = 3;

/** Messages of an endpoint of acme, each with a delivery as it is set; returns their ids. */
async function messages(
  { pool, webhooks }: WebhooksUnderTest,
  count: number,
  { webhook = "all", ...set }: Record<string, string> = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await pool.sql`insert into webhook_messages (id, webhook_id, tenant_id, type, payload)
    select id, ${webhooks.get(webhook) ?? uuidv7()}, 'acme', 'webhook.test', '{}'
    from unnest(${ids}::uuid[]) id`;
  const columns = Object.entries({ due_at: "now()", released_at: "now()", ...set });
  await pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel ${columns.map(([name]) => `, ${name}`).join("")})
     select id, id, 'acme', 'WEBHOOK' ${columns.map(([, value]) => `, ${value}`).join("")} from unnest($1::uuid[]) id`,
    [ids],
  );
  return ids;
}

const named = (ids: readonly string[]) => ids.map((id) => ({ id, tenantId: "acme" }));

async function rowOf({ pool }: WebhooksUnderTest, id: string | undefined) {
  const rows = await pool.sql<{ row: string; wait: number | null }>`select concat_ws(' ', status,
      attempts, retries, reason_in_words(reason), case when released_at is null then 'rests' end) as row,
           extract(epoch from due_at - clock_timestamp())::float8 as wait
    from deliveries where id = ${id}`;
  return rows[0]!;
}

async function endpoint({ pool, webhooks }: WebhooksUnderTest, name = "all") {
  const rows = await pool.sql<{
    failures: number;
    active: boolean;
    reason: string | null;
    failing: boolean;
    pause: number | null;
    probing: boolean;
  }>`select failures, active, disabled_reason as reason, failing_since is not null as failing, probing,
           round(extract(epoch from paused_until - clock_timestamp()))::integer as pause
    from webhooks where id = ${webhooks.get(name)}`;
  return rows[0]!;
}

test("a claim says what is to be posted, and takes the delivery for as long as its lease", async (t) => {
  const under = await webhooksUnderTest(t);
  const [first = "", again = ""] = await messages(under, 2);
  await under.pool.sql`update webhook_messages set resend_of = ${first} where id = ${again}`;
  await under.pool.sql`update webhooks
    set previous_secret = 'old', previous_secret_until = now() + interval '1 hour'
    where id = ${under.webhooks.get("all")}`;
  const claims = await claimWebhooks(under.pool, named([again, first, again]), OPTIONS);
  assertEach(claims, (claim) => claim.becomes, ["sending", "sending", "gone"]);
  const [claim] = claims;
  assert.ok(claim?.becomes === "sending");
  const { toldAt, ...webhook } = claim.webhook;
  assert.ok(toldAt instanceof Date);
  assert.deepEqual(webhook, {
    ...{
      id: again,
      tenantId: "acme",
      attempt: 1,
      retries: 0,
      webhookId: under.webhooks.get("all"),
    },
    ...{ url: "https://example.com/all", secret: "s", previousSecret: "old", messageId: first },
    ...{ type: "webhook.test", traceParent: null, payload: "{}", failing: false },
  });
  const [other] = await claimWebhooks(under.pool, named([again]), OPTIONS);
  assert.ok(other?.becomes === "busy" && other.waitMs > 0 && other.waitMs <= 60_000);
  const rows = await under.pool.sql`select number, provider_kind from attempts`;
  assert.deepEqual(rows, Array(2).fill({ number: 1, provider_kind: "webhook" }));
  const [foreign] = await claimWebhooks(under.pool, [{ id: first, tenantId: "other" }], OPTIONS);
  assert.equal(foreign?.becomes, "gone");
  await under.pool.query(
    `update webhooks set previous_secret_until = now() - interval '1 second' where previous_secret is not null;
     update deliveries set claimed_until = now()`,
  );
  const [later] = await claimWebhooks(under.pool, named([again]), OPTIONS);
  assert.ok(later?.becomes === "sending");
  assert.equal(later.webhook.previousSecret, null, "the one before has had its time");
});

test("what a dead sender left counts as a try of unknown outcome; after the last it has failed", async (t) => {
  const under = await webhooksUnderTest(t);
  const left = { status: "'sending'", claimed_until: "now() - interval '1 second'", attempts: "1" };
  const [once] = await messages(under, 1, left);
  const [last] = await messages(under, 1, { ...left, retries: "3" });
  await under.pool.sql`insert into attempts (delivery_id, number, provider_kind, started_at)
    select unnest(${[once, last]}::uuid[]), 1, 'webhook', now()`;
  const claims = await claimWebhooks(under.pool, named([once!, last!]), OPTIONS);
  const reason = "retries exhausted: the sender ended before the outcome was known";
  assert.deepEqual(
    claims.map((claim) => (claim.becomes === "sending" ? claim.webhook.retries : claim)),
    [1, { becomes: "failed", reason }],
  );
  assert.equal((await rowOf(under, once)).row, "sending 2 1");
  assert.equal((await rowOf(under, last)).row, `failed 1 4 ${reason} rests`);
  const rows = await under.pool.sql`select class from attempts where number = 1`;
  assert.deepEqual(rows, [{ class: "ambiguous" }, { class: "ambiguous" }]);
});

test("what rests until later, has ended, or is of another channel is gone", async (t) => {
  const under = await webhooksUnderTest(t);
  const ids = [
    ...(await messages(under, 1, { released_at: "null", due_at: "now() + interval '1 hour'" })),
    ...(await messages(under, 1, { status: "'accepted'" })),
    (await under.delivery()).id,
    uuidv7(),
  ];
  const claims = await claimWebhooks(under.pool, named(ids), OPTIONS);
  assertEach(claims, ({ becomes }) => becomes, Array(4).fill("gone"));
  assert.equal((await under.pool.query("select from attempts")).rows.length, 0);
});

test("messages of an endpoint that is gone or disabled, and of an inactive tenant, end as skipped", async (t) => {
  const under = await webhooksUnderTest(t);
  const [deleted = ""] = await messages(under, 1, { webhook: "nobody's" });
  const [disabled = ""] = await messages(under, 1, { webhook: "off" });
  const [foreign = ""] = await messages(under, 1, { webhook: "other" });
  const [gone = ""] = await messages(under, 1);
  await under.pool.sql`delete from webhook_messages where id = ${gone}`;
  const reasons = async (...ids: string[]) =>
    (await claimWebhooks(under.pool, named(ids), OPTIONS)).map((claim) =>
      claim.becomes === "skipped" ? claim.reason : claim.becomes,
    );
  assert.deepEqual(await reasons(deleted, disabled, foreign, gone), [
    "the endpoint was deleted",
    "the endpoint is disabled",
    "the endpoint was deleted",
    "the message is gone",
  ]);
  const [inactive = ""] = await messages(under, 1);
  await under.pool.query("update tenants set active = false");
  assert.deepEqual(await reasons(inactive), ["tenant inactive"]);
  assert.equal((await rowOf(under, inactive)).row, "skipped 0 0 tenant inactive rests");
  const told = await under.told();
  assert.ok(
    told.every(({ data }) => data === undefined),
    "nobody is told of what became of a message",
  );
});

test("messages of an endpoint that is full, or paused, rest and are no try", async (t) => {
  const under = await webhooksUnderTest(t);
  const [full] = await messages(under, 1, {
    webhook: "failures",
    status: "'waiting'",
    retries: "2",
  });
  const [paused] = await messages(under, 1);
  const [left] = await messages(under, 1, {
    ...{ status: "'sending'", attempts: "1", claimed_until: "now() - interval '1 second'" },
  });
  await under.pool.sql`update webhooks set paused_until = now() + interval '100 seconds'
    where id = ${under.webhooks.get("all")}`;
  const claims = await claimWebhooks(under.pool, named([full!, paused!, left!]), {
    ...OPTIONS,
    full: [under.webhooks.get("failures")!],
  });
  assertEach(claims, ({ becomes }) => becomes, ["gone", "gone", "gone"]);
  const rests = await rowOf(under, full);
  assert.equal(rests.row, "waiting 0 2 rests");
  assert.ok(rests.wait !== null && rests.wait <= 6, "six seconds at most");
  for (const [id, row] of [
    [paused, "queued 0 0 rests"],
    [left, "waiting 1 1 rests"],
  ] as const) {
    assert.deepEqual(await rowOf(under, id), { row, wait: null }, "held, without a time");
  }
});

test("a pause that has ended gives one delivery as a probe, of one replica", async (t) => {
  const under = await webhooksUnderTest(t);
  const ids = await messages(under, 6);
  await under.pool.sql`update webhooks
    set paused_until = now() - interval '1 second', failures = 3, failing_since = now()
    where id = ${under.webhooks.get("all")}`;
  const [one, other] = [await under.pool.connect(), await under.pool.connect()];
  const claimed = async (client: typeof one, part: string[]) =>
    (await claimWebhooks(client as unknown as typeof under.pool, named(part), OPTIONS)).filter(
      ({ becomes }) => becomes === "sending",
    );
  await one.query("begin");
  assert.equal((await claimed(one, ids.slice(0, 2))).length, 1);
  // Waits for nobody: who holds the endpoint may want these deliveries.
  assert.equal((await claimed(other, ids.slice(2, 4))).length, 0);
  await one.query("commit");
  assert.equal((await claimed(other, ids.slice(4))).length, 0);
  one.release();
  other.release();
  const { probing, pause } = await endpoint(under);
  assert.ok(probing && pause !== null && pause > 30 && pause <= 60, "for as long as a lease");
});

const FAILED = "answered 500";
const BACKLOG = 3_000;

/** The release loop and senders of an endpoint, without calls, and how often rows of deliveries were written. */
async function backlogUnderTest(t: TestContext) {
  const under = await webhooksUnderTest(t);
  const { pool, webhooks } = under;
  await pool.query(`
    create table writes (id uuid);
    create function note_write() returns trigger language plpgsql as $$
    begin insert into writes values (new.id); return null; end $$;
    create trigger note_write after update on deliveries for each row execute function note_write()`);
  const call = { webhookId: webhooks.get("all")!, tenantId: "acme", gone: false };
  const count = async (query: string) => (await pool.query<{ n: number }>(query)).rows[0]!.n;
  const flow = {
    ...under,
    count,
    writes: () => count("select count(*)::int as n from writes"),
    held: () => count("select count(*)::int as n from deliveries where held_for is not null"),
    note: (reason: string | null) => noteWebhookCalls(pool, [{ ...call, reason }], FAILURES),
    endpointIs: (set: string) =>
      pool.query(`update webhooks set ${set} where id = $1`, [call.webhookId]),
    /** A turn of each of two replicas. Returns what leaves. */
    async released(): Promise<string[]> {
      const turn = { channel: "WEBHOOK", inFlightPerTenant: 100, after: "", most: 2_000 } as const;
      const turns = await Promise.all([
        releaseDeliveries(pool, turn),
        releaseDeliveries(pool, turn),
      ]);
      return turns.flatMap(({ released }) => released.map(({ id }) => id));
    },
    /** Returns the claims among these deliveries. */
    async claimed(ids: string[]): Promise<ClaimedWebhook[]> {
      const claims = await claimWebhooks(pool, named(ids), OPTIONS);
      return claims.flatMap((one) => (one.becomes === "sending" ? [one.webhook] : []));
    },
    async settle(claims: ClaimedWebhook[], status: "accepted" | "waiting"): Promise<void> {
      const settlements = claims.map(
        ({ id, attempt }): Settlement => ({
          ...{ deliveryId: id, attempt, status, reason: null, counted: status === "waiting" },
          ...{ delayMs: status === "waiting" ? 3_600_000 : null, missing: null },
          end: {
            ...{
              class: status === "accepted" ? "accepted" : "transient",
              durationMs: 1,
              reason: "x",
            },
            ...{ vendor_status: null, vendor_answer: null, message_id: null },
          },
        }),
      );
      await settleDeliveries(pool, settlements);
    },
    /** Has a backlog whose endpoint is paused, all of it held. */
    async pause(backlog: number): Promise<void> {
      await messages(under, backlog, { released_at: "null" });
      for (let failure = 0; failure < FAILURES; failure += 1) await flow.note(FAILED);
      for (;;) {
        const ids = await flow.released();
        if (ids.length === 0) break;
        assert.deepEqual(await flow.claimed(ids), []);
      }
      assert.equal(await flow.held(), backlog);
      await pool.query("truncate writes");
    },
  };
  return flow;
}

test("a pause writes the rows of its probe alone, however much waits; the rest comes in parts once the endpoint answers", async (t) => {
  const flow = await backlogUnderTest(t);
  await flow.pause(BACKLOG);
  // Messages that are written meanwhile are held at once.
  for (const moved of [await flow.delivery({ status: "sending" }), await flow.delivery()]) {
    await flow.pool.sql`update deliveries set status = 'skipped' where id = ${moved.id}`;
  }
  await flow.pool.query("truncate writes");
  assert.equal(await flow.held(), BACKLOG + 2);
  for (let pause = 1; pause <= 4; pause += 1) {
    assert.deepEqual(await flow.released(), [], "paused");
    await flow.endpointIs("paused_until = clock_timestamp()");
    const probe = await flow.released();
    assert.equal(probe.length, 1);
    assert.deepEqual(await flow.released(), [], "the probe is on its way");
    const claims = await flow.claimed(probe);
    assert.equal(claims.length, 1);
    assert.deepEqual(await flow.released(), [], "the probe is under way");
    await flow.settle(claims, "waiting");
    await flow.note(FAILED);
    assert.equal(await flow.writes(), 3 * pause, "released, claimed and settled");
  }

  await flow.endpointIs("paused_until = clock_timestamp()");
  await flow.settle(await flow.claimed(await flow.released()), "accepted");
  await flow.note(null);
  await flow.pool.query("truncate writes");
  let left = await flow.held();
  assert.equal(left, BACKLOG + 2 - 5);
  const called: string[] = [];
  while (left > 0) {
    const ids = await flow.released();
    assert.ok(ids.length > 0 && ids.length <= 32, `${ids.length} at a time`);
    assert.deepEqual(await flow.released(), [], "no more than its calls keep up with");
    const claims = await flow.claimed(ids);
    called.push(...claims.map(({ id }) => id));
    await flow.settle(claims, "accepted");
    left -= ids.length;
  }
  assert.equal(new Set(called).size, BACKLOG - 3, "each once");
  assert.equal(called.length, BACKLOG - 3);
  assert.equal(await flow.writes(), 3 * called.length);
  assert.equal(await flow.held(), 0);
});

test("what is held for an endpoint leaves in parts when a person changes, disables or deletes it", async (t) => {
  const flow = await backlogUnderTest(t);
  await flow.pause(90);
  const skipped = async (part: string[]) => {
    assert.deepEqual(await flow.claimed(part), []);
    const rows = await flow.pool.sql<{
      reason: string;
    }>`select distinct status || ': ' || reason_in_words(reason) as reason from deliveries where id = any (${part})`;
    return rows.map(({ reason }) => reason);
  };
  await flow.endpointIs(
    "paused_until = null, failures = 0, failing_since = null, url = 'https://new.example'",
  );
  const first = await flow.released();
  assert.equal(first.length, 32);
  await flow.settle(await flow.claimed(first), "accepted");
  await flow.endpointIs(
    "active = false, disabled_at = now(), paused_until = now() + interval '1 hour'",
  );
  const second = await flow.released();
  assert.equal(second.length, 32);
  assert.deepEqual(await skipped(second), ["skipped: the endpoint is disabled"]);
  await flow.pool.query("delete from webhooks");
  const third = await flow.released();
  assert.equal(third.length, 26);
  assert.deepEqual(await skipped(third), ["skipped: the endpoint was deleted"]);
  assert.deepEqual([await flow.released(), await flow.held()], [[], 0]);
});

test("a message that a person sends to a paused endpoint is its probe, before all that is held", async (t) => {
  const flow = await backlogUnderTest(t);
  await flow.pause(50);
  const [sent] = await messages(flow, 1, { released_at: "null" });
  await flow.endpointIs("paused_until = clock_timestamp()");
  assert.deepEqual(await flow.released(), [sent]);
  assert.deepEqual(
    (await flow.claimed([sent!])).map(({ id }) => id),
    [sent],
  );
});

test("a message of a paused endpoint that is named again on the queue stays held", async (t) => {
  const flow = await backlogUnderTest(t);
  await flow.pause(3);
  const ids = (await flow.pool.query<{ id: string }>("select id from deliveries")).rows;
  await flow.endpointIs("paused_until = clock_timestamp()");
  assert.deepEqual(await flow.claimed(ids.map(({ id }) => id)), []);
  assert.deepEqual([await flow.held(), await flow.writes()], [3, 0]);
});

test("after some failures in a row an endpoint is paused, from probe to probe for twice as long; one success ends it", async (t) => {
  const under = await webhooksUnderTest(t);
  const { pool, webhooks } = under;
  const call = { webhookId: webhooks.get("all")!, tenantId: "acme", reason: FAILED, gone: false };
  const note = (...calls: (typeof call | { reason: null })[]) =>
    noteWebhookCalls(
      pool,
      calls.map((one) => ({ ...call, ...one })),
      FAILURES,
    );
  const probe = async () => {
    await pool.sql`update webhooks set paused_until = now() where id = ${call.webhookId}`;
    const [id = ""] = await messages(under, 1);
    const [claim] = await claimWebhooks(pool, named([id]), OPTIONS);
    assert.ok(claim?.becomes === "sending" && claim.webhook.failing);
  };
  await note(call, call);
  assert.deepEqual(await endpoint(under), {
    ...{ failures: 2, active: true, reason: null, failing: true, pause: null, probing: false },
  });
  // Three more had begun before: they lengthen nothing.
  await note(call, call, call, call);
  const first = await endpoint(under);
  assert.deepEqual([first.failures, first.pause], [3, 30]);
  for (const seconds of [60, 120, 240, 480, 600, 600]) {
    await probe();
    await note(call, call);
    const { pause, probing } = await endpoint(under);
    assert.ok(pause !== null && pause <= seconds && pause > seconds - 10 && !probing, `${pause} s`);
  }
  await probe();
  await note({ ...call, reason: null });
  assert.deepEqual(await endpoint(under), {
    ...{ failures: 0, active: true, reason: null, failing: false, pause: null, probing: false },
  });
  const foreign = { ...call, tenantId: "other" };
  assert.deepEqual(await noteWebhookCalls(pool, [{ ...foreign, gone: true }], FAILURES), []);
  assert.equal((await endpoint(under)).failures, 0, "of another tenant");
});

test("an endpoint that says it is gone, or that nothing reaches for five days, is disabled once", async (t) => {
  const under = await webhooksUnderTest(t);
  const { pool, webhooks } = under;
  const call = { webhookId: webhooks.get("all")!, tenantId: "acme", reason: FAILED, gone: false };
  const since = (age: string) =>
    pool.sql`update webhooks set failing_since = now() - ${age}::interval
      where id = ${call.webhookId}`;
  await since("4 days 23 hours 59 minutes");
  assert.deepEqual(await noteWebhookCalls(pool, [call], FAILURES), []);
  await noteWebhookCalls(pool, [{ ...call, reason: null }], FAILURES);
  assert.deepEqual(await noteWebhookCalls(pool, [call], FAILURES), [], "one has reached it since");
  await since("5 days 1 second");
  const disabled = {
    ...{ webhookId: call.webhookId, tenantId: "acme", url: "https://example.com/all" },
    reason: `nothing has reached it for five days: ${FAILED}`,
  };
  assert.deepEqual(await noteWebhookCalls(pool, [call, call], FAILURES), [disabled]);
  assert.deepEqual(await noteWebhookCalls(pool, [call], FAILURES), []);
  const { active, reason } = await endpoint(under);
  assert.deepEqual([active, reason], [false, disabled.reason]);

  const gone = { ...call, webhookId: webhooks.get("failures")!, gone: true };
  const [told] = await noteWebhookCalls(pool, [gone], FAILURES);
  assert.equal(told?.reason, "it answered 410 Gone");
  assert.equal((await endpoint(under, "failures")).active, false);
});

test("calls are noted, and endpoints deleted, beside claims without waiting for each other in a circle", async (t) => {
  const under = await webhooksUnderTest(t);
  const { pool, webhooks } = under;
  const ids = await messages(under, 2);
  await pool.query("update webhooks set paused_until = now() - interval '1 second'");
  const client = await pool.connect();
  // Deletes in the order of an endpoint's deletion: its row first, then its dependants.
  await client.query("begin");
  await client.query("delete from webhooks where id = $1", [webhooks.get("all")]);
  const holder = await pool.connect();
  await holder.query("begin");
  const claims = await claimWebhooks(holder as unknown as typeof pool, named(ids), OPTIONS);
  assertEach(claims, ({ becomes }) => becomes, ["gone", "gone"]);
  const deleted = client.query("select * from delete_webhook_messages($1, false)", [ids]);
  await untilBlocked(pool);
  await holder.query("commit");
  assert.deepEqual((await deleted).rows, [
    { webhook_messages: "2", deliveries: "2", attempts: "0" },
  ]);
  await client.query("commit");
  client.release();
  holder.release();
});

test("a call of where an endpoint was before it moved says nothing of where it is now", async (t) => {
  const under = await webhooksUnderTest(t);
  const webhookId = under.webhooks.get("all") ?? "";
  const call = { webhookId, tenantId: "acme", reason: "it answered 410 Gone", gone: true };
  const url = "https://old.example.com/";
  assert.deepEqual(await noteWebhookCalls(under.pool, [{ ...call, url }], FAILURES), []);
  const rows = await under.pool.sql`select active, failures, failing_since from webhooks
    where id = ${webhookId}`;
  assert.deepEqual(rows, [{ active: true, failures: 0, failing_since: null }]);
  const now = { ...call, url: "https://example.com/all" };
  assert.equal((await noteWebhookCalls(under.pool, [now], FAILURES)).length, 1);
});
