import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { putTemplate } from "@belfry/administration/test/templates";
import { anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { startTenant } from "../../test/start-tenant.ts";

async function setUp(t: test.TestContext) {
  const { admin, operator, base, tenantId, ...more } = await startTenant(t);
  const { pool } = admin;
  const id = uuidv7();
  const data = randomBytes(300_000);
  const eventId = await anEvent(pool, { tenant_id: tenantId, event_type: "invoice" });
  await pool.query(
    `insert into attachments (id, tenant_id, name, type, bytes, sha256, complete, named, created_at)
     values ($1, $2, $3, 'text/html', $4, '', true, true, now())`,
    [id, tenantId, `发票 <b>"1'(a).html`, data.length],
  );
  await pool.query("insert into attachment_chunks values ($1, 0, $2), ($1, 1, $3)", [
    ...[id, data.subarray(0, 262_144), data.subarray(262_144)],
  ]);
  await pool.query("insert into event_attachments values ($1, 1, $2, 'logo')", [eventId, id]);
  const page = `${base}/activity/${eventId}`;
  return { admin, operator, base, tenantId, pool, eventId, data, page, ...more };
}

test("an event shows its files, and gives them only as downloads that no browser shows", async (t) => {
  const { operator, page, data } = await setUp(t);
  const html = await operator.text(page);
  assert.match(html, /发票 &lt;b&gt;(&quot;|&#34;)1/);
  assert.match(html, /text\/html, 300,000 bytes/);
  assert.match(html, /shown within the email/);
  assert.ok(html.includes(`href="${page}/attachments/1" download`));
  const answer = await operator.raw(`${page}/attachments/1`, {});
  assert.equal(answer.status, 200);
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(data));
  const header = (name: string) => answer.headers.get(name);
  assert.equal(header("content-type"), "application/octet-stream");
  assert.equal(
    header("content-disposition"),
    `attachment; filename*=UTF-8''%E5%8F%91%E7%A5%A8%20%3Cb%3E%221%27%28a%29.html`,
  );
  assert.equal(header("x-content-type-options"), "nosniff");
  assert.equal(header("content-security-policy"), "default-src 'none'; sandbox");
  assert.equal(header("content-length"), "300000");
  for (const wrong of ["2", "0", "x", "1e0"]) {
    assert.equal((await operator.raw(`${page}/attachments/${wrong}`, {})).status, 404, wrong);
  }
});

test("a viewer sees which files there are, and gets none; of a sensitive event nobody sees any", async (t) => {
  const { admin, operator, page, tenantId } = await setUp(t);
  const viewer = await admin.person({
    ...{ email: "vera@example.com", name: "Vera" },
    of: { tenantId, role: "viewer" },
  });
  const html = await viewer.text(page);
  assert.match(html, /发票/);
  assert.ok(!html.includes("/attachments/1"));
  assert.equal((await viewer.raw(`${page}/attachments/1`, {})).status, 403);
  await putTemplate(admin.db, {
    ...{ tenantId, eventType: "invoice", channel: "SMS", content: "x", sensitive: true },
  });
  assert.ok(!(await operator.text(page)).includes("发票"));
  assert.equal((await operator.raw(`${page}/attachments/1`, {})).status, 404);
});
