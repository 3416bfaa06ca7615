import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { PASSWORD, type TestBrowser } from "../../test/browser.ts";
import { signInAt, startProvider } from "../../test/oidc-provider.ts";
import { startAdmin, startForOperator, startForTenant } from "../../test/start-admin.ts";

const CONNECT = "/account/identities/connect";
const DISCONNECT = "/account/identities/disconnect";

test("an operator connects an account by hand, signs in with it, and disconnects it", async (t) => {
  const provider = await startProvider(t);
  const { admin, operator } = await startForOperator(t, { config: { oidc: provider.settings() } });
  const olga = { sub: "olga-1", email: "olga@private.example", email_verified: false };
  assert.match(await operator.text("/account"), />Connect Acme Login</);

  /** Connects an account: the form, the page after it, the provider, and the way back. */
  const connect = async (browser: TestBrowser, person: typeof olga) => {
    const asked = await browser.post(CONNECT, { current: PASSWORD });
    assert.equal(asked.status, 303);
    const html = await browser.page(asked);
    const to = /href="(http[^"]+)">Sign in at Acme Login/.exec(html)?.[1] ?? "";
    const { pathname, search } = new URL(await provider.visit(to.replaceAll("&amp;", "&"), person));
    return pathname + search;
  };
  const wrong = await operator.post(CONNECT, { current: "a guess" });
  assert.equal(wrong.status, 422);
  assert.match(await wrong.text(), /That is not your password\..*href="\/account"/s);
  assert.equal((await operator.raw(CONNECT, { method: "POST" })).status, 403, "from another site");
  assert.equal((await operator.get(CONNECT)).headers.get("location"), "/account");

  const back = await connect(operator, olga);
  // In a browser where somebody else has signed in since, it connects nothing.
  const bea = await admin.person({ email: "bea@example.com", name: "Bea" });
  bea.cookies.set("belfry_oidc", operator.cookies.get("belfry_oidc")!);
  assert.equal((await bea.get(back)).status, 400);
  assert.ok(!(await bea.text("/account")).includes("olga@private.example"));
  const done = await operator.get(await connect(operator, olga));
  assert.equal(done.headers.get("location"), "/account?done=connected");
  const html = await operator.page(done);
  assert.match(html, /olga@private\.example/);
  assert.ok(!html.includes(">Connect Acme Login<"));

  const taken = await bea.get(await connect(bea, olga));
  assert.equal(taken.status, 403);
  assert.match(await taken.text(), /already connected to somebody else(&#39;|')s account here/);

  const { browser } = await signInAt(admin.url, provider, olga);
  assert.equal((await browser.get("/operators")).status, 200);
  const gone = await browser.post(DISCONNECT, { issuer: provider.url });
  assert.equal(gone.headers.get("location"), "/account?done=disconnected");
  assert.equal((await browser.post(DISCONNECT, { issuer: provider.url })).status, 404);
  assert.equal((await signInAt(admin.url, provider, olga)).answer.status, 403);
  const entries = await admin.pool.query(
    "select person, action, target, before, after from audit_log order by id",
  );
  const [issuer, email] = [provider.url, olga.email];
  const of = { person: "Olga Operator <op@example.com>", target: "op@example.com" };
  const after = { issuer, subject: "olga-1", email, by: "hand" };
  assert.deepEqual(entries.rows, [
    { ...of, action: "account.connect", before: null, after },
    { ...of, action: "account.disconnect", before: { issuer, email }, after: null },
  ]);
});

test("whoever has no password keeps the way in, and cannot sign in by a password", async (t) => {
  const provider = await startProvider(t);
  const admin = await startAdmin(t);
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const groupRoles = [{ group: "staff", tenantId, role: "editor" as const }];
  const url = await admin.replica({ oidc: provider.settings({ groupRoles }) });
  const ann = { sub: "ann", email: "ann@acme.com", email_verified: true, groups: ["staff"] };
  const { browser } = await signInAt(url, provider, ann);
  const html = await browser.text("/account");
  assert.match(html, /your only way to sign in/);
  assert.ok(!html.includes('name="current"'), "no form for a password that is not there");
  const kept = await browser.post(DISCONNECT, { issuer: provider.url });
  assert.equal(kept.status, 422);
  assert.match(await kept.text(), /your only way to sign in\./);
  for (const password of ["", "null", "undefined"]) {
    const fields = { email: ann.email, password, next: "/" };
    const answer = await admin.browser().post("/sign-in", fields, { from: "/sign-in" });
    assert.equal(answer.status, 422, password);
  }
  const change = { current: "", password: "a quiet sentence of mine" };
  assert.equal((await browser.post("/account/password", change)).status, 422);
  assert.equal((await signInAt(url, provider, ann)).answer.status, 303);
});

test("an operator disconnects somebody's account, whose sessions end; an owner does not, and nobody for themselves", async (t) => {
  const { admin, operator, id: tenantId } = await startForTenant(t);
  const of = { tenantId, role: "owner" } as const;
  const owner = await admin.person({ email: "olive@example.com", name: "Olive", of });
  const eve = await admin.person({ email: "eve@example.com", name: "Eve", of });
  const otto = await admin.person({ email: "otto@example.com", name: "Otto", operator: true });
  await admin.pool.query(
    `insert into person_identities (issuer, subject, person_id, by_hand, email)
     select 'https://login', name, id, true, email from people where name != 'Olive'`,
  );
  const members = `/tenants/${tenantId}/members`;
  const ways = async (browser: TestBrowser, path: string) =>
    [...(await browser.text(path)).matchAll(/action="([^"]+\/disconnect-identity)"/g)].map(
      ([, way]) => way ?? "",
    );
  assert.match(await owner.text(members), /single sign-on/);
  assert.deepEqual(await ways(owner, members), []);
  const [[ofEve = "", ...more], [ofOtto = "", ...others]] = [
    await ways(operator, members),
    await ways(operator, "/operators"),
  ];
  assert.deepEqual(
    [more, others],
    [[], []],
    "none for Olive, who has none, and Olga, who is asking",
  );
  for (const path of [ofEve, ofOtto]) assert.equal((await owner.post(path)).status, 403);
  assert.equal((await operator.post(ofOtto.replace("/operators", members))).status, 404);
  const { rows } = await admin.pool.query("select id from people where name like 'Olga%'");
  const self = await operator.post(`/operators/${rows[0].id}/disconnect-identity`);
  assert.deepEqual([self.status, /it is you/.test(await self.text())], [422, true]);

  for (const [path, browser] of [
    [ofEve, eve],
    [ofOtto, otto],
  ] as const) {
    assert.equal((await browser.get("/account")).status, 200);
    assert.match(await operator.page(await operator.post(path)), /Disconnected\. The account/);
    assert.equal((await browser.get("/account")).status, 303);
    assert.match(await (await operator.post(path)).text(), /has no connected account/);
  }
  const left = await admin.pool.query("select subject from person_identities");
  assert.deepEqual(left.rows, [{ subject: "Olga Operator" }]);
});
