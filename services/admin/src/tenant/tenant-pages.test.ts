import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { type AdminUnderTest, startAdmin, startForOperator } from "../../test/start-admin.ts";

async function withTenant(admin: AdminUnderTest) {
  const operator = await admin.operator();
  const { id } = await createTenant(admin.db, { name: "Acme", perMinute: 60, dailyCap: null });
  return { operator, id, base: `/tenants/${id}` };
}

test("the overview says what is still to be done, and shows the figures, the limits and what is used of them", async (t) => {
  const admin = await startAdmin(t);
  const { operator, id, base } = await withTenant(admin);
  assert.match(await operator.text(base), /First steps/);
  const sms = { tenantId: id, channel: "SMS" } as const;
  await putTemplate(admin.db, { ...sms, eventType: "order", content: "x" });
  await putActiveProvider(
    admin.db,
    { ...sms, kind: "sandbox", settings: {} },
    { keys: admin.keys },
  );
  const [key] = await admin.db.selectFrom("api_keys").select("id").execute();
  assert.ok(key);
  await admin.pool.query("update api_keys set last_used_at = now()");
  await admin.pool.query(
    `insert into activity_sums (tenant_id, bar_seconds, starts_at, grouped_by, name, accepted, sent, failed, latencies)
     select $1, s, date_bin(make_interval(secs => s), now(), 'epoch'), 'channel', f.*
     from unnest('{300,3600,21600,86400}'::integer[]) s, (values ('ALL', 1234, 0, 0, '{}'::integer[]),
       ('SMS', 0, 1200, 34, '{0,0,0,1200,1200,1200,1200,1200,1200,1200,1200,1200,1200}')) f`,
    [id],
  );
  await admin.pool.query(
    "update tenant_limits set day = (now() at time zone 'UTC')::date, day_total = 1234",
  );
  for (const range of ["hour", "day", "week", "month"]) {
    const html = await operator.text(`${base}?range=${range}`);
    assert.doesNotMatch(html, /First steps/);
    assert.match(html, /<b>1,234<\/b>\s*<span>Accepted/);
    assert.match(html, /<b>1,200<\/b>\s*<span>Sent<.*?<b>34<\/b>\s*<span>Failed/s);
    assert.match(html, /<td>SMS<\/td>.*?<td class="num">100 %<\/td>/s);
    assert.match(html, /0 of 60 events/);
    assert.match(html, /1,234 events; no daily limit/);
  }
});

test("of many tenants a page shows fifty, and the rest is found by name or page after page", async (t) => {
  const { admin, operator } = await startForOperator(t);
  assert.doesNotMatch(await operator.text("/tenants"), /role="search" aria-label="Tenants"/);
  await admin.pool.query(
    `insert into tenants (id, name, per_minute)
     select 'id' || n, 'Tenant ' || lpad(n::text, 3, '0'), 60 from generate_series(1, 120) n`,
  );
  const shown: string[] = [];
  let path = "/tenants";
  for (let pages = 0; path !== "" && pages < 5; pages += 1) {
    const html = await operator.text(path);
    shown.push(...[...html.matchAll(/<code class="soft">(\w+)</g)].map(([, id]) => id ?? ""));
    const next = /href="(\?[^"]*)">More</.exec(html)?.[1];
    path = next === undefined ? "" : `/tenants${next}`;
  }
  assert.deepEqual(
    shown,
    Array.from({ length: 120 }, (_, index) => `id${index + 1}`),
  );
  assert.match(await operator.text("/tenants?search=tenant+077"), />Tenant 077</);
  assert.match(await operator.text("/tenants?search=nobody"), /No tenant matches/);
  assert.equal((await operator.get("/tenants?search=%00&after=%27")).status, 200);
});

