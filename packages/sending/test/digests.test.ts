import assert from "node:assert/strict";
import { test } from "node:test";
import { noteUse } from "@belfry/database/configuration-version";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { takeBackRelease } from "@belfry/database/functions/release-deliveries";
import { postponeDeliveries } from "@belfry/database/functions/settle-deliveries";
import { setPreferences } from "@belfry/database/preferences";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { aDelivery, aRecipient } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { createDigests, type Digests, LOOP } from "./digest-fixture.ts";
import { startVendor, status } from "./vendor.ts";

/** Events of these people, in order. */
async function comments({ event }: Digests, ...people: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const by of people) ids.push(await event({ by }));
  return ids;
}

test("a digest is one message: its events in a loop, their number, and the variables of the newest", async (t) => {
  const digests = await createDigests(t);
  const ids = await comments(digests, "Ann", "Bob", "Cid");
  const { id, deliveryId } = await digests.digest(ids);
  assert.equal((await digests.send(deliveryId)).status, "accepted");
  const [mail, ...others] = await digests.sent(deliveryId);
  assert.equal(others.length, 0);
  assertHas(mail, { subject: "3 comments", html: "<p>Ann;Bob;Cid;</p><p>last Cid</p>" });
  assert.ok((await digests.digestRow(id)).closed_at);
  const said = digests.fixture.logged.find(({ deliveryId: of }) => of === deliveryId);
  assert.equal(said?.traceId, `trace-${ids[2]}`, "the trace of the newest");
});

test("the first attempt fixes the content of a digest: a retry keeps its events and its version", async (t) => {
  const digests = await createDigests(t);
  const { pool } = digests;
  const ids = await comments(digests, "Ann", "Bob");
  const { id, deliveryId } = await digests.digest(ids, { unlessRead: true });
  const newest = await digests.publish({ ...LOOP, subject: "Second: {{$count}}" });
  // A sender that died in its first attempt.
  const [claimed] = await claim(digests, deliveryId);
  assert.equal(claimed?.template_version_id, newest, "the version in force when it was released");
  await pool.sql`update deliveries set claimed_until = now() - interval '1 s'
    where id = ${deliveryId}`;
  await digests.publish({ ...LOOP, subject: "Third: {{$count}}" });
  await digests.read(ids[0]!);
  const row = await digests.send(deliveryId);
  assertHas(row, { status: "accepted", template_version_id: newest });
  assert.deepEqual(
    (await digests.sent(deliveryId)).map(({ subject, html }) => [subject, html]),
    [["Second: 2", "<p>Ann;Bob;</p><p>last Bob</p>"]],
  );
  assert.deepEqual(await digests.states(id), ["in", "in"]);
});

async function claim({ pool, tenant, channel }: Digests, deliveryId: string) {
  const rows = await pool.sql`select c.* from providers p cross join lateral claim_deliveries(
      p_channel => ${channel}, p_ids => array[${deliveryId}::uuid], p_tenants => array[${tenant}],
      p_providers => array[p.id], p_kinds => array[p.kind], p_lease_ms => 30000, p_max_retries => 6) c
    where p.tenant_id = ${tenant}`;
  return rows;
}

test("another provider takes over with the same events", async (t) => {
  const digests = await createDigests(t);
  const { fixture, pool, tenant } = digests;
  const vendor = await startVendor(t, status(503));
  const first = await fixture.sendgrid(tenant, vendor.url, { position: -1 });
  const ids = await comments(digests, "Ann", "Bob");
  const { id, deliveryId } = await digests.digest(ids, { unlessRead: true });
  assert.equal((await digests.send(deliveryId)).status, "waiting");
  assert.equal(vendor.calls[0]?.body.subject, "2 comments");
  await digests.read(...ids);
  await digests.publish({ ...LOOP, subject: "Second: {{$count}}" });
  await pool.sql`update providers set active = false where id = ${first}`;
  await fixture.release(deliveryId);
  assert.equal((await digests.send(deliveryId, fixture.sender())).status, "accepted");
  assert.equal((await digests.sent(deliveryId))[0]?.subject, "2 comments");
  assert.deepEqual(await digests.states(id), ["in", "in"]);
});

