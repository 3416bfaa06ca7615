import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  connectIdentity,
  hasPassword,
  identitiesOf,
} from "@belfry/administration/people/identities";
import { firstOperatorToken } from "@belfry/administration/people/invitations";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import { personAtAddress } from "@belfry/administration/people/people";
import { endUntrustedSignIn } from "@belfry/administration/people/untrusted-sign-in";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { areWaiting, hold } from "@belfry/administration/test/database";
import { PASSWORD, type TestBrowser } from "../../test/browser.ts";
import { signInAt, startProvider } from "../../test/oidc-provider.ts";
import { giveCode, isSignedIn, startTwoFactor } from "../../test/start-two-factor.ts";

const EMAIL = "vic@acme.com";
const NEW = "another quiet sentence";

/** Mallory owns Acme. She invites Vic, follows the link herself, sets a password and turns two-factor authentication on. */
async function startPrepared(t: TestContext, given: Parameters<typeof startTwoFactor>[1] = {}) {
  const twoFactor = await startTwoFactor(t, given);
  const { admin } = twoFactor;
  const [acme, books] = [
    await createTenant(admin.db, { name: "Acme" }),
    await createTenant(admin.db, { name: "Books" }),
  ];
  const operator = await admin.operator();
  const ownerOf = (tenantId: string, name: string) =>
    admin.person({ email: `${name}@acme.com`, name, of: { tenantId, role: "owner" } });
  const [mallory, bob] = [await ownerOf(acme.id, "mallory"), await ownerOf(books.id, "bob")];
  const invite = async (by: TestBrowser, path: string, email = EMAIL) => {
    const fields = { email, role: "editor" };
    const html = await by.page(await by.post(`${path}/invite`, fields, { from: path }));
    return /http:\/\/admin\.test(\/join\/[\w-]+)/.exec(html)?.[1] ?? "";
  };
  const members = { acme: `/tenants/${acme.id}/members`, books: `/tenants/${books.id}/members` };
  const prepared = admin.browser();
  await prepared.join(await invite(mallory, members.acme), { email: EMAIL, name: "Vic" });
  const { recoveryCodes } = await twoFactor.turnOn(prepared);
  const { id: vic } = await personAtAddress(admin.db, EMAIL);
  const signIn = (password: string, browser = admin.browser()) =>
    browser.post("/sign-in", { email: EMAIL, password, next: "" }, { from: "/sign-in" });
  /** Resets the password by an operator's link, and signs in with it. */
  const resetByOperator = async () => {
    const { token } = await makeResetLink(admin.db, vic, { personId: null, ownerOf: null });
    const browser = admin.browser();
    const fields = { password: NEW, repeated: NEW };
    await browser.post(`/reset/${token}`, fields, { from: `/reset/${token}` });
    assert.equal((await signIn(NEW, browser)).status, 303);
    return browser;
  };
  /** Returns the audit entries about Vic. */
  const audit = () =>
    admin.db
      .selectFrom("audit_log")
      .selectAll()
      .where("target", "=", EMAIL)
      .orderBy("id")
      .execute();
  const accept = (browser: TestBrowser, link: string) => browser.post(link, {}, { from: link });
  return {
    ...twoFactor,
    ...{ acme, books, operator, mallory, bob, invite, members, prepared, recoveryCodes },
    ...{ vic, signIn, resetByOperator, accept, audit },
  };
}

test("an account that an owner prepared is the real person's alone once the provider has verified the address", async (t) => {
  const provider = await startProvider(t);
  const { admin, books, prepared, recoveryCodes, givePassword, signIn, vic, audit } =
    await startPrepared(t);
  const pending = await givePassword(EMAIL);
  const groupRoles = [{ group: "readers", tenantId: books.id, role: "viewer" as const }];
  const url = await admin.replica({ oidc: provider.settings({ groupRoles }) });
  const person = { sub: "vic-1", email: EMAIL, email_verified: true, groups: ["readers"] };
  const { browser } = await signInAt(url, provider, person);

  assert.equal((await browser.get(`/tenants/${books.id}`)).status, 200);
  assert.equal(await isSignedIn(prepared), false, "her session");
  assert.equal((await signIn(PASSWORD)).status, 422, "her password");
  const coded = await giveCode(pending, recoveryCodes[0] ?? "");
  assert.equal(
    coded.headers.get("location"),
    "/sign-in?done=sign-in-over",
    "her sign-in under way",
  );
  assert.equal(await hasPassword(admin.db, vic), false);
  const log = await audit();
  assert.deepEqual(
    log.map((one) => one.action),
    [
      ...["member.invite", "member.join", "account.two-factor-on"],
      ...["account.connect", "account.untrusted-end", "member.join"],
    ],
  );
  assert.deepEqual(log[4]?.after, {
    password: true,
    twoFactor: true,
    identities: 0,
    sessions: 1,
  });
});

