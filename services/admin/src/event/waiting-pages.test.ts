import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonOf } from "@belfry/contracts/reasons";
import { type AdminUnderTest, type startAdmin, startForTenant } from "../../test/start-admin.ts";
import { storeWaiting } from "../../test/store-waiting.ts";

const ISO_STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d/;

test("what waits is listed with its time and reason: the soonest first, 50 of each, and the rest behind", async (t) => {
  const { admin, operator, base, id } = await tenantWith(t);
  assert.match(await operator.text(base), /None\./);
  await storeWaiting(admin.pool, id, { scheduled: 120, digests: 120, held: 30 });
  const html = await operator.text(base);
  const scheduled = [...html.matchAll(/\/waiting\/([\w-]+)\/move"/g)].map(([, one]) => one);
  const { rows } = await admin.pool.query(
    "select event_id as id from scheduled_events order by send_at, event_id",
  );
  const all = rows.map((row) => row.id);
  assert.deepEqual(scheduled, all.slice(0, 50));
  assert.equal(html.match(/digests\/[\w-]+\/release/g)?.length, 50);
  assert.match(textOf(html), /Held by quiet hours/);
  assert.match(textOf(html), /Sent unless read by then/);
  assert.match(textOf(html), /Waiting for a retry/);
  assert.doesNotMatch(textOf(html), ISO_STAMP);

  // Every page of both lists, and nothing twice.
  for (const [name, pattern, count] of [
    ["Later", /\/waiting\/([\w-]+)\/move"/g, 120],
    ["More users", /digests\/([\w-]+)\/release/g, 120],
  ] as const) {
    const seen: string[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const shown = await operator.text(`${base}${next}`);
      seen.push(...[...shown.matchAll(pattern)].map(([, one = ""]) => one));
      const link = new RegExp(`href="([^"]+)#\\w+">${name}<`).exec(shown)?.[1];
      next = link?.replaceAll("&amp;", "&");
      assert.ok(seen.length <= count);
    }
    assert.equal(new Set(seen).size, count);
    assert.equal(seen.length, count);
    if (name === "Later") assert.deepEqual(seen, all);
  }
  const quiet = textOf(await operator.text(`${base}?why=quiet`));
  assert.equal(quiet.match(/Held by quiet hours, until/g)?.length, 10);
  assert.doesNotMatch(quiet, /Waiting for a retry, until/);
});

test("of more messages than a page looks at it says so, and shows the soonest", async (t) => {
  const { admin, operator, base, id } = await tenantWith(t);
  await storeWaiting(admin.pool, id, { held: 1500 });
  const html = await operator.text(base);
  assert.match(textOf(html), /Showing the next 1,000\./);
  const shown = [...html.matchAll(/\/activity\/([\w-]+)"/g)].map(([, one]) => one);
  const { rows } = await admin.pool.query(
    "select event_id as id from deliveries order by due_at limit 50",
  );
  assert.deepEqual(
    shown,
    rows.map((row) => row.id),
  );
});

test("a scheduled event is moved, sent now and cancelled; what is wrong, or too late, is said", async (t) => {
  const { admin, operator, base, id } = await tenantWith(t);
  await storeWaiting(admin.pool, id, { scheduled: 3 });
  const [moved = "", sent = "", cancelled = ""] = await restingIds(admin);
  const form = await operator.text(`${base}/${moved}/move`);
  assert.match(form, /name="at" type="datetime-local" value="\d{4}-\d\d-\d\dT\d\d:\d\d"/);
  const post = (path: string, fields: Record<string, string> = {}) =>
    operator.post(`${base}/${path}`, fields, { from: base });

  for (const at of ["", "soon", "2026-02-31T10:00", "now()", "9999-99-99T99:99"]) {
    const answer = await post(`${moved}/move`, { at });
    assert.equal(answer.status, 422, at);
    assert.match(await answer.text(), /New time \(UTC\) must be/, at);
  }
  const late = await post(`${moved}/move`, { at: "2199-01-01T00:00" });
  assert.match(await late.text(), /must be at most 22 days after the event was accepted/);

  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 16);
  const done = await post(`${moved}/move`, { at: tomorrow, from: "event" });
  assert.deepEqual(
    [done.status, done.headers.get("location")],
    [303, `/tenants/${id}/activity/${moved}?done=event-moved`],
  );
  const { rows } = await admin.pool.query(
    "select send_at from scheduled_events where event_id = $1",
    [moved],
  );
  assert.equal(rows[0].send_at.toISOString().slice(0, 16), tomorrow);

  assert.equal((await post(`${sent}/release`)).headers.get("location"), `${base}?done=released`);
  const { rows: due } = await admin.pool.query(
    "select send_at <= clock_timestamp() as due from scheduled_events where event_id = $1",
    [sent],
  );
  assert.deepEqual(due, [{ due: true }]);

  const stopped = await post(`${cancelled}/cancel`);
  assert.equal(stopped.headers.get("location"), `${base}?done=event-cancelled`);
  assert.ok(!(await restingIds(admin)).includes(cancelled));
  const html = textOf(await operator.text(`/tenants/${id}/activity/${cancelled}`));
  assert.match(html, /cancelled/);
  assert.doesNotMatch(html, / waits until /);
  for (const path of ["release", "move"]) {
    const answer = await post(`${cancelled}/${path}`, { at: tomorrow });
    assert.equal(answer.status, 409, path);
    assert.match(await answer.text(), /It is no longer scheduled/);
  }
  assert.equal((await operator.get(`${base}/${cancelled}/move`)).status, 409);
});

test("cancelling names one event by its own id: another that has it for a reference goes on resting", async (t) => {
  const { admin, operator, base, id } = await tenantWith(t);
  await storeWaiting(admin.pool, id, { scheduled: 2 });
  const [first = "", second = ""] = await restingIds(admin);
  await admin.pool.query("update events set reference = $1 where id = $2", [first, second]);
  assert.equal((await operator.post(`${base}/${first}/cancel`)).status, 303);
  assert.deepEqual(await restingIds(admin), [second]);
});

test("an event's page says until when it waits and why, with what can be done; one that is sent is too late", async (t) => {
  const { admin, operator, base, id } = await tenantWith(t);
  await storeWaiting(admin.pool, id, { scheduled: 1, digests: 1, held: 3 });
  const activity = `/tenants/${id}/activity`;
  const { rows } = await admin.pool.query(
    `select e.id, d.reason, e.send_at is not null as scheduled, i.digest_id
     from events e left join deliveries d on d.event_id = e.id left join digest_items i on i.event_id = e.id`,
  );
  const said: Record<string, string> = {};
  for (const row of rows) {
    const html = await operator.text(`${activity}/${row.id}`);
    const [, words = ""] = / waits until .*? UTC because ([^.]*)\./.exec(textOf(html)) ?? [];
    const buttons = ["Move …", "Send now", "message now", "Cancel event"].filter((one) =>
      html.includes(`${one}<`),
    );
    said[words] = buttons.join(", ");
    assert.doesNotMatch(textOf(html), ISO_STAMP);
  }
  assert.deepEqual(said, {
    "it is scheduled for that time": "Move …, Send now, Cancel event",
    "more events may join the same message": "message now, Cancel event",
    "of the recipient&#39;s quiet hours": "Cancel event",
    "it is sent only if it is not read in the inbox by then": "Cancel event",
    "the last attempt failed temporarily: order": "Cancel event",
  });

  // The sentence goes once its time has come.
  const quiet = rows.find(({ reason }) => reasonOf(reason)?.code === "quiet")?.id;
  await admin.pool.query("update deliveries set due_at = now() where event_id = $1", [quiet]);
  assert.doesNotMatch(textOf(await operator.text(`${activity}/${quiet}`)), / waits until /);
  await admin.pool.query(
    "update deliveries set status = 'accepted', due_at = null, settled_at = now() where event_id = $1",
    [quiet],
  );
  const late = await operator.post(`${base}/${quiet}/cancel`);
  assert.equal(late.status, 409);
  assert.match(await late.text(), /There is nothing left to cancel/);
});

test("a viewer sees what waits, and no button that changes it", async (t) => {
  const { admin, id } = await tenantWith(t);
  await storeWaiting(admin.pool, id, { scheduled: 1, digests: 1, held: 3 });
  const of = { tenantId: id, role: "viewer" } as const;
  const viewer = await admin.person({ email: "v@example.com", name: "viewer", of });
  const { rows } = await admin.pool.query("select id from digests");
  const { rows: events } = await admin.pool.query("select event_id as id from scheduled_events");
  const paths = ["waiting", `digests/${rows[0].id}`, `activity/${events[0].id}`];
  for (const path of paths.map((one) => `/tenants/${id}/${one}`)) {
    const html = await viewer.text(path);
    assert.match(textOf(html), /until/, path);
    assert.doesNotMatch(html, /\/(move|release|cancel)"/, path);
  }
});

async function tenantWith(t: Parameters<typeof startAdmin>[0]) {
  const { admin, operator, id } = await startForTenant(t);
  return { admin, operator, id, base: `/tenants/${id}/waiting` };
}

async function restingIds({ pool }: AdminUnderTest): Promise<string[]> {
  const { rows } = await pool.query("select event_id as id from scheduled_events order by send_at");
  return rows.map((row) => row.id);
}

/** Returns the visible text of a page. */
function textOf(html: string): string {
  const [, main = ""] = html.split("<main");
  return main.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
}
