import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Envelope } from "@belfry/contracts/envelope";
import { connectedDatabase } from "@belfry/testing/database";
import { untilBlocked } from "@belfry/testing/until-blocked";
import type pg from "pg";
import { acceptEvents, refuseEvents } from "./accept-events.ts";
import {
  beginAttachment,
  completeAttachment,
  deleteUnlinkedAttachments,
  expireAttachments,
  storeAttachmentChunk,
} from "./attachments.ts";
import { deleteEvents } from "./delete-events.ts";

const HOUR_MS = 3_600_000;
const SHA256 = "00".repeat(32);

async function setUp(t: test.TestContext) {
  const { pool, db } = await connectedDatabase(t);
  await pool.query(
    `insert into tenants (id, name, per_minute, daily_cap, active) values ('a', 'Acme', 100000, 100000, true)`,
  );
  await pool.query("insert into tenant_limits (tenant_id) values ('a')");
  const stored = async ({ hours = 0, complete = true } = {}) => {
    const id = randomUUID();
    await pool.sql`insert into attachments (id, tenant_id, name, type, bytes, created_at)
      values (${id}, 'a', 'a.txt', 'text/plain', 3, clock_timestamp() - ${hours} * interval '1 hour')`;
    await storeAttachmentChunk(pool, id, 0, Buffer.from("abc"));
    const whole = { bytes: 3, sha256: Buffer.from(SHA256, "hex") };
    if (complete) await completeAttachment(pool, { id, tenantId: "a" }, whole);
    return id;
  };
  const left = async (): Promise<string[]> => {
    const rows = await pool.sql`select a.id, c.attachment_id is not null as has_rows
      from attachments a
      left join attachment_chunks c on c.attachment_id = a.id order by a.created_at, a.id`;
    assert.ok(rows.every((row) => row.has_rows));
    const chunks = await pool.query("select count(*)::integer as n from attachment_chunks");
    assert.equal(chunks.rows[0].n, rows.length, "no row is left behind");
    return rows.map(({ id }) => id);
  };
  return { pool, db, stored, left };
}

function naming(ids: readonly string[], key: string = randomUUID()) {
  const attachments = ids.map((id) => ({
    id,
    name: "a.txt",
    type: "text/plain",
    bytes: 3,
    sha256: SHA256,
  }));
  return {
    tenantId: "a",
    dedupKey: hash("sha256", key),
    id: randomUUID(),
    eventType: "invoice",
    userId: "u",
    reference: null,
    recipientEmail: null,
    recipientPhone: null,
    variables: null,
    traceId: "t",
    options: { envelope: { attachments } satisfies Envelope },
  };
}

function other() {
  const { id, dedupKey } = naming([]);
  return { id, dedupKey };
}

async function accept(pool: Pick<pg.Pool, "query">, event: ReturnType<typeof naming>) {
  const [result] = await acceptEvents(pool, [event]);
  return result!.outcome;
}

const now = () => new Date();

test("what no event has named for 24 hours is deleted, and what an upload left behind after a minute", async (t) => {
  const { pool, stored, left } = await setUp(t);
  const [old, named] = [await stored({ hours: 24 }), await stored({ hours: 23.9 })];
  const [young, cut] = [await stored(), await stored({ hours: 0.02, complete: false })];
  const uploading = await stored({ complete: false });
  assert.equal(await accept(pool, naming([named])), "accepted");
  assert.equal(await expireAttachments(pool, now(), 50), 2);
  const rest = await left();
  assert.deepEqual(rest.toSorted(), [named, young, uploading].toSorted(), `${old} and ${cut} went`);
  assert.equal(await expireAttachments(pool, new Date(Date.now() + 48 * HOUR_MS), 50), 2);
  assert.deepEqual(await left(), [named]);
});

test("a killed upload counts against its tenant for a minute alone", async (t) => {
  const { pool, stored } = await setUp(t);
  await stored({ hours: 0.02, complete: false });
  const begin = () => {
    const upload = { id: randomUUID(), tenantId: "a", name: "a", type: "a/b", bytes: 1 };
    return beginAttachment(pool, upload, { bytes: 1_000, files: 1 });
  };
  assert.equal((await begin()).outcome, "begun");
  assert.equal((await begin()).outcome, "full", "the one that has just begun");
});

test("10,000 uploads that are never named are gone, step by step", async (t) => {
  const { pool, left } = await setUp(t);
  await pool.query(
    `with made as (
       insert into attachments (id, tenant_id, name, type, bytes, complete, sha256, created_at)
       select gen_random_uuid(), 'a', 'a', 'a/b', 1, true, '', clock_timestamp() - interval '25 hours'
       from generate_series(1, 10000) returning id
     )
     insert into attachment_chunks (attachment_id, n, data) select id, 0, 'x' from made`,
  );
  const steps: number[] = [];
  do steps.push(await expireAttachments(pool, now(), 1_000));
  while (steps.at(-1) !== 0);
  assert.deepEqual(steps, [...new Array<number>(10).fill(1_000), 0]);
  assert.deepEqual(await left(), []);
});

