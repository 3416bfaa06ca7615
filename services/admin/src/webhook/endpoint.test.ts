import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { listWebhooks } from "@belfry/administration/webhooks/webhooks";
import { assertHas } from "@belfry/testing/assert-has";
import { startTenant } from "../../test/start-tenant.ts";
import { disableWebhook, storeMessage, storeWebhook } from "../../test/store-webhooks.ts";

const HOOKS = "https://hooks.example.com/belfry";
const BANNER = /id="disabled-endpoints"/;

test("an endpoint is edited: address, description and types; what is wrong stands beside its field", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  const { id } = await storeWebhook(admin, tenantId, { types: ["delivery.failed"] });
  await storeWebhook(admin, tenantId, { url: `${HOOKS}/other` });
  const path = `${base}/webhooks/${id}`;
  const form = await operator.text(`${path}/edit`);
  assert.match(form, /value="some" checked/);
  assert.match(form, /value="delivery.failed" checked/);
  assert.doesNotMatch(form, /value="delivery.bounced" checked/);
  const fields = { url: `${HOOKS}/new`, description: "Orders", which: "some" };
  const types = ["notification.read", "preference.changed"];
  assert.equal((await operator.post(path, { ...fields, types })).status, 303);
  const [endpoint] = await actsIn(admin.db, tenantId)(listWebhooks, {});
  assertHas(endpoint, { url: `${HOOKS}/new`, description: "Orders", types });
  const taken = await operator.post(path, { ...fields, types, url: `${HOOKS}/other` });
  assert.equal(taken.status, 422);
  assert.match(await taken.text(), /is that of another endpoint/);
  // An empty description is stored as none, and "everything" is no type.
  await operator.post(path, { ...fields, description: "", which: "all" });
  const [after] = await actsIn(admin.db, tenantId)(listWebhooks, {});
  assert.deepEqual([after?.description, after?.types], [null, []]);
});

test("a new secret is shown once, and the page says until when the one before signs beside it", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  const { id, secret } = await storeWebhook(admin, tenantId);
  const path = `${base}/webhooks/${id}`;
  const html = await operator.page(await operator.post(`${path}/rotate-secret`));
  const shown = /id="webhook-secret">([^<]+)</.exec(html)?.[1] ?? "";
  assert.match(shown, /^whsec_/);
  assert.notEqual(shown, secret);
  assert.match(html, /stays valid until <time/);
  assert.ok(!(await operator.text(path)).includes(shown));
  const { rows } = await admin.pool.query(
    "select * from audit_log where action = 'webhook.rotate-secret'",
  );
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(shown));
});

test("an endpoint is deleted with its messages once asked; what is switched off is told so, and nothing is sent to it", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  const { id } = await storeWebhook(admin, tenantId);
  const path = `${base}/webhooks/${id}`;
  await storeMessage(admin, { tenantId, webhookId: id }, { status: "queued" });
  assert.match(
    await operator.text(`${path}/edit`),
    /data-confirm="Delete https:\/\/hooks[^"]*all its messages/,
  );
  const off = await operator.page(await operator.post(`${path}/deactivate`));
  assert.match(off, /disabled</);
  assert.match(off, /while it is disabled, not later either/);
  assert.doesNotMatch(off, /\/(test|replay)"/);
  // A form that was open before.
  const late = await operator.post(`${path}/test`);
  assert.equal(late.status, 409);
  assert.match(await late.text(), /Nothing was sent: the endpoint is disabled/);
  const on = await operator.post(`${path}/activate`);
  assert.equal(on.headers.get("location"), `${path}?done=endpoint-activated`);
  const gone = await operator.post(`${path}/delete`);
  assert.equal(gone.headers.get("location"), `${base}/webhooks?done=deleted`);
  assert.equal((await operator.get(path)).status, 404);
  assert.deepEqual((await admin.pool.query("select id from webhook_messages")).rows, []);
});

test("of an endpoint that Belfry has disabled every page of the tenant tells owners and editors, until one acts", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  const { id } = await storeWebhook(admin, tenantId);
  const { id: otherTenant } = await createTenant(admin.db, { name: "Other" });
  const person = (role: "owner" | "editor" | "viewer") =>
    admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
  const [owner, editor, viewer] = [
    await person("owner"),
    await person("editor"),
    await person("viewer"),
  ];
  assert.doesNotMatch(await owner.text(base), BANNER);
  await disableWebhook(admin, id);
  const path = `${base}/webhooks/${id}`;
  for (const page of [base, `${base}/activity`, `${base}/templates`, `${base}/webhooks`]) {
    for (const browser of [owner, editor, operator]) {
      const html = await browser.text(page);
      assert.match(html, BANNER, page);
      assert.match(
        html,
        new RegExp(`<a href="${path}">${HOOKS}</a> is disabled because it answered 410`),
      );
    }
    assert.doesNotMatch(await viewer.text(page), BANNER, page);
  }
  assert.doesNotMatch(await operator.text(`/tenants/${otherTenant}`), BANNER);
  assert.doesNotMatch(await operator.text("/tenants"), BANNER);

  // Left off, it is a person who has switched it off.
  await owner.post(`${path}/deactivate`);
  const off = await owner.text(path);
  assert.doesNotMatch(off, BANNER);
  assert.match(off, /disabled</);

  // Switched on, what had not arrived is the next thing to do.
  await disableWebhook(admin, id);
  const on = await owner.post(`${path}/activate`);
  const next = new URL(on.headers.get("location") ?? "", admin.url);
  assert.equal(next.pathname, `${path}/replay`);
  const since = new Date(`${next.searchParams.get("since")}Z`).getTime();
  assert.ok(since < Date.now() - 9 * 60_000 && since > Date.now() - 60 * 60_000);
  const html = await owner.page(on);
  assert.doesNotMatch(html, BANNER);
  assert.ok(html.includes(`value="${next.searchParams.get("since")}"`));
});

test("editors and viewers read all of it, and meet no link or button that leads to a refusal", async (t) => {
  const { base, admin, tenantId } = await startTenant(t);
  const { id: webhookId } = await storeWebhook(admin, tenantId);
  const messageId = await storeMessage(
    admin,
    { tenantId, webhookId },
    { status: "failed", tries: [500], answer: "It broke" },
  );
  const { id: goneId } = await storeWebhook(admin, tenantId, { url: `${HOOKS}/gone` });
  await disableWebhook(admin, goneId);
  const path = `${base}/webhooks/${webhookId}`;
  for (const role of ["viewer", "editor"] as const) {
    const browser = await admin.person({
      ...{ email: `${role}@example.com`, name: role, of: { tenantId, role } },
    });
    for (const page of [
      `${base}/webhooks`,
      path,
      `${base}/webhooks/${goneId}`,
      `${path}/messages/${messageId}`,
    ]) {
      const answer = await browser.get(page);
      assert.equal(answer.status, 200, page);
      const html = await answer.text();
      assert.doesNotMatch(html, /action="[^"]*webhooks/, page);
      for (const [, href = ""] of html.matchAll(/href="([^"#]*webhooks[^"#]*)/g)) {
        assert.equal((await browser.get(href)).status, 200, href);
      }
    }
    assert.equal((await browser.get(`${path}/edit`)).status, 403);
  }
});
