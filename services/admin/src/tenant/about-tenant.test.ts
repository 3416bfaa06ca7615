import assert from "node:assert/strict";
import { test } from "node:test";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { startTenant } from "../../test/start-tenant.ts";

test("a tenant's people see its id, the API's address, its limits and what is used of them, its channels and how long things are kept", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const person = (role: "owner" | "viewer") =>
    admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
  const [owner, viewer] = [await person("owner"), await person("viewer")];
  await updateTenant(admin.db, tenantId, {
    ...{ perMinute: 60, dailyCap: 5000, deliveryChannels: ["EMAIL", "SMS"] },
    eventRetentionDays: 14,
  });
  const email = {
    tenantId,
    channel: "EMAIL",
    kind: "sandbox",
    name: "kept",
    settings: {},
  } as const;
  await putActiveProvider(admin.db, email, { keys: admin.keys });
  await admin.pool.query(
    "update tenant_limits set day = (now() at time zone 'UTC')::date, day_total = 1234",
  );
  await admin.pool.query(
    `insert into attachments (id, tenant_id, name, type, bytes, created_at)
     values (gen_random_uuid(), $1, 'a', 'a/b', 3000000, now())`,
    [tenantId],
  );
  for (const browser of [viewer, owner, operator]) {
    assert.match(await browser.text(base), new RegExp(`href="${base}/settings"[^>]*>`));
    const html = (await browser.text(`${base}/settings`)).replaceAll(/\s+/g, " ");
    const copied = (id: string, text: string) =>
      assert.ok(html.includes(`<pre id="${id}">${text}</pre><button`), id);
    copied("tenant-id", tenantId);
    copied("api-url", "http://api.test");
    copied("ws-url", "ws://ws.test/connection/websocket");
    assert.match(html, /0 of 60 events/);
    assert.match(html, /3 of 5,120 MiB/);
    assert.match(html, /1,234 of 5,000 events since <time datetime="[^"]*T00:00:00.000Z"/);
    const channel = (name: string) =>
      new RegExp(
        `<strong>${name}</strong><br><span[^>]*>([^<]*)</span>\\s*</div>\\s*<span class="badge \\w+">([^<]*)<`,
      )
        .exec(html)
        ?.slice(1);
    assert.deepEqual(channel("Email"), ["Sent by kept.", "allowed"]);
    assert.deepEqual(channel("SMS"), ["No provider is active: this is skipped.", "no provider"]);
    assert.deepEqual(channel("Push"), ["Nothing is sent here.", "not allowed"]);
    assert.match(html, /<dt>Events are kept<\/dt><dd>14 days<\/dd>/);
    assert.match(html, /<dt>The inbox is kept<\/dt><dd>90 days<\/dd>/);
    assert.equal(html.includes(`action="${base}/settings"`), browser === operator);
  }
  assert.equal((await owner.post(`${base}/settings`, { name: "Mine" })).status, 403);
});

test("who may not open a page is told which role it takes, and led back", async (t) => {
  const { admin, tenantId, base } = await startTenant(t);
  const of = { tenantId, role: "viewer" } as const;
  const viewer = await admin.person({ email: "vera@example.com", name: "Vera", of });
  const from = (referer: string) => viewer.raw(`${base}/providers/new`, { headers: { referer } });
  const refused = await from(`${admin.url}${base}/activity?user=ada%26co`);
  assert.equal(refused.status, 403);
  const html = await refused.text();
  assert.match(html, /In Acme your role is viewer\. This page needs the role owner\./);
  assert.ok(html.includes(`<a class="button" href="${base}/activity?user=ada%26co">Back</a>`));
  assert.ok(html.includes(`<a href="${base}">Back to the overview</a>`));
  assert.match(html, /<nav aria-label="Tenant">/);
  for (const elsewhere of ["https://evil.example/x", `${admin.url}${base}/providers/new`, "x"]) {
    const answer = await (await from(elsewhere)).text();
    assert.ok(!answer.includes(">Back</a>"), elsewhere);
    assert.ok(answer.includes(`<a href="${base}">Back to the overview</a>`));
  }
  assert.match(
    await viewer.text("/tenants"),
    /it is for operators\.[\s\S]*href="\/">Back to the start page/,
  );
  const stale = await viewer.raw("/account/name", {
    ...{ method: "POST", headers: { referer: `${admin.url}/account` } },
    body: new URLSearchParams({ name: "Vera" }),
  });
  assert.equal(stale.status, 403);
  assert.match(await stale.text(), /This form has expired[\s\S]*href="\/account">Back</);
});

test("an operator allows a tenant's app links, and is told which are never safe", async (t) => {
  const { operator, base } = await startTenant(t);
  const settings = { name: "Acme", perMinute: "60", dailyCap: "1000" };
  const refused = await operator.post(`${base}/settings`, {
    ...settings,
    linkSchemes: "myapp,data",
  });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /App links in emails must not hold data/);
  const allowed = { ...settings, linkSchemes: "MyApp, shop" };
  assert.equal((await operator.post(`${base}/settings`, allowed)).status, 303);
  const html = await operator.text(`${base}/settings`);
  assert.match(html, /<dt>App links in emails<\/dt><dd>myapp, shop<\/dd>/);
  assert.match(html, /name="linkSchemes"[^>]*value="myapp, shop"/);
});
