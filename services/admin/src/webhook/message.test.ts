import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_REPLAYED } from "@belfry/administration/webhooks/send-webhook-message";
import { SCRIPT } from "@belfry/testing/hostile";
import { anEvent } from "@belfry/testing/rows";
import { startTenant } from "../../test/start-tenant.ts";
import { storeMessage, storeWebhook } from "../../test/store-webhooks.ts";

const NOWHERE = "01890000-0000-7000-8000-000000000000";

async function startEndpoint(t: Parameters<typeof startTenant>[0]) {
  const started = await startTenant(t);
  const { admin, tenantId, base } = started;
  const { id: webhookId } = await storeWebhook(admin, tenantId);
  const of = { tenantId, webhookId };
  return { ...started, of, path: `${base}/webhooks/${webhookId}` };
}

test("an endpoint's page lists its messages, newest first, with how the last try went; by state, page by page", async (t) => {
  const { operator, admin, of, path } = await startEndpoint(t);
  await storeMessage(admin, of, { status: "accepted", tries: [500, 204] });
  const reason = "it answered 503 Service Unavailable";
  await storeMessage(admin, of, {
    type: "delivery.failed",
    status: "waiting",
    tries: [503],
    reason,
  });
  await storeMessage(admin, of, { type: "delivery.bounced", status: "queued" });
  const rows = listOf(await operator.text(path));
  assert.equal(rows.length, 3);
  assert.match(rows[0] ?? "", /delivery.bounced .*not called yet.* on its way/);
  assert.match(
    rows[1] ?? "",
    /delivery.failed .*503 after 120 ms: it answered 503.* to be tried again/,
  );
  assert.match(rows[1] ?? "", /next try in 30 min/);
  assert.match(rows[2] ?? "", /delivery.delivered .*204 after 120 ms .*2 tries.* arrived/);
  const waiting = listOf(await operator.text(`${path}?state=waiting`));
  assert.equal(waiting.length, 1);
  assert.match(waiting[0] ?? "", /delivery.failed/);
  assert.match(await operator.text(`${path}?state=skipped`), /None\./);

  for (let n = 0; n < 50; n += 1) await storeMessage(admin, of, { status: "queued" });
  const first = await operator.text(path);
  assert.equal(listOf(first).length, 50);
  const [, older = ""] = /href="([^"]+)">Older</.exec(first) ?? [];
  const second = await operator.text(older.replaceAll("&amp;", "&").split("#")[0] ?? "");
  assert.equal(listOf(second).length, 3);
  assert.doesNotMatch(second, />Older</);
});