test("a digest in quiet hours stays open, and the first attempt after them closes it", async (t) => {
  const digests = await createDigests(t);
  const { pool, tenant } = digests;
  const rows = await pool.sql`select clock_timestamp() as now`;
  const at = (minutes: number) =>
    new Date(rows[0].now.getTime() + minutes * 60_000).toISOString().slice(11, 16);
  await aRecipient(pool, { tenant_id: tenant, quiet_from: at(-60), quiet_to: at(30) });
  await noteUse(digests.fixture.db, tenant, "uses_recipients");
  const ids = await comments(digests, "Ann");
  const { id, deliveryId } = await digests.digest(ids, { openedSecondsAgo: 61 });
  const quiet = await digests.send(deliveryId);
  assert.deepEqual([quiet.status, quiet.released_at, quiet.attempts], ["queued", null, 0]);
  assert.equal((await digests.digestRow(id)).closed_at, null);
  const late = await digests.event({ by: "Bob" });
  await pool.sql`insert into digest_items (digest_id, event_id, added_at)
    values (${id}, ${late}, now())`;
  await pool.query("update recipients set quiet_from = null, quiet_to = null");
  await digests.fixture.release(deliveryId);
  assert.equal((await digests.send(deliveryId)).status, "accepted");
  assert.equal((await digests.sent(deliveryId))[0]?.subject, "2 comments");
});

test("events that were read in the inbox are left out; if all were read, nothing is sent", async (t) => {
  const digests = await createDigests(t);
  const ids = await comments(digests, "Ann", "Bob", "Cid");
  const some = await digests.digest(ids, { unlessRead: true });
  await digests.read(ids[1]!, ids[2]!);
  await digests.send(some.deliveryId);
  const [mail] = await digests.sent(some.deliveryId);
  assert.deepEqual([mail?.subject, mail?.html], ["1 comments", "<p>Ann;</p><p>last Ann</p>"]);
  assert.deepEqual(await digests.states(some.id), ["in", "read", "read"]);

  const all = await digests.digest([ids[1]!, ids[2]!], { unlessRead: true });
  const row = await digests.send(all.deliveryId);
  assert.deepEqual([row.status, row.reason], ["skipped", "read in the inbox"]);
  assert.ok((await digests.digestRow(all.id)).closed_at);

  const anyway = await digests.digest([ids[1]!]);
  assert.equal((await digests.send(anyway.deliveryId)).status, "accepted", "it is sent anyway");

  await digests.pool.query("update templates set after_unread_seconds = 60");
  const later = await digests.digest([ids[1]!]);
  const skipped = await digests.send(later.deliveryId);
  assert.equal(skipped.reason, "read in the inbox", "by the template's setting of now");
});

test("a digest that was released and then closed by a later dispatch is settled by its first attempt as usual", async (t) => {
  const digests = await createDigests(t);
  const ids = await comments(digests, "Ann", "Bob");
  const { id, deliveryId } = await digests.digest(ids, { unlessRead: true });
  const newest = await digests.publish({ ...LOOP, subject: "Second: {{$count}}" });
  await digests.read(ids[0]!);
  // Closes the digest, as time_deliveries does if an event cannot join it.
  await digests.pool.sql`update digests set closed_at = clock_timestamp() where id = ${id}`;
  const row = await digests.send(deliveryId);
  assert.deepEqual([row.status, row.template_version_id], ["accepted", newest]);
  assert.equal((await digests.sent(deliveryId))[0]?.subject, "Second: 1");
  assert.deepEqual(await digests.states(id), ["read", "in"]);
});

