import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { sql } from "kysely";
import { createBrowser, PASSWORD } from "../../test/browser.ts";
import { startAdmin, startForOperator } from "../../test/start-admin.ts";

test("a person sees where they are signed in, ends one session or all others, and a new password ends them too", async (t) => {
  const admin = await startAdmin(t);
  const here = await admin.operator();
  const signIn = async (password: string, agent = "none") => {
    const browser = createBrowser(admin.url);
    const _token = await browser.token("/sign-in");
    const body = new URLSearchParams({ _token, email: "op@example.com", password, next: "" });
    const headers = { "user-agent": agent };
    const { status } = await browser.raw("/sign-in", { method: "POST", headers, body });
    return { browser, status };
  };
  const isSignedIn = async (browser: { get(path: string): Promise<Response> }) =>
    (await browser.get("/account")).status === 200;
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const { browser: there } = await signIn(PASSWORD, firefox);
  const html = await here.text("/account");
  assert.match(
    html,
    /<strong>Firefox on Linux<\/strong><br>\s*<span[^>]*>127\.0\.0\.1 · last used/,
  );
  assert.equal(html.match(/>this session</g)?.length, 1);

  await here.post(/action="(\/account\/sessions\/[^"]+\/end)"/.exec(html)?.[1] ?? "");
  assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [true, false]);
  const others = [(await signIn(PASSWORD)).browser, (await signIn(PASSWORD)).browser];
  await here.post("/account/sessions/end-others");
  assert.deepEqual(await Promise.all([here, ...others].map(isSignedIn)), [true, false, false]);

  const { browser: third } = await signIn(PASSWORD);
  const password = "another quiet sentence";
  assert.equal((await here.post("/account/password", { current: "x", password })).status, 422);
  const short = await here.post("/account/password", { current: PASSWORD, password: "short" });
  assert.match(await short.text(), /id="password-fault">New password must be at least 12/);
  assert.equal((await here.post("/account/password", { current: PASSWORD, password })).status, 303);
  assert.deepEqual([await isSignedIn(here), await isSignedIn(third)], [true, false]);
  assert.deepEqual([(await signIn(PASSWORD)).status, (await signIn(password)).status], [422, 303]);
});

test("a name is changed, and one that does not fit is kept in the form with its fault", async (t) => {
  const { operator } = await startForOperator(t);
  const long = "x".repeat(300);
  const refused = await operator.post("/account/name", { name: long });
  assert.equal(refused.status, 422);
  const html = await refused.text();
  assert.match(html, /id="name-fault">Name /);
  assert.ok(html.includes(`value="${long}"`));
  assert.equal((await operator.post("/account/name", { name: "Olga O." })).status, 303);
  assert.match(await operator.text("/account"), /value="Olga O\."/);
});

test("one person belongs to several tenants: the second invitation is accepted with the same account, which goes from one to the other", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const [acme, books] = [
    await createTenant(admin.db, { name: "Acme" }),
    await createTenant(admin.db, { name: "Books" }),
  ];
  const email = "eve@example.com";
  const of = { tenantId: acme.id, role: "editor" } as const;
  const eve = await admin.person({ email, name: "Eve", of });
  assert.equal((await eve.get(`/tenants/${books.id}`)).status, 404);
  const made = await operator.post(`/tenants/${books.id}/members/invite`, {
    email,
    role: "viewer",
  });
  const link = /(\/join\/[\w-]+)/.exec(await operator.page(made))?.[1] ?? "";
  assert.match(await admin.browser().text(link), /You already have an account\. Sign in/);
  const wrong = await operator.post(link, {}, { from: link });
  assert.equal(wrong.status, 422);
  assert.match(await wrong.text(), /for another email address/);
  assert.equal((await eve.post(link, {}, { from: link })).status, 303);
  const html = await eve.text(`/tenants/${books.id}`);
  for (const { id, name } of [acme, books]) {
    assert.match(html, new RegExp(`<a href="/tenants/${id}"[^>]*>.*?${name}</a>`, "s"));
  }
  const content = { eventType: "order", channel: "SMS", content: "x", basedOnVersion: "0" };
  assert.equal((await eve.post(`/tenants/${acme.id}/templates`, content)).status, 303);
  assert.equal((await eve.post(`/tenants/${books.id}/templates`, content)).status, 403);
});

test("a form whose sender is signed out before its end changes nothing", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const [begin, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const fields = `name=Late&perMinute=1&dailyCap=1&_token=${await operator.token("/account")}`;
  async function* slowly() {
    yield Buffer.from(fields.slice(0, 5));
    begin.resolve();
    await end.promise;
    yield Buffer.from(fields.slice(5));
  }
  const sent = operator.raw("/tenants", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: ReadableStream.from(slowly()),
    duplex: "half",
  });
  await begin.promise;
  // After these calls the server has seen the first part.
  for (const _ of [1, 2, 3]) assert.equal((await operator.get("/account")).status, 200);
  await admin.db.deleteFrom("sessions").execute();
  end.resolve();
  const answer = await sent;
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/sign-in"]);
  const { rows } = await sql`select from tenants where name = 'Late'`.execute(admin.db);
  assert.equal(rows.length, 0);
});
