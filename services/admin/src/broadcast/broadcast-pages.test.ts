import assert from "node:assert/strict";
import { test } from "node:test";
import { startTenant } from "../../test/start-tenant.ts";
import { storeBroadcast } from "../../test/store-broadcasts.ts";

const text = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

test("a broadcast's page tells how far it is, in words, and shows some of its events", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  assert.match(text(await operator.text(`${base}/broadcasts`)), /No broadcasts yet\./);
  const id = await storeBroadcast(admin.pool, tenantId, {
    users: ["ann", "bob"],
    counts: { accepted: 1, skipped: 1, published: 2 },
  });
  const list = text(await operator.text(`${base}/broadcasts`));
  assert.match(list, /news running the members of news 2 of 1,000/);
  const html = await operator.text(`${base}/broadcasts/${id}`);
  const shown = text(html);
  assert.match(
    shown,
    /2 of 1,000 people have their event; how many there are in all is an estimate/,
  );
  assert.match(shown, /sent: the provider has taken them 1/);
  assert.match(shown, /in the inbox of the app 2/);
  assert.match(shown, /not sent on purpose: [^.]* 1/);
  const events = [...html.matchAll(/activity\/[\w-]{36}">(\w+)</g)].map(([, user]) => user);
  assert.deepEqual(events.sort(), ["ann", "bob"]);
  const [, event] = /(activity\/[\w-]{36})"/.exec(html) ?? [];
  assert.ok((await operator.text(`${base}/${event}`)).includes(`href="${base}/broadcasts/${id}"`));
  assert.equal((await operator.get(`${base}/broadcasts/nothing`)).status, 404);
});

test("it is paused, resumed and cancelled with a question before each; a page that is too late says so", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const id = await storeBroadcast(admin.pool, tenantId, { users: ["ann"] });
  const path = `${base}/broadcasts/${id}`;
  const moves = async () => {
    const html = await operator.text(path);
    const forms = html.matchAll(/broadcasts\/[\w-]+\/(\w+)"\s+data-confirm="[^"]{60,}"/g);
    return [...forms].map(([, verb]) => verb);
  };
  assert.deepEqual(await moves(), ["pause", "cancel"]);
  const paused = text(await operator.page(await operator.post(`${path}/pause`)));
  assert.match(paused, /Paused by hand\. It goes on when somebody resumes it\./);
  assert.deepEqual(await moves(), ["resume", "cancel"]);
  const resumed = text(await operator.page(await operator.post(`${path}/resume`)));
  assert.match(resumed, /news running Progress/);
  await operator.post(`${path}/cancel`);
  assert.match(text(await operator.text(path)), /being cancelled .* Cancelled: reached nobody 0/);
  assert.deepEqual(await moves(), []);
  const late = await operator.post(`${path}/pause`);
  assert.equal(late.status, 409);
  assert.match(text(await late.text()), /Too late The broadcast is being cancelled\./);
});

test("why it is paused and when it goes on is told; of a cancelled one what was too late", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const resumesAt = new Date(Date.now() + 3 * 60 * 60_000);
  const capped = await storeBroadcast(admin.pool, tenantId, {
    ...{ state: "paused", reason: "#broadcast-daily-cap", resumesAt, topics: null },
  });
  const shown = text(await operator.text(`${base}/broadcasts/${capped}`));
  assert.match(shown, /Paused because the part of the daily cap .* It goes on by itself in 3 h/);
  assert.match(shown, /For a list of users/);
  const over = await storeBroadcast(admin.pool, tenantId, {
    ...{ state: "cancelled", counts: { cancelled: 1, accepted: 2 }, users: ["a", "b", "c"] },
    topics: ["news", "beta"],
  });
  const gone = text(await operator.text(`${base}/broadcasts/${over}`));
  assert.match(gone, /reached nobody 1 Too late: reached in part or whole, or ended before 2/);
  assert.match(gone, /the members of 2 topics: news, beta/);
  assert.doesNotMatch(gone, /is an estimate/);
});

test("a viewer sees broadcasts and can change none; another tenant's do not exist", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const id = await storeBroadcast(admin.pool, tenantId);
  const viewer = await admin.person({
    ...{ email: "v@example.com", name: "V", of: { tenantId, role: "viewer" } },
  });
  for (const path of [`${base}/broadcasts`, `${base}/broadcasts/${id}`]) {
    const html = await viewer.text(path);
    assert.match(html, /news/);
    assert.doesNotMatch(html, /broadcasts\/new|\/(pause|cancel)"/);
  }
  assert.equal((await viewer.post(`${base}/broadcasts/${id}/cancel`)).status, 403);
  await admin.pool.query(
    "insert into tenants (id, name, per_minute) values ('other', 'Other', 60)",
  );
  const elsewhere = `/tenants/other/broadcasts/${id}`;
  assert.equal((await operator.get(elsewhere)).status, 404);
  assert.equal((await operator.post(`${elsewhere}/cancel`)).status, 404);
  const { rows } = await admin.pool.query("select state from broadcasts");
  assert.deepEqual(rows, [{ state: "running" }]);
});