test("a digest of which every event was cancelled is skipped", async (t) => {
  const digests = await createDigests(t);
  const ids = await comments(digests, "Ann", "Bob");
  const { id, deliveryId } = await digests.digest(ids);
  await digests.pool.sql`update digest_items set state = 'cancelled' where event_id = ${ids[0]}`;
  const other = await digests.digest(ids);
  await digests.pool.sql`update digest_items set state = 'cancelled' where digest_id = ${id}`;
  const row = await digests.send(deliveryId);
  assert.deepEqual([row.status, row.reason], ["skipped", "every event of it was cancelled"]);
  assert.ok((await digests.digestRow(id)).closed_at);
  await digests.send(other.deliveryId);
  assert.equal((await digests.sent(other.deliveryId))[0]?.subject, "2 comments");
});

test("a single delivery is skipped if its notification was read, but only before its first attempt", async (t) => {
  const digests = await createDigests(t);
  const { pool, tenant, version } = digests;
  const now = new Date();
  const of = { tenant_id: tenant, template_version_id: version, recipient: "ann@example.com" };
  const due = { ...of, due_at: now, released_at: now };
  const one = (eventId: string, unlessRead: boolean) =>
    aDelivery(pool, { ...due, event_id: eventId, unless_read: unlessRead || null });
  const ids = await comments(digests, "Ann", "Bob", "Cid", "Dan");
  const [readOne, unread, anyway, tried] = ids as [string, string, string, string];
  const later = await one(tried, true);
  await claim(digests, later);
  await pool.sql`update deliveries set claimed_until = now() - interval '1 s' where id = ${later}`;
  await digests.read(readOne, anyway, tried);
  const skipped = await digests.send(await one(readOne, true));
  assert.deepEqual([skipped.status, skipped.reason], ["skipped", "read in the inbox"]);
  const single = await one(unread, true);
  assert.equal((await digests.send(single)).status, "accepted");
  assertEach(
    await digests.sent(single),
    ({ subject, html }) => [subject, html],
    [["1 comments", "<p>Bob;</p><p>last Bob</p>"]],
    "of its own event alone",
  );
  assert.equal((await digests.send(await one(anyway, false))).status, "accepted");
  assert.equal((await digests.send(later)).status, "accepted", "somebody may have it already");
});

test("preferences and suppressions apply when a digest leaves", async (t) => {
  const digests = await createDigests(t);
  const { pool, tenant, fixture } = digests;
  const ids = await comments(digests, "Ann");
  await setPreferences(fixture.db, { tenantId: tenant, userId: "ann" }, "unsubscribe link", [
    { category: "*", channel: "EMAIL", enabled: false },
  ]);
  await noteUse(fixture.db, tenant, "uses_preferences");
  const off = await digests.digest(ids, { openedSecondsAgo: 61 });
  const skipped = await digests.send(off.deliveryId);
  assert.match(`${skipped.status} ${skipped.reason}`, /^skipped turned off by the user on EMAIL/);
  assert.ok((await digests.digestRow(off.id)).closed_at, "nothing joins what has ended");
  const young = await digests.send((await digests.digest(ids)).deliveryId);
  assert.equal(young.reason, skipped.reason, "turned off since it was opened");
  await pool.query("delete from preferences");
  await pool.sql`insert into suppressions (tenant_id, channel, address, reason)
    values (${tenant}, 'EMAIL', 'ann@example.com', 'bounced')`;
  const suppressed = await digests.send((await digests.digest(ids)).deliveryId);
  assert.equal(suppressed.reason, "address suppressed (bounced)");
});

