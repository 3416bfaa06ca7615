import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { actsIn } from "../../test/acts.ts";
import { refusedWith, tenantDatabase } from "../../test/database.ts";
import { storeComment, storeDigest, storeLoop } from "../../test/store-digests.ts";
import { replayDeadLetters } from "../dead-letters/change-dead-letters.ts";
import { listDeadLetters, showDeadLetter } from "../dead-letters/dead-letters.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { listDigests, releaseDigest, showDigest } from "./digests.ts";
import { readEvent } from "./event-report.ts";
import { searchEvents } from "./search-events.ts";
import { sentContent } from "./sent-content.ts";

async function setUp(t: TestContext) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  const versionId = await storeLoop(pool, tenantId);
  const comments: string[] = [];
  for (const by of ["Bob", "Cid", "Dan"]) comments.push(await storeComment(pool, tenantId, by));
  const row = async (id: string) => (await pool.sql`select * from deliveries where id = ${id}`)[0];
  const digestRow = async (id: string) =>
    (await pool.sql`select * from digests where id = ${id}`)[0];
  return { pool, db, tenantId, versionId, comments, row, digestRow };
}

test("open windows are listed with until when and of how many events, and shown with their events", async (t) => {
  const { pool, db, tenantId, comments } = await setUp(t);
  const states = ["in", "cancelled", "in"];
  const open = await storeDigest(pool, tenantId, comments, { states });
  await storeDigest(pool, tenantId, comments, { status: "accepted" });
  const { id: otherId } = await createTenant(db, { name: "Other" });
  const foreign = await storeDigest(pool, otherId, []);
  const leading = await storeDigest(pool, tenantId, comments.slice(0, 1), { states: ["alone"] });
  await pool.sql`delete from deliveries where id = ${leading.deliveryId}`;

  const listed = await actsIn(db, tenantId)(listDigests, {});
  assertEach(
    listed,
    ({ id, count, open: isOpen, delivery }) => [id, count, isOpen, delivery?.status],
    [
      [open.id, 2, true, "queued"],
      [leading.id, 0, true, undefined],
    ],
  );
  assert.ok(Date.parse(listed[0]?.windowEndsAt ?? "") > Date.parse(listed[0]?.openedAt ?? ""));
  assert.ok(listed[0]?.delivery?.dueAt);
  const shown = await actsIn(db, tenantId)(showDigest, { id: open.id });
  assert.deepEqual(
    shown.events.map(({ eventId, state }) => [eventId, state]),
    comments.map((id, at) => [id, states[at]]),
  );
  await assert.rejects(
    actsIn(db, tenantId)(showDigest, { id: foreign.id }),
    NotFound,
    "another tenant's",
  );
  await assert.rejects(actsIn(db, tenantId)(showDigest, { id: "no id" }), NotFound);
  await assert.rejects(actsIn(db, "nobody")(listDigests, {}), NotFound);

  await pool.sql`update digests set window_ends_at = now() where id = ${leading.id}`;
  assertEach(
    await actsIn(db, tenantId)(listDigests, {}),
    ({ id }) => id,
    [open.id],
    "the window of a leading event alone is over",
  );
});

test("an open digest is released now; what is on its way, ended or another tenant's is not", async (t) => {
  const { pool, db, tenantId, comments, row } = await setUp(t);
  const open = await storeDigest(pool, tenantId, comments);
  const { id: otherId } = await createTenant(db, { name: "Other" });
  await assert.rejects(actsIn(db, otherId)(releaseDigest, { id: open.id }), NotFound);
  const rows = await pool.sql`select clock_timestamp() as now`;
  const released = await actsIn(db, tenantId)(releaseDigest, { id: open.id });
  const due = await row(open.deliveryId);
  assert.ok(due.due_at >= rows[0].now && due.due_at.getTime() < rows[0].now.getTime() + 60_000);
  assert.equal(released.windowEndsAt, due.due_at.toISOString());
  assert.equal(released.open, true, "until it leaves");

  await pool.sql`update deliveries set released_at = now() where id = ${open.deliveryId}`;
  await refusedWith(actsIn(db, tenantId)(releaseDigest, { id: open.id }), /it is on its way/);
  const sent = await storeDigest(pool, tenantId, comments, { status: "accepted" });
  await refusedWith(actsIn(db, tenantId)(releaseDigest, { id: sent.id }), /it is accepted/);
});

test("the report of a gathered event tells with how many others, and what became of the message", async (t) => {
  const { pool, db, tenantId, comments, versionId } = await setUp(t);
  const { id, deliveryId } = await storeDigest(pool, tenantId, comments, {
    ...{ status: "accepted", versionId, states: ["in", "read", "in"] },
  });
  const [bob = "", cid = ""] = comments;
  const report = await readEvent(db, bob);
  const { EMAIL } = report.channels;
  assert.deepEqual(
    [EMAIL?.status, EMAIL?.delivery?.id, EMAIL?.delivery?.attempts.length],
    ["accepted", deliveryId, 1],
  );
  assert.deepEqual([EMAIL?.digest?.id, EMAIL?.digest?.state, EMAIL?.digest?.others], [id, "in", 1]);
  const words = report.timeline
    .filter(({ channel }) => channel === "EMAIL")
    .map(({ what }) => what);
  assert.deepEqual(words, [
    "gathered with 1 other into one message",
    "attempt 1 by sendgrid: accepted",
  ]);
  const read = await readEvent(db, cid);
  assert.deepEqual(
    [read.channels.EMAIL?.status, read.channels.EMAIL?.reason, read.channels.EMAIL?.delivery],
    ["skipped", "read in the inbox", undefined],
  );
  assert.deepEqual(read.timeline.at(-1)?.what, "left out of the message: read in the inbox");
});

