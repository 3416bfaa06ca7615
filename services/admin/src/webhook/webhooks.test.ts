import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn } from "@belfry/administration/test/acts";
import { listWebhooks } from "@belfry/administration/webhooks/webhooks";
import { MAX_WEBHOOKS, WEBHOOK_TYPES } from "@belfry/contracts/webhook-payload";
import { startTenant } from "../../test/start-tenant.ts";
import { disableWebhook, storeWebhook } from "../../test/store-webhooks.ts";
import { TYPE_GROUPS } from "./webhook-words.ts";

const HOOKS = "https://hooks.example.com/belfry";

test("an owner makes an endpoint: its secret is shown once, to be copied, and it is in the list", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  assert.match(await operator.text(`${base}/webhooks`), /No endpoints yet/);
  const made = await operator.post(`${base}/webhooks`, {
    ...{ url: ` ${HOOKS} `, description: "The shop", which: "some" },
    types: ["delivery.bounced", "delivery.failed"],
  });
  assert.equal(made.status, 303);
  const html = await operator.page(made);
  const secret = /id="webhook-secret">([^<]+)</.exec(html)?.[1] ?? "";
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.match(html, /data-copy="webhook-secret"/);
  const [endpoint] = await actsIn(admin.db, tenantId)(listWebhooks, {});
  assert.deepEqual(
    [endpoint?.url, endpoint?.types, endpoint?.description, endpoint?.active],
    [HOOKS, ["delivery.bounced", "delivery.failed"], "The shop", true],
  );
  const again = made.headers.get("location") ?? "";
  for (const path of [`${base}/webhooks`, `${base}/webhooks/${endpoint?.id}`, again]) {
    const page = await operator.text(path);
    assert.ok(!page.includes(secret), path);
    assert.ok(
      page.includes(HOOKS) && page.includes("The shop") && page.includes("delivery.bounced"),
    );
    assert.match(page, /class="badge good">active</);
  }
  const { rows } = await admin.pool.query(
    "select * from audit_log where action = 'webhook.create'",
  );
  assert.equal(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes(secret));
});

test("the form has a line in plain words for each type, and everything is chosen unless one says otherwise", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  assert.deepEqual(
    TYPE_GROUPS.flatMap(({ types }) => Object.keys(types)),
    WEBHOOK_TYPES,
  );
  const form = await operator.text(`${base}/webhooks/new`);
  const offered = [...form.matchAll(/name="types" value="([^"]+)"/g)].map(([, type]) => type);
  assert.deepEqual(offered, WEBHOOK_TYPES);
  assert.match(form, /value="all" checked/);
  // Boxes that are ticked beside "everything" do not count.
  const fields = { url: HOOKS, which: "all", types: ["delivery.bounced"] };
  assert.equal((await operator.post(`${base}/webhooks`, fields)).status, 303);
  const [endpoint] = await actsIn(admin.db, tenantId)(listWebhooks, {});
  assert.deepEqual(endpoint?.types, []);
  assert.match(await operator.text(`${base}/webhooks`), />everything</);
});

test("what is wrong stands beside its field, with what was typed, and no endpoint is made", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  await storeWebhook(admin, tenantId);
  const bad: [Record<string, string | string[]>, RegExp][] = [
    [{ url: "" }, /id="url-fault"/],
    [{ url: "ftp://hooks.example.com" }, /must begin with https/],
    [{ url: "https://me:secret@hooks.example.com" }, /must not hold credentials/],
    [{ url: HOOKS }, /is that of another endpoint/],
    [{ url: "https://b.example.com", which: "some" }, /Types: must include at least one/],
    [
      { url: "https://b.example.com", which: "some", types: ["delivery.eaten"] },
      /Types: must be of/,
    ],
    [{ url: "https://b.example.com", description: "x".repeat(256) }, /id="description-fault"/],
  ];
  for (const [fields, fault] of bad) {
    const refused = await operator.post(`${base}/webhooks`, { which: "all", ...fields });
    assert.equal(refused.status, 422, JSON.stringify(fields));
    const html = await refused.text();
    assert.match(html, fault);
    assert.ok(html.includes(`value="${fields.url}"`));
  }
  assert.equal((await actsIn(admin.db, tenantId)(listWebhooks, {})).length, 1);
});

test("plain http and private addresses are refused, unless the setting for endpoints lifts that", async (t) => {
  const { operator, base } = await startTenant(t, { allowPrivateWebhooks: async () => false });
  for (const url of ["http://hooks.example.com", "https://127.0.0.1/x", "https://[::1]/x"]) {
    const refused = await operator.post(`${base}/webhooks`, { url, which: "all" });
    assert.equal(refused.status, 422, url);
    assert.match(await refused.text(), /id="url-fault"/);
  }
  assert.equal((await operator.post(`${base}/webhooks`, { url: HOOKS, which: "all" })).status, 303);
});

test("a tenant has so many endpoints at most: then none is offered, and one more is refused", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  for (let n = 0; n < MAX_WEBHOOKS; n += 1) {
    await storeWebhook(admin, tenantId, { url: `${HOOKS}/${n}` });
  }
  assert.doesNotMatch(await operator.text(`${base}/webhooks`), /webhooks\/new"/);
  const refused = await operator.post(`${base}/webhooks`, { url: HOOKS, which: "all" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /than the 20 endpoints/);
});

test("the list says how each stands: active, failing, paused, switched off, and disabled with its reason", async (t) => {
  const { operator, base, admin, tenantId } = await startTenant(t);
  const states: [string, string, RegExp][] = [
    ["active", "failures = 0", /class="badge good">active</],
    ["failing", "failing_since = now() - interval '2 hours'", /failing<.*Failing for 2 h\./s],
    [
      "paused",
      "failing_since = now(), paused_until = now() + interval '5 minutes'",
      /paused<.*Next attempt in 5 min\./s,
    ],
    ["off", "active = false, disabled_at = now()", /disabled</],
  ];
  for (const [at, [name, change, shown]] of states.entries()) {
    const { id } = await storeWebhook(admin, tenantId, { url: `${HOOKS}/${at}` });
    await admin.pool.query(`update webhooks set ${change} where id = $1`, [id]);
    const html = await operator.text(`${base}/webhooks`);
    const [row = ""] = html.slice(html.indexOf(`${HOOKS}/${at}<`)).split("</tr>", 1);
    assert.match(row, shown, name);
  }
  const { id } = await storeWebhook(admin, tenantId, { url: `${HOOKS}/gone` });
  await disableWebhook(admin, id);
  const html = await operator.text(`${base}/webhooks`);
  const row = html.slice(html.lastIndexOf(`${HOOKS}/gone<`));
  assert.match(row, /class="badge bad">disabled<.*Disabled [^:]*: it answered 410 Gone\./s);
});