test("naming and expiry race for a file, and exactly one of them wins", async (t) => {
  const { pool, stored, left } = await setUp(t);
  const wanted = await stored();
  const later = new Date(Date.now() + 25 * HOUR_MS);
  const client = await pool.connect();
  await client.query("begin");
  assert.equal(await accept(client, naming([wanted])), "accepted");
  assert.equal(await expireAttachments(pool, later, 50), 0, "it is passed by");
  await client.query("commit");
  assert.equal(await expireAttachments(pool, later, 50), 0);
  assert.deepEqual(await left(), [wanted]);

  const gone = await stored();
  await client.query("begin");
  await client.query("select expire_attachments(p_moment => $1, p_most => 50)", [later]);
  const outcome = await accept(pool, naming([gone, wanted]));
  assert.equal(outcome, "attachments", "it does not wait for the expiry");
  await client.query("commit");
  client.release();
  assert.deepEqual(await left(), [wanted]);
  assert.equal((await pool.sql`select count(*)::integer as n from event_attachments`)[0].n, 1);
});

test("a file goes with the last event that names it: erasing one user keeps another's", async (t) => {
  const { pool, db, stored, left } = await setUp(t);
  const [shared, own] = [await stored(), await stored()];
  const [erased, kept] = [naming([shared, own]), naming([shared])];
  await acceptEvents(pool, [erased, kept]);
  await deleteEvents(db, [erased.id], { spare: true });
  assert.deepEqual(await deleteUnlinkedAttachments(pool, "a"), { rows: 1, more: true });
  assert.deepEqual(await deleteUnlinkedAttachments(pool, "a"), { rows: 0, more: false });
  assert.deepEqual(await left(), [shared]);
  await deleteEvents(db, [kept.id], { spare: true });
  await deleteUnlinkedAttachments(pool, null);
  assert.deepEqual(await left(), []);
  assert.equal((await pool.sql`select count(*)::integer as n from event_attachments`)[0].n, 0);
});

test("files are deleted about 32 MiB at a time, and no event can name one that is to be deleted", async (t) => {
  const { pool, db, stored, left } = await setUp(t);
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.push(await stored());
  const event = naming(ids);
  await accept(pool, event);
  await pool.query("update attachments set bytes = 20000000");
  await deleteEvents(db, [event.id], { spare: false });
  // A process marked them and then ended.
  await pool.query("select from mark_unlinked_attachments(p_tenant => 'a', p_most => 50)");
  assert.equal(await accept(pool, naming([ids[0]!])), "attachments");
  const steps: number[] = [];
  do steps.push(await expireAttachments(pool, now(), 50));
  while (steps.at(-1) !== 0);
  assert.deepEqual(steps, [2, 2, 1, 0]);
  assert.deepEqual(await left(), []);
});

test("a file stays if an event names it while its last other event is deleted; neither waits for the other", async (t) => {
  const { pool, db, stored, left } = await setUp(t);
  const shared = await stored();
  const [first, second] = [naming([shared]), naming([shared])];
  await accept(pool, first);
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select from delete_events(p_ids => $1, p_spare => false)", [[first.id]]);
  assert.equal(await accept(pool, second), "accepted");
  await client.query("commit");
  await deleteUnlinkedAttachments(pool, "a");
  assert.deepEqual(await left(), [shared]);

  await client.query("begin");
  await accept(client, naming([shared]));
  await deleteEvents(db, [second.id], { spare: false });
  const deleting = deleteUnlinkedAttachments(pool, "a");
  await untilBlocked(pool);
  await client.query("commit");
  client.release();
  assert.deepEqual(await deleting, { rows: 0, more: true });
  assert.deepEqual(await left(), [shared]);
});

test("events are accepted while somebody holds the row of a file: only those that name it are refused", async (t) => {
  const { pool, stored } = await setUp(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('b', 'B', 100)");
  await pool.query("insert into tenant_limits (tenant_id) values ('b')");
  const [named, unnamed] = [await stored(), await stored()];
  await accept(pool, naming([named]));
  const holder = await pool.connect();
  await holder.query("begin; select from attachments for update");
  const plain = { ...naming([]), options: null };
  const batch = [
    naming([named]),
    naming([unnamed]),
    plain,
    { ...plain, ...other(), tenantId: "b" },
  ];
  const results = await acceptEvents(pool, batch);
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ["attachments", "attachments", "accepted", "accepted"],
  );
  // A deletion of events holds no file's row while it deletes everything else.
  await holder.query("rollback; begin");
  const event = naming([named]);
  await accept(pool, event);
  await holder.query("select from delete_events(p_ids => $1, p_spare => false)", [[event.id]]);
  const free = await pool.query("select from attachments for update skip locked");
  assert.equal(free.rowCount, 2);
  await holder.query("rollback");
  holder.release();
});

