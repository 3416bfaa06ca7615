import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { putTemplate } from "@belfry/administration/templates";
import { createTenant } from "@belfry/administration/tenants";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { type AdminUnderTest, startAdmin } from "./admin-under-test.ts";
import { ownPath } from "./own-path.ts";
import type { TestBrowser } from "./test-browser.ts";

const EVENT = "01890000-0000-7000-8000-00000000000a";
const SCRIPT = `"><script>alert(1)</script><img src=x onerror=alert(2)>'{{x}}`;

test("a form that another site sends is refused: without a token, with a stranger's, or from elsewhere", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const stranger = admin.browser();
  const fields = { name: "Forged", perMinute: "1", dailyCap: "1" };
  const send = (browser: TestBrowser, token: string, headers = {}) =>
    browser.raw("/tenants", {
      method: "POST",
      headers,
      body: new URLSearchParams({ ...fields, _token: token }),
    });
  const own = await operator.token("/account");
  assert.equal((await send(operator, "")).status, 403);
  assert.equal((await send(operator, await stranger.token("/sign-in"))).status, 403);
  assert.equal((await send(operator, own, { origin: "https://evil.example" })).status, 403);
  assert.equal((await send(operator, own, { origin: "null" })).status, 403);
  assert.equal((await send(operator, own, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await send(operator, own, { "sec-fetch-site": "same-site" })).status, 403);
  const json = await operator.raw("/tenants", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: `_token=${own}&name=Forged`,
  });
  assert.equal(json.status, 415);
  assert.ok(!(await operator.text("/tenants")).includes("Forged"));
  assert.equal(
    (await send(operator, own, { origin: admin.url })).status,
    303,
    "the form itself works",
  );
});

test("signing in with a session that somebody planted begins another", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const planted = operator.cookies.get("belfry_session")!;
  const victim = admin.browser();
  victim.cookies.set("belfry_session", planted);
  await victim.post("/sign-out");
  assert.equal((await operator.get("/tenants")).status, 303, "the planted one has ended");
});

test("pages may not be framed, run only our scripts, and are not kept; cookies are out of reach", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  for (const path of ["/tenants", "/sign-in", "/nowhere", "/tenants/nobody"]) {
    const { headers } = await operator.get(path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.match(policy, /script-src 'self';/, path);
    assert.doesNotMatch(policy, /unsafe/, path);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  }
  const html = await operator.text("/tenants");
  assert.doesNotMatch(html, /<script(?![^>]* src=)/, "no script in the page");
  assert.doesNotMatch(html, / on\w+=| style=/, "no handler, no style in the page");
});

test("after signing in the way leads to a path of ours only", () => {
  for (const bad of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/..//evil.example",
    "\\\\evil.example",
    null,
  ]) {
    assert.equal(ownPath(bad), "/", String(bad));
  }
  assert.equal(ownPath("/tenants/a?b=c"), "/tenants/a?b=c");
});

test("what a tenant, its users or a vendor write is text on every page", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const { id } = await hostileTenant(admin);
  const base = `/tenants/${id}`;
  const paths = [
    "/tenants",
    base,
    ...[
      "activity",
      `activity/${EVENT}`,
      "outbox",
      "templates",
      "members",
      "keys",
      "providers",
      "audit",
      "settings",
      "suppressions",
      "dead-letters",
    ].map((path) => `${base}/${path}`),
    `${base}/users?user=${encodeURIComponent(SCRIPT)}`,
    `${base}/activity?event=${encodeURIComponent(SCRIPT)}&type=${encodeURIComponent(SCRIPT)}`,
    `${base}/templates/new?eventType=${encodeURIComponent(SCRIPT)}`,
    `/sign-in?next=${encodeURIComponent(`/${SCRIPT}`)}`,
  ];
  const outbox = await operator.text(`${base}/outbox`);
  paths.push(/href="([^"]*\/outbox\/[^"]+)"/.exec(outbox)?.[1] ?? assert.fail("no message"));
  for (const path of paths) {
    const html = await operator.text(path);
    assert.ok(!html.includes("<script>alert"), path);
    assert.ok(!html.includes("<img src=x"), path);
  }
  const activity = await operator.text(`${base}/activity`);
  assert.match(activity, /&lt;script&gt;alert/);
  const mail = await operator.get(`${paths.at(-1)}/document`);
  assert.match(mail.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
});

test("no path leads out of the assets, and broken requests are answered, not thrown", async (t) => {
  const admin = await startAdmin(t);
  for (const path of [
    "/assets/../main.ts",
    "/assets/%2e%2e/main.ts",
    "/assets/x/..%2f..%2fmain.ts",
    "/assets//etc/passwd",
    "/tenants/%00",
    "/tenants/%E0%A4%A",
    "/join/%ff",
  ]) {
    const status = await rawStatus(admin.url, path);
    assert.ok([303, 400, 404].includes(status), `${path}: ${status}`);
  }
  assert.equal(await rawStatus(admin.url, "/sign-in", { host: "evil.example" }), 200);
});

async function hostileTenant(admin: AdminUnderTest): Promise<{ id: string }> {
  const { db } = admin;
  const { id } = await createTenant(db, { name: SCRIPT });
  const template = await putTemplate(db, {
    tenantId: id,
    eventType: SCRIPT,
    channel: "PUSH",
    title: "<script>alert(1)</script>",
    content: "<script>alert(1)</script>",
    createdBy: SCRIPT,
  });
  assert.ok(template.id);
  const now = new Date();
  await db
    .insertInto("events")
    .values({
      id: EVENT,
      tenant_id: id,
      event_type: SCRIPT,
      user_id: SCRIPT,
      reference: SCRIPT,
      recipient_email: SCRIPT,
      recipient_phone: SCRIPT,
      trace_id: SCRIPT,
      accepted_at: now,
      dispatched_at: now,
      outcome: JSON.stringify({ skipped: { EMAIL: SCRIPT }, missing: { PUSH: [SCRIPT] } }),
    })
    .execute();
  await db
    .insertInto("deliveries")
    .values({
      id: EVENT,
      event_id: EVENT,
      tenant_id: id,
      channel: "SMS",
      status: "failed",
      reason: SCRIPT,
      template_version_id: "999999",
      attempts: 1,
      settled_at: now,
    })
    .execute();
  await db
    .insertInto("attempts")
    .values({
      delivery_id: EVENT,
      number: 1,
      provider_kind: SCRIPT,
      started_at: now,
      ended_at: now,
      class: "permanent",
      reason: SCRIPT,
      vendor_status: SCRIPT,
      vendor_answer: SCRIPT,
    })
    .execute();
  await db
    .insertInto("notifications")
    .values({
      id: EVENT,
      tenant_id: id,
      user_id: SCRIPT,
      event_type: SCRIPT,
      title: SCRIPT,
      body: SCRIPT,
      channel_name: "personal",
      channel_offset: "1",
      created_at: now,
    })
    .execute();
  await storeOutboxMessage(db, {
    deliveryId: EVENT,
    tenantId: id,
    eventId: EVENT,
    channel: "EMAIL",
    to: SCRIPT,
    subject: SCRIPT,
    html: SCRIPT,
    text: SCRIPT,
    segments: null,
  });
  return { id };
}

/** The path as it stands: fetch would tidy it. */
function rawStatus(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