test("a gathered event is found by what became of its message, and by what it was left out for", async (t) => {
  const { pool, db, tenantId, comments } = await setUp(t);
  const [bob = "", cid = "", dan = ""] = comments;
  await storeDigest(pool, tenantId, [bob, cid], {
    status: "accepted",
    states: ["in", "cancelled"],
  });
  await storeDigest(pool, tenantId, [dan]);
  const found = async (status: "sent" | "waiting" | "failed") =>
    (await searchEvents(db, { tenantId, limit: 10, status })).events.map(({ id }) => id);
  assert.deepEqual(await found("sent"), [bob]);
  assert.deepEqual(await found("waiting"), [dan]);
  assert.deepEqual(await found("failed"), []);
  const { events } = await searchEvents(db, { tenantId, limit: 10 });
  assert.deepEqual(
    events.map(({ deliveries }) => deliveries.map(({ status }) => status)),
    [["queued"], [], ["accepted"]],
  );
});

test("the message of a digest is shown as it was sent, by any of its events and by its own id", async (t) => {
  const { pool, db, tenantId, comments, versionId } = await setUp(t);
  const [bob = "", cid = "", dan = ""] = comments;
  const { id } = await storeDigest(pool, tenantId, comments, {
    ...{ status: "accepted", versionId, states: ["in", "in", "read"] },
  });
  for (const by of [bob, cid, id]) {
    const shown = await sentContent(db, tenantId, by, "EMAIL");
    assert.ok(shown.shown && shown.content.kind === "email");
    assertHas(shown.content, { subject: "2 comments", html: "<p>Bob;Cid;</p>" });
  }
  await assert.rejects(sentContent(db, tenantId, dan, "EMAIL"), NotFound, "it was left out");
  const { id: otherId } = await createTenant(db, { name: "Other" });
  await assert.rejects(sentContent(db, otherId, bob, "EMAIL"), NotFound);

  await pool.query("update templates set sensitive_until = now()");
  assert.equal((await sentContent(db, tenantId, bob, "EMAIL")).shown, false);
});

test("a digest that ended is a dead letter with its type and user, and replaying it adds no event to it", async (t) => {
  const { pool, db, tenantId, comments, versionId, row, digestRow } = await setUp(t);
  const digest = await storeDigest(pool, tenantId, comments, { status: "failed", versionId });
  await pool.sql`update digest_items set state = 'read' where event_id = ${comments[0]}`;
  // A digest that expired before any try.
  await pool.sql`update digests set closed_at = null where id = ${digest.id}`;
  const [group] = await listDeadLetters(db, { tenantId });
  assert.deepEqual([group?.count, group?.examples[0]?.eventId], [1, digest.id]);
  const shown = await showDeadLetter(db, digest.deliveryId);
  assert.ok("replayable" in shown && "userId" in shown);
  assert.deepEqual(
    [shown.eventType, shown.userId, shown.replayable, shown.obstacle],
    ["comment.posted", "ann", true, null],
  );
  const { count } = await replayDeadLetters(db, { ids: [digest.deliveryId] });
  assert.equal(count, 1);
  assert.ok((await digestRow(digest.id)).closed_at);
  assert.equal((await row(digest.deliveryId)).status, "queued");

  // Its content stays, whatever was published or read since.
  await storeNewerVersion(pool, versionId);
  await pool.sql`update deliveries set released_at = now() where id = ${digest.deliveryId}`;
  const provider = { id: "0193a1c0-0000-7000-8000-00000000000a", kind: "sandbox" };
  const [claim] = await claimDeliveries(pool, [{ id: digest.deliveryId, tenantId, provider }], {
    channel: "EMAIL",
    leaseMs: 1000,
    maxRetries: 5,
  });
  assert.ok(claim?.becomes === "sending");
  assert.equal(claim.delivery.templateVersionId, versionId);
  assert.equal(claim.delivery.digest?.count, 2);

  await pool.sql`update deliveries set status = 'failed' where id = ${digest.deliveryId}`;
  await pool.query("delete from digests");
  const gone = await showDeadLetter(db, digest.deliveryId);
  assert.ok("obstacle" in gone);
  assert.equal(gone.obstacle, "the event is gone");
});

async function storeNewerVersion(pool: Awaited<ReturnType<typeof setUp>>["pool"], of: string) {
  await pool.sql`with v as (
      insert into template_versions (template_id, version, content, compiled)
      select template_id, 2, 'x', compiled from template_versions where id = ${of} returning id, template_id
    )
    update template_variants t set current_version_id = v.id from v where t.template_id = v.template_id`;
}