test("an event that is refused and accepted again names its files once, and lets go of others", async (t) => {
  const { pool, stored, left } = await setUp(t);
  const [one, two] = [await stored(), await stored()];
  const first = naming([one, two], "key");
  await accept(pool, first);
  await refuseEvents(pool, [first.id]);
  assert.equal(await accept(pool, naming([two], "key")), "reopened");
  await deleteUnlinkedAttachments(pool, "a");
  assert.deepEqual(await left(), [two]);
  const rows = await pool.sql`select event_id, attachment_id from event_attachments`;
  assert.deepEqual(rows, [{ event_id: first.id, attachment_id: two }]);
});

test("an event cannot name a file with other bytes than the caller has seen, nor another tenant's", async (t) => {
  const { pool, stored } = await setUp(t);
  const id = await stored();
  await pool.query("update attachments set sha256 = 'x'");
  assert.equal(await accept(pool, naming([id])), "attachments");
  await pool.query(
    "insert into tenants (id, name, per_minute, daily_cap, active) values ('b', 'B', 100, 100, true)",
  );
  await pool.query("insert into tenant_limits (tenant_id) values ('b')");
  await pool.sql`update attachments set sha256 = decode(${SHA256}, 'hex')`;
  assert.equal(await accept(pool, { ...naming([id]), tenantId: "b" }), "attachments");
  const batch = [naming([id]), naming([randomUUID()], "k"), naming([randomUUID()], "k")];
  const outcomes = (await acceptEvents(pool, batch)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["accepted", "attachments", "attachments"]);
});

test("a tenant's files take no more than its operator allows, counted exactly whoever uploads or deletes", async (t) => {
  const { pool, db, stored } = await setUp(t);
  const MIB = 1024 * 1024;
  await pool.query("update tenants set max_attachment_mib = 25");
  const counted = async () => {
    const rows =
      await pool.sql`select (select bytes::integer from attachment_sums where tenant_id = 'a') as counted,
      (select sum(bytes)::integer from attachments) as stored`;
    assert.equal(rows[0].counted, rows[0].stored ?? 0);
    return rows[0].counted;
  };
  const begin = async (id: string = randomUUID()) =>
    await beginAttachment(pool, {
      ...{ id, tenantId: "a" },
      name: "a",
      type: "a/b",
      bytes: 10 * MIB,
    });
  const outcomes = async (...begun: ReturnType<typeof begin>[]) =>
    (await Promise.all(begun)).map(({ outcome }) => outcome).toSorted();
  const named = await stored();
  const event = naming([named]);
  await accept(pool, event);
  assert.equal(await counted(), 3);
  // Several replicas begin uploads at once.
  const at = [randomUUID(), randomUUID()];
  const [one, two, more] = [begin(at[0]), begin(at[1]), begin()];
  assert.deepEqual(await outcomes(one, two, more), ["begun", "begun", "storage"]);
  assert.equal(await counted(), 20 * MIB + 3);
  // A file that turns out smaller gives back the rest; an upload whose process died, all of it.
  const rows = await pool.sql`select id from attachments where not complete`;
  const [whole, cut] = rows.map(({ id }) => id);
  await completeAttachment(
    pool,
    { id: whole, tenantId: "a" },
    { bytes: 5, sha256: Buffer.from("") },
  );
  assert.equal(await counted(), 10 * MIB + 8);
  await pool.sql`update attachments set created_at = created_at - interval '1 hour'
    where id = ${cut}`;
  await expireAttachments(pool, now(), 50);
  assert.equal(await counted(), 8);
  await deleteEvents(db, [event.id], { spare: false });
  await deleteUnlinkedAttachments(pool, "a");
  assert.equal(await counted(), 5);
  // Files of events count as well, and a lower bound deletes none.
  await pool.sql`update attachments set named = true where id = ${whole}`;
  await pool.query("update tenants set max_attachment_mib = 0");
  assert.deepEqual(await outcomes(begin()), ["storage"]);
  await pool.query("delete from attachments");
  assert.equal(await counted(), 0);
});

test("an event without files runs no statement for them", async (t) => {
  const { pool } = await setUp(t);
  const tables = [
    ...["attachments", "event_attachments", "attachment_chunks"],
    ...["attachment_sums", "unlinked_attachments"],
  ];
  // Every reader and writer of these tables waits.
  const blocker = await pool.connect();
  await blocker.query(`begin; lock table ${tables.join(", ")} in access exclusive mode`);
  const plain = { ...naming([]), options: null };
  const few = { ...naming([]), options: { locale: "de", envelope: { fromName: "Ann" } } };
  assert.deepEqual(
    (await acceptEvents(pool, [plain, few])).map(({ outcome }) => outcome),
    ["accepted", "accepted"],
  );
  await blocker.query("rollback");
  blocker.release();
});