test("a password that an owner may know ends with a membership elsewhere, as the page says before; an operator's link begins anew", async (t) => {
  const {
    admin,
    books,
    bob,
    members,
    invite,
    prepared,
    signIn,
    vic,
    resetByOperator,
    accept,
    audit,
  } = await startPrepared(t);
  const account = { issuer: "https://login.example", subject: "mallory-1", email: null };
  const mallorys = { ...account, emailVerified: false, name: null, groups: [] };
  await connectIdentity(admin.db, vic, mallorys);
  const again = await invite(bob, members.books);
  assert.match(await prepared.text(again), /Your password was set by a link of a tenant’s owner/);
  const accepted = await accept(prepared, again);
  assert.match(await prepared.page(accepted), /Accepted\. Your password has ended/);
  assert.equal(await isSignedIn(prepared), false);
  assert.equal((await signIn(PASSWORD)).status, 422);
  assert.deepEqual(await identitiesOf(admin.db, vic), []);
  const actions = await audit();
  assert.deepEqual(
    actions.slice(-2).map((one) => [one.action, one.person]),
    [
      ["account.untrusted-end", `Vic <${EMAIL}>`],
      ["member.join", `Vic <${EMAIL}>`],
    ],
  );

  const browser = await resetByOperator();
  assert.equal((await browser.get(`/tenants/${books.id}`)).status, 200);
  const { id: third } = await createTenant(admin.db, { name: "Third" });
  const tess = await admin.person({
    ...{ email: "tess@acme.com", name: "Tess" },
    of: { tenantId: third, role: "owner" },
  });
  const link = await invite(tess, `/tenants/${third}/members`);
  assert.doesNotMatch(await browser.text(link), /Your password was set/);
  await accept(browser, link);
  assert.equal((await browser.get(`/tenants/${third}`)).status, 200);
});

test("another role in the same tenant ends nothing, and nothing ends that an operator's invitation began", async (t) => {
  const { admin, mallory, bob, operator, members, invite, prepared, accept } =
    await startPrepared(t);
  await accept(prepared, await invite(mallory, members.acme));
  assert.equal(await isSignedIn(prepared), true);
  const nora = admin.browser();
  const email = "nora@acme.com";
  await nora.join(await invite(operator, members.acme, email), { email, name: "Nora" });
  await accept(nora, await invite(bob, members.books, email));
  assert.equal(await isSignedIn(nora), true);
});

test("a password by an owner's reset link ends when its person becomes an operator, by whichever link", async (t) => {
  const { admin, mallory, operator, members, invite, resetByOperator, signIn, vic, accept } =
    await startPrepared(t);
  await admin.db.deleteFrom("person_totp").execute();
  await resetByOperator();
  const made = await mallory.page(
    await mallory.post(`${members.acme}/${vic}/reset-link`, {}, { from: members.acme }),
  );
  const link = /http:\/\/admin\.test(\/reset\/[\w-]+)/.exec(made)?.[1] ?? "";
  const fields = { password: PASSWORD, repeated: PASSWORD };
  await mallory.post(link, fields, { from: link });
  const [vics, mallorys] = [admin.browser(), admin.browser()];
  for (const browser of [vics, mallorys]) await signIn(PASSWORD, browser);
  await accept(vics, await invite(operator, "/operators"));
  assert.equal(await isSignedIn(mallorys), false);
  assert.equal((await signIn(PASSWORD)).status, 422);
  assert.equal((await (await resetByOperator()).get("/operators")).status, 200);
  // An operator reaches all tenants already, so a new membership ends no session.
  const operators = await resetByOperator();
  await accept(operators, await invite(operator, members.books));
  assert.equal((await operators.get("/operators")).status, 200);
});

test("the first operator's link ends it too; the host's operator makes the next link by the command line", async (t) => {
  const { admin, prepared, signIn, resetByOperator, accept } = await startPrepared(t);
  await admin.db.updateTable("people").set({ operator: false }).execute();
  await admin.db.deleteFrom("person_totp").execute();
  await accept(prepared, `/join/${await firstOperatorToken(admin.db)}`);
  assert.equal((await signIn(PASSWORD)).status, 422);
  assert.equal((await (await resetByOperator()).get("/operators")).status, 200);
});

test("a password change and a connection that are under way when the sign-in ends change nothing", async (t) => {
  const provider = await startProvider(t);
  const { admin, prepared, vic } = await startPrepared(t, {
    config: { oidc: provider.settings() },
  });
  await admin.db.deleteFrom("person_totp").execute();
  const asked = await prepared.post("/account/identities/connect", { current: PASSWORD });
  const html = await prepared.page(asked);
  const to = /href="(http[^"]+)">Sign in at Acme Login/.exec(html)?.[1] ?? "";
  const at = await provider.visit(to.replaceAll("&amp;", "&"), { sub: "mallory-1" });
  const { pathname, search } = new URL(at);
  await using held = await hold(admin.db, (transaction) => endUntrustedSignIn(transaction, vic));
  const connected = prepared.get(pathname + search);
  const changed = prepared.post("/account/password", { current: PASSWORD, password: NEW });
  await areWaiting(admin.db, 2);
  await held.commit();
  assert.equal((await connected).status, 400);
  assert.equal((await changed).status, 422);
  assert.deepEqual(await identitiesOf(admin.db, vic), []);
  assert.equal(await hasPassword(admin.db, vic), false);
});