test("a message's page has each try with what was answered, as text, what is posted, and the way to its event", async (t) => {
  const { operator, admin, of, path, base, tenantId } = await startEndpoint(t);
  const eventId = await anEvent(admin.pool, { tenant_id: tenantId });
  const id = await storeMessage(admin, of, {
    ...{ type: "delivery.bounced", status: "failed", tries: [null, 500], eventId },
    ...{ answer: SCRIPT, reason: "retries exhausted" },
  });
  const html = await operator.text(`${path}/messages/${id}`);
  assert.ok(!html.includes("<script>alert"));
  assert.match(html, /aria-label="The answer">&quot;&gt;&lt;script&gt;alert/);
  const [latest = "", before = ""] = listOf(html, 'id="attempts"');
  assert.match(latest, /took 120 ms .*retries exhausted.* 500/);
  assert.match(before, /no answer/);
  assert.match(html, /The address does not work|Bounced: the address does not work/);
  assert.match(html, /aria-label="The message's text">\{&quot;type&quot;/);
  assert.ok(html.includes(`href="${base}/activity/${eventId}"`));
  // And back: the event says what was told of it.
  const event = await operator.text(`${base}/activity/${eventId}`);
  assert.match(event, /Webhook messages/);
  assert.ok(event.includes(`href="${path}/messages/${id}"`));
  const untold = await anEvent(admin.pool, { tenant_id: tenantId });
  assert.doesNotMatch(await operator.text(`${base}/activity/${untold}`), /Webhook messages/);
});

test("a test message is on its way at once, and its page shows how it goes; it is in the audit log", async (t) => {
  const { operator, admin, path } = await startEndpoint(t);
  const sent = await operator.post(`${path}/test`);
  const to = sent.headers.get("location") ?? "";
  assert.match(to, new RegExp(`^${path}/messages/[0-9a-f-]{36}\\?done=test-sent$`));
  const html = await operator.page(sent);
  assert.match(html, /Test message sent/);
  assert.match(html, /webhook\.test/);
  assert.match(html, /data-live="1"/);
  const { rows } = await admin.pool.query(
    `select m.type, d.status, a.action from webhook_messages m join deliveries d on d.event_id = m.id
     cross join audit_log a where a.action like 'webhook.test'`,
  );
  assert.deepEqual(rows, [{ type: "webhook.test", status: "queued", action: "webhook.test" }]);
});

test("a message is sent again as a copy with its webhook-id; one that is under way is not, and says so", async (t) => {
  const { operator, admin, of, path } = await startEndpoint(t);
  const id = await storeMessage(admin, of, { status: "failed", tries: [500] });
  const again = await operator.post(`${path}/messages/${id}/resend`);
  assert.equal(again.status, 303);
  const html = await operator.page(again);
  assert.match(html, /Sent again, with/);
  assert.match(html, new RegExp(`webhook-id</dt><dd><code>${id}<`));
  assert.ok(html.includes(`href="${path}/messages/${id}"`), "the first one");
  const twice = await operator.post(`${path}/messages/${id}/resend`);
  assert.equal(twice.status, 409);
  assert.match(await twice.text(), /still under way/);
});

test("a replay sends what did not arrive of a time, or all of it, and says how many; a bad time stays with its fault", async (t) => {
  const { operator, admin, of, path } = await startEndpoint(t);
  for (const status of ["failed", "skipped", "accepted"] as const) {
    await storeMessage(admin, of, { status, tries: [500] });
  }
  const copies = async () => {
    const { rows } = await admin.pool.query(
      "select count(*)::integer from webhook_messages where resend_of is not null",
    );
    return rows[0].count;
  };
  const ago = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  for (const [fields, fault] of [
    [{ since: "soon" }, "since"],
    [{ since: "2026-02-31T10:00" }, "since"],
    [{ since: ago, until: "never" }, "until"],
    [{ since: ago, until: "2020-01-01T00:00" }, "until"],
  ] as [Record<string, string>, string][]) {
    const refused = await operator.post(`${path}/replay`, fields);
    assert.equal(refused.status, 422, JSON.stringify(fields));
    const html = await refused.text();
    assert.match(html, new RegExp(`id="${fault}-fault"`));
    assert.ok(html.includes(`value="${fields[fault]}"`));
  }
  assert.equal(await copies(), 0);
  const missed = await operator.post(`${path}/replay`, { since: ago, which: "missed" });
  assert.match(await operator.page(missed), /2 messages\s+sent again/);
  assert.equal(await copies(), 2);
  // A message under way is not sent twice.
  const all = await operator.post(`${path}/replay`, { since: ago, which: "all" });
  assert.match(await operator.page(all), /1 message\s+sent again/);
  const shown = all.headers.get("location") ?? "";
  assert.doesNotMatch(
    await operator.text(shown),
    /queued to be sent again/,
    "a reload does nothing, and shows nothing",
  );
  assert.equal(await copies(), 3);
});

test("what is more than one replay does is gone on with by a button that says so, from where it has ended", async (t) => {
  const { operator, admin, of, path } = await startEndpoint(t);
  await admin.pool.query(
    `with told as (
       insert into webhook_messages (id, webhook_id, tenant_id, type, payload)
       select id_of_now(), $1::uuid, $2, 'delivery.accepted', '{}' from generate_series(1, $3) returning id
     )
     insert into deliveries (id, event_id, tenant_id, channel, status, settled_at)
     select id, id, $2, 'WEBHOOK', 'accepted', now() from told`,
    [of.webhookId, of.tenantId, MAX_REPLAYED + 2],
  );
  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  assert.match(await operator.text(`${path}/replay`), />Replay messages</);
  const first = await operator.post(`${path}/replay`, { since, which: "all" });
  const html = await operator.page(first);
  assert.match(html, /10,000 messages\s+sent again/);
  assert.match(html, />Replay the rest</);
  const after = /name="after" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const rest = await operator.post(`${path}/replay`, { since, which: "all", after });
  const done = await operator.page(rest);
  assert.match(done, /2 messages\s+sent again/);
  assert.match(done, />Replay messages</);
  assert.doesNotMatch(done, /name="after"|There may be more/);
});

test("what is no message of the endpoint is not there, whatever its id", async (t) => {
  const { operator, admin, of, path, base, tenantId } = await startEndpoint(t);
  const id = await storeMessage(admin, of, { status: "failed" });
  const other = await storeWebhook(admin, tenantId, { url: "https://b.example.com" });
  for (const address of [
    `${base}/webhooks/${other.id}/messages/${id}`,
    `${path}/messages/${NOWHERE}`,
    `${path}/messages/none`,
    `${base}/webhooks/${NOWHERE}`,
    `${base}/webhooks/${encodeURIComponent(SCRIPT)}`,
  ]) {
    assert.equal((await operator.get(address)).status, 404, address);
    if (!address.includes("/messages/")) continue;
    assert.equal((await operator.post(`${address}/resend`)).status, 404, address);
  }
});

/** Returns the visible text of each row of the first list after a place. */
function listOf(html: string, place = 'id="message-list"'): string[] {
  const main = html.slice(html.indexOf(place));
  const list = main.slice(main.indexOf('class="list"')).split(/<\/[uo]l>/, 1)[0] ?? "";
  return list
    .split("<li>")
    .slice(1)
    .map((row) => row.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " "));
}