test("a digest uses the template that exists when it leaves: its version, its language, or none", async (t) => {
  const digests = await createDigests(t);
  const { pool, tenant } = digests;
  const ids = await comments(digests, "Ann");
  const german = await digests.publish({ ...LOOP, subject: "{{$count}} Kommentare" }, "de");
  const translated = await digests.digest(ids, { locale: "de" });
  assert.equal((await digests.send(translated.deliveryId)).template_version_id, german);
  assert.equal((await digests.sent(translated.deliveryId))[0]?.subject, "1 Kommentare");

  await pool.query("delete from template_variants where locale = 'de'");
  const untranslated = await digests.digest(ids, { locale: "de" });
  const instead = await digests.send(untranslated.deliveryId);
  assert.deepEqual(
    [instead.status, instead.template_version_id],
    ["accepted", digests.version],
    "the translation is gone: the default",
  );

  await pool.query("update templates set active = false");
  const inactive = await digests.send((await digests.digest(ids)).deliveryId);
  assert.deepEqual([inactive.status, inactive.reason], ["skipped", "no active template"]);

  await pool.sql`update tenants set active = false where id = ${tenant}`;
  const nobody = await digests.send((await digests.digest(ids)).deliveryId);
  assert.deepEqual([nobody.status, nobody.reason], ["skipped", "tenant inactive"]);
  await pool.sql`update tenants set active = true where id = ${tenant}`;

  const waiting = await digests.digest(ids);
  await pool.query("delete from templates");
  const gone = await digests.send(waiting.deliveryId);
  assert.deepEqual([gone.status, gone.reason], ["failed", "the template is gone"]);
});

test("a digest stays open if its release is undone, or if no sender could begin it", async (t) => {
  const digests = await createDigests(t);
  const { pool, tenant } = digests;
  const { id, deliveryId } = await digests.digest(await comments(digests, "Ann"));
  const isOpen = async () => {
    const { status, released_at, attempts } = await digests.fixture.row(deliveryId);
    const { closed_at } = await digests.digestRow(id);
    return status === "queued" && released_at === null && attempts === 0 && closed_at === null;
  };
  await takeBackRelease(pool, [deliveryId]);
  assert.equal(await isOpen(), true);
  await digests.fixture.release(deliveryId);
  await postponeDeliveries(pool, {
    ...{ tenantId: tenant, ids: [deliveryId], reason: null, delayMs: 1000, spacingMs: 0 },
  });
  assert.equal(await isOpen(), true);
});

test("if a template has become sensitive, the events of a digest lose their variables once it has ended", async (t) => {
  const digests = await createDigests(t);
  const { pool } = digests;
  const ids = await comments(digests, "Ann", "Bob", "Cid");
  const [ann = "", bob = "", cid = ""] = ids;
  const sent = await digests.digest([ann, bob]);
  await digests.digest([bob, cid], { rests: true });
  await pool.query("update templates set sensitive = true");
  assert.equal((await digests.send(sent.deliveryId)).status, "accepted");
  const rows = await pool.sql`select variables is null as erased from events
    where id = any (${ids}) order by id`;
  assertEach(
    rows,
    ({ erased }) => erased,
    [true, false, false],
    "what another digest waits for stays",
  );
  assert.equal((await digests.sent(sent.deliveryId))[0]?.subject, "2 comments");
});

test("of many digests of maximum size one claim takes as many as fit, and the others follow at once", async (t) => {
  const digests = await createDigests(t);
  const by = "x".repeat(1_040_000);
  const all: string[] = [];
  for (let one = 0; one < 20; one += 1) {
    all.push((await digests.digest([await digests.event({ by })])).deliveryId);
  }
  const provider = { id: uuidv7(), kind: "sandbox" };
  const claim = (ids: readonly string[]) =>
    claimDeliveries(
      digests.pool,
      ids.map((id) => ({ id, tenantId: digests.tenant, provider })),
      { channel: "EMAIL", leaseMs: 30_000, maxRetries: 7 },
    );
  const claims = await claim(all);
  const which = (becomes: string) => all.filter((_, at) => claims[at]!.becomes === becomes);
  // The last of them exceeds the limit of 16 MiB.
  assert.deepEqual([which("sending").length, which("busy").length], [17, 3]);
  const rest = await claim(which("busy"));
  assertEach(rest, ({ becomes }) => becomes, ["sending", "sending", "sending"]);
});