test("templates at a glance: which exist, which are active, which are missing", async (t) => {
  const admin = await startAdmin(t);
  const { operator, id, base } = await withTenant(admin);
  const order = { tenantId: id, eventType: "order", content: "x" } as const;
  await putTemplate(admin.db, { ...order, channel: "SMS" });
  await putTemplate(admin.db, { ...order, channel: "PUSH", title: "t", active: false });
  const html = await operator.text(`${base}/templates`);
  const cell = (label: string) =>
    new RegExp(`data-label="${label}">(.*?)</td>`, "s").exec(html)?.[1] ?? "";
  assert.match(cell("Email"), /\+ add<span[^>]*> Email for order/);
  assert.match(cell("SMS"), /badge good">active/);
  assert.match(cell("Push"), /badge quiet">not active/);
});

test("the editor counts SMS segments, names the variables, and sends what is in it to oneself, saved or not", async (t) => {
  const admin = await startAdmin(t);
  const { operator, id, base } = await withTenant(admin);
  const form = {
    ...{ eventType: "order", channel: "SMS", content: `Hello {{ name }} ${"x".repeat(160)}` },
    sampleVariables: '{"name": "Ada"}',
  };
  const seen = await operator.post(`${base}/templates/preview`, form);
  const { ok, preview, variables } = (await seen.json()) as {
    ok: boolean;
    preview: { segments: number; characters: number; encoding: string; text: { text: string }[] };
    variables: object[];
  };
  assert.deepEqual([ok, preview.segments, preview.encoding], [true, 2, "GSM-7"]);
  assert.equal(preview.characters, 170);
  assert.match(preview.text[0]?.text ?? "", /^Hello Ada /);
  assert.deepEqual(variables, [{ name: "name", kind: "text", filled: true }]);

  const send = async (to: string) => {
    const answer = await operator.post(`${base}/templates/test`, { ...form, to });
    return (await answer.json()) as { ok: boolean; text: string };
  };
  assert.deepEqual(await send("+12025550123"), {
    ...{ ok: false, text: "to cannot be reached: no active provider" },
  });
  const sandbox = { tenantId: id, channel: "SMS", kind: "sandbox", settings: {} } as const;
  await putActiveProvider(admin.db, sandbox, { keys: admin.keys });
  assert.match((await send("nobody")).text, /to must be a phone number such as \+12025550123/);
  assert.equal((await send("+12025550123")).ok, true);
  assert.match(await operator.text(`${base}/outbox`), /Hello Ada xxx/);
});

test("suppressions are listed, searched from the beginning of an address, added several at once and removed", async (t) => {
  const admin = await startAdmin(t);
  const { operator, base } = await withTenant(admin);
  const page = `${base}/suppressions`;
  assert.match(await operator.text(page), /No address is suppressed\./);
  const bad = await operator.post(page, { channel: "EMAIL", address: "nobody" });
  assert.equal(bad.status, 422);
  assert.match(await bad.text(), /value="nobody".*id="address-fault"/s);
  const many = { channel: "EMAIL", address: "Ann@Example.com, bob@example.com\ncarl@example.com" };
  assert.equal((await operator.post(page, many)).status, 303);
  assert.equal(
    (await operator.post(page, { channel: "SMS", address: "+12025550123" })).status,
    303,
  );
  const listed = async (query = "") => {
    const html = await operator.text(`${page}${query}`);
    return [...html.matchAll(/<td><code>([^<]+)</g)].map(([, address]) => address);
  };
  const mails = ["ann@example.com", "bob@example.com", "carl@example.com"];
  assert.deepEqual(await listed(), [...mails, "+12025550123"]);
  assert.deepEqual(await listed("?search=B"), ["bob@example.com"]);
  assert.deepEqual(await listed("?search=%2B1202"), ["+12025550123"]);
  assert.deepEqual(await listed("?search=x"), []);
  await operator.post(`${page}/remove`, { channel: "EMAIL", address: "bob@example.com" });
  assert.deepEqual(await listed(), ["ann@example.com", "carl@example.com", "+12025550123"]);
});

test("a provider's page has the address for the vendor's receipts; a secret that is left empty is kept", async (t) => {
  const admin = await startAdmin(t);
  const { operator, id, base } = await withTenant(admin);
  const account = {
    ...{ channel: "EMAIL", kind: "sendgrid", "settings.from": "a@example.com" },
    "settings.apiKey": "SG.0123456789-secret",
  };
  const made = await operator.post(`${base}/providers`, account);
  const path = made.headers.get("location")?.split("?")[0] ?? "";
  const html = await operator.text(path);
  assert.ok(html.includes(`http://api.test/webhooks/sendgrid/${id}`));
  assert.match(html, /Enter this address at the vendor/);
  const twilio = await operator.text(`${base}/providers/new?channel=SMS&kind=twilio`);
  assert.doesNotMatch(twilio, /Enter this address at the vendor/);
  assert.ok(!html.includes("0123456789"));
  assert.match(html, /Stored: •••• cret\. Leave it empty to keep it\./);
  assert.equal((await operator.post(path, { "settings.from": "b@example.com" })).status, 303);
  assert.match(await operator.text(path), /Stored: •••• cret.*value="b@example\.com"/s);
});
