import assert from "node:assert/strict";
import { test } from "node:test";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import { personAtAddress } from "@belfry/administration/people/people";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { PASSWORD, type TestBrowser } from "../../test/browser.ts";
import { signInAt, startProvider } from "../../test/oidc-provider.ts";
import type { AdminUnderTest } from "../../test/start-admin.ts";
import {
  auditLog,
  giveCode,
  isSignedIn,
  PAGE,
  STEP_MS,
  startTwoFactor,
} from "../../test/start-two-factor.ts";

const EVE = { email: "eve@example.com", name: "Eve" };
const NEW = "another quiet sentence";

test("a sign-in that waits for a code ends with a new password, a reset link, turning it off or its removal", async (t) => {
  const { admin, code, advance, turnOn, givePassword } = await startTwoFactor(t);
  const operator = await admin.operator();
  const changes: Record<string, (eve: TestBrowser, secret: string) => Promise<Response>> = {
    password: (eve) => eve.post("/account/password", { current: PASSWORD, password: NEW }),
    reset: async () => {
      const link = await resetLink(admin, "reset@example.com");
      return await admin.browser().post(link, { password: NEW, repeated: NEW }, { from: link });
    },
    off: (eve, secret) =>
      eve.post(`${PAGE}/turn-off`, { current: PASSWORD, code: code(secret, 1) }),
    removed: async () => {
      const { id } = await admin.db
        .selectFrom("people")
        .select("id")
        .where("email", "=", "removed@example.com")
        .executeTakeFirstOrThrow();
      return await operator.post(`/operators/${id}/remove-two-factor`);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    const email = `${name}@example.com`;
    const eve = await admin.person({ email, name });
    const { secret, recoveryCodes } = await turnOn(eve);
    const pending = [await givePassword(email), await givePassword(email)];
    assert.equal((await change(eve, secret)).status, 303, name);
    for (const [index, shown] of [code(secret), recoveryCodes[0] ?? ""].entries()) {
      const answer = await giveCode(pending[index]!, shown);
      assert.equal(answer.headers.get("location"), "/sign-in?done=sign-in-over", name);
      assert.equal(await isSignedIn(pending[index]!), false, name);
    }
    advance(2 * STEP_MS);
  }
});

test("after a reset link signing in still asks for a code", async (t) => {
  const { admin, code, turnOn } = await startTwoFactor(t);
  const eve = await admin.person(EVE);
  const { secret } = await turnOn(eve);
  const browser = admin.browser();
  const link = await resetLink(admin, EVE.email);
  const done = await browser.post(link, { password: NEW, repeated: NEW }, { from: link });
  assert.equal(done.headers.get("location"), "/sign-in?done=password-set");
  assert.equal(await isSignedIn(eve), false);
  const fields = { email: EVE.email, password: NEW, next: "/account" };
  const given = await browser.post("/sign-in", fields, { from: "/sign-in" });
  assert.equal(given.headers.get("location"), "/sign-in/code");
  assert.equal(await isSignedIn(browser), false);
  assert.equal((await giveCode(browser, code(secret))).status, 303);
  assert.equal(await isSignedIn(browser), true);
});

test("an operator removes it from whoever has lost the app, in the operators' and the members' pages; an owner does not, and nobody for themselves", async (t) => {
  const { admin, turnOn, advance } = await startTwoFactor(t);
  const operator = await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const of = { tenantId, role: "owner" } as const;
  const owner = await admin.person({ email: "olive@example.com", name: "Olive", of });
  const eve = await admin.person({ ...EVE, of });
  const otto = await admin.person({ email: "otto@example.com", name: "Otto", operator: true });
  for (const one of [eve, otto, operator]) await turnOn(one);
  const members = `/tenants/${tenantId}/members`;
  const seen = await owner.text(members);
  assert.match(seen, /two-factor<\/span>/);
  assert.ok(!seen.includes("remove-two-factor"), "owners see who has it");
  const inTenant = removalOf("Eve", await operator.text(members));
  const ofPlatform = removalOf("Otto", await operator.text("/operators"));
  assert.match(inTenant, /^\/tenants\//);
  assert.match(ofPlatform, /^\/operators\//);
  assert.equal(removalOf("Olga Operator", await operator.text("/operators")), "");
  for (const path of [inTenant, inTenant.replace(members, "/operators"), ofPlatform]) {
    assert.equal((await owner.post(path)).status, 403, path);
  }
  assert.equal((await operator.post(ofPlatform.replace("/operators", members))).status, 404);
  const { rows } = await admin.pool.query("select id from people where name = 'Olga Operator'");
  const self = await operator.post(`/operators/${rows[0].id}/remove-two-factor`);
  assert.equal(self.status, 422);
  assert.match(
    await self.text(),
    /Not changed: it is you: turn two-factor authentication off under/,
  );
  assert.deepEqual([await isSignedIn(eve), await isSignedIn(otto)], [true, true]);

  const removed = await operator.post(inTenant);
  assert.equal(removed.headers.get("location"), `${members}?done=two-factor-removed`);
  assert.match(
    await operator.page(removed),
    /Two-factor authentication removed\. This person signs in/,
  );
  assert.equal((await operator.post(ofPlatform)).status, 303);
  assert.deepEqual([await isSignedIn(eve), await isSignedIn(otto)], [false, false]);
  const twice = await operator.post(inTenant);
  assert.equal(twice.status, 422);
  assert.match(await twice.text(), /Not changed: this person has no two-factor authentication\./);
  advance(STEP_MS);
  const fields = { email: EVE.email, password: PASSWORD, next: "/account" };
  const signIn = await admin.browser().post("/sign-in", fields, { from: "/sign-in" });
  assert.equal(signIn.headers.get("location"), "/account");
  const log = await admin.db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  assert.deepEqual(
    log.slice(-2).map((row) => [row.action, row.person, row.target, row.after, row.tenant_id]),
    ["eve@example.com", "otto@example.com"].map((email) => [
      ...["account.two-factor-remove", "Olga Operator <op@example.com>", email],
      ...[{ sessionsEnded: 1 }, null],
    ]),
  );
});

test("signing in at a provider never asks for a code, and so connecting an account there does", async (t) => {
  const provider = await startProvider(t);
  const { admin, code, turnOn } = await startTwoFactor(t, {
    config: { oidc: provider.settings({ allowedDomains: ["acme.com"] }) },
  });
  const eve = await admin.person({ email: "eve@acme.com", name: "Eve" });
  const { secret } = await turnOn(eve);
  const connect = "/account/identities/connect";
  assert.match(await eve.text("/account"), /id="connect-code"/);
  for (const [given, words] of [
    [{ current: "a guess", code: code(secret) }, /That is not your password\./],
    [{ current: PASSWORD }, /The code is wrong, or was used already\./],
    [{ current: PASSWORD, code: "000000" }, /The code is wrong, or was used already\./],
  ] as const) {
    const answer = await eve.post(connect, given);
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), words);
  }
  assert.equal((await eve.post(connect, { current: PASSWORD, code: code(secret) })).status, 303);

  const person = { sub: "eve-1", email: "eve@acme.com", email_verified: true };
  const { answer, browser } = await signInAt(admin.url, provider, person);
  assert.equal(answer.headers.get("location"), "/account");
  assert.equal(await isSignedIn(browser), true);
  assert.match(await browser.text(PAGE), /Signing in with Acme Login does not ask for it/);
  assert.equal((await auditLog(admin)).at(-1)?.[0], "account.connect");
});

function removalOf(name: string, html: string): string {
  const forms = html.split("<form").slice(1);
  const label = `aria-label="Remove two-factor authentication from ${name}"`;
  return /action="([^"]+)"/.exec(forms.find((one) => one.includes(label)) ?? "")?.[1] ?? "";
}

async function resetLink({ db }: AdminUnderTest, email: string): Promise<string> {
  const { id } = await personAtAddress(db, email);
  const { token } = await makeResetLink(db, id, { personId: null, ownerOf: null });
  return `/reset/${token}`;
}
