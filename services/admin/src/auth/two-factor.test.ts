import assert from "node:assert/strict";
import { test } from "node:test";
import { insertPerson } from "@belfry/administration/people/person-rows";
import { beginSession } from "@belfry/administration/people/sessions";
import { tablesWith } from "@belfry/administration/test/person";
import { assertEach } from "@belfry/testing/assert-each";
import { PASSWORD } from "../../test/browser.ts";
import {
  auditLog,
  giveCode,
  isSignedIn,
  PAGE,
  recoveryCodesIn,
  secretIn,
  setUp,
  startTwoFactor,
} from "../../test/start-two-factor.ts";

const EVE = { email: "eve@example.com", name: "Eve" };
const EVE_LOGGED = "Eve <eve@example.com>";

test("turning it on takes the password and a code of the app, ends the other sessions and shows ten recovery codes once", async (t) => {
  const { admin, code, lines } = await startTwoFactor(t);
  const eve = await admin.person(EVE);
  const elsewhere = admin.browser();
  const { id } = await admin.db.selectFrom("people").select("id").executeTakeFirstOrThrow();
  const place = { address: "192.0.2.1", userAgent: "test" };
  elsewhere.cookies.set("belfry_session", await beginSession(admin.db, id, place));
  assert.match(await eve.text("/account"), /Off\. When it is on/);

  const refused = await eve.post(`${PAGE}/begin`, { current: "a guess" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /id="begin-current-fault">Current password is not your/);
  assert.equal(secretIn(await eve.text(PAGE)), "");

  const secret = await setUp(eve);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const html = await eve.text(PAGE);
  assert.equal(secretIn(html), secret, "a reload shows the same one");
  assert.match(html, /class="qr" role="img" aria-label="QR code[^>]*><svg [^>]*viewBox=/);
  assert.ok(
    html.includes(`otpauth://totp/Belfry%20(admin.test):eve%40example.com?secret=${secret}`),
  );
  assert.equal(secretIn(await elsewhere.text(PAGE)), "", "another session does not see it");
  const wrong = await eve.post(`${PAGE}/turn-on`, { code: code(secret, 2) });
  assert.equal(wrong.status, 422);
  assert.match(await wrong.text(), /id="code-fault">Code from your authenticator app is wrong, or/);
  const there = await elsewhere.post(`${PAGE}/turn-on`, { code: code(secret) });
  assert.match(await elsewhere.page(there), /This setup has expired, and nothing was turned on/);
  assert.equal(await isSignedIn(elsewhere), true);

  const on = await eve.post(`${PAGE}/turn-on`, { code: code(secret) });
  assert.equal(on.status, 303);
  const shown = await eve.page(on);
  const codes = recoveryCodesIn(shown);
  assert.equal(new Set(codes).size, 10);
  for (const one of codes) assert.match(one, /^[a-km-np-z2-9]{5}(-[a-km-np-z2-9]{5}){2}$/);
  assert.ok(shown.includes(encodeURIComponent(codes.join("\n"))), "to be downloaded");
  assert.deepEqual(recoveryCodesIn(await eve.text(on.headers.get("location") ?? "")), []);
  assert.deepEqual([await isSignedIn(eve), await isSignedIn(elsewhere)], [true, false]);
  assert.match(
    await eve.text("/account"),
    /on<\/span>\s*<span[^>]*>turned on .*10 recovery codes left/s,
  );
  assert.equal(secretIn(await eve.text(PAGE)), "");

  const log = await auditLog(admin);
  assert.deepEqual(log, [["account.two-factor-on", EVE_LOGGED, { sessionsEnded: 1 }]]);
  assert.equal((await tablesWith(admin.pool, EVE.email)).length, 2, "this does find what is there");
  for (const one of [secret, ...codes, ...codes.map((text) => text.replaceAll("-", ""))]) {
    assert.deepEqual(await tablesWith(admin.pool, one), []);
    assert.ok(!lines.join("").includes(one));
  }
});

test("a secret that nobody has confirmed within 15 minutes, or whose session has ended, is worth nothing", async (t) => {
  const { admin, code, advance } = await startTwoFactor(t);
  const eve = await admin.person(EVE);
  const first = await setUp(eve);
  advance(15 * 60_000 - 1);
  assert.equal(secretIn(await eve.text(PAGE)), first);
  advance(1);
  assert.equal(secretIn(await eve.text(PAGE)), "");
  const late = await eve.post(`${PAGE}/turn-on`, { code: code(first) });
  assert.equal(late.headers.get("location"), `${PAGE}?done=setup-over`);
  assert.notEqual(await setUp(eve), first);
  assert.equal((await eve.post(`${PAGE}/turn-on`, { code: code(first) })).status, 422);
  await admin.db.deleteFrom("sessions").execute();
  assert.deepEqual(await admin.db.selectFrom("person_totp").selectAll().execute(), []);
});

test("turning it off and making new recovery codes take password and code; a code works once for whichever", async (t) => {
  const { admin, code, advance, turnOn, givePassword } = await startTwoFactor(t);
  const eve = await admin.person(EVE);
  const { secret, recoveryCodes } = await turnOn(eve);
  const elsewhere = await givePassword(EVE.email);
  assert.equal((await giveCode(elsewhere, recoveryCodes[0] ?? "")).status, 303);
  const right = () => ({ current: PASSWORD, code: code(secret) });
  for (const what of ["turn-off", "recovery-codes"]) {
    const guess = await eve.post(`${PAGE}/${what}`, { ...right(), current: "a guess" });
    assert.match(
      await guess.text(),
      new RegExp(`id="${what}-current-fault">Current password is not`),
    );
    const wrong = await eve.post(`${PAGE}/${what}`, { ...right(), code: "" });
    assert.equal(wrong.status, 422);
    assert.match(
      await wrong.text(),
      new RegExp(`id="${what}-code-fault">Code is wrong, or was used`),
    );
  }
  const made = await eve.post(`${PAGE}/recovery-codes`, right());
  const codes = recoveryCodesIn(await eve.page(made));
  assert.equal(codes.length, 10);
  assert.equal((await eve.post(`${PAGE}/turn-off`, right())).status, 422, "that code was used");
  const old = await eve.post(`${PAGE}/turn-off`, { ...right(), code: recoveryCodes[1] ?? "" });
  assert.equal(old.status, 422, "the recovery codes before have ended");
  const again = await eve.post(`${PAGE}/begin`, right());
  assert.equal(again.status, 422, "it is on already");

  advance(60 * 60_000);
  await admin.db.deleteFrom("sign_in_tries").execute();
  const off = await eve.post(`${PAGE}/turn-off`, right());
  for (const what of ["turn-off", "recovery-codes"]) {
    const again = await eve.post(`${PAGE}/${what}`, { current: PASSWORD });
    assert.equal(again.headers.get("location"), PAGE, "it is off already");
  }
  assert.equal(off.headers.get("location"), "/account?done=two-factor-off");
  assert.deepEqual([await isSignedIn(eve), await isSignedIn(elsewhere)], [true, false]);
  assert.match(await eve.page(off), /Off\. When it is on/);
  const fields = { email: EVE.email, password: PASSWORD, next: "/account" };
  const signIn = await admin.browser().post("/sign-in", fields, { from: "/sign-in" });
  assert.equal(signIn.headers.get("location"), "/account", "the password is enough again");
  assert.deepEqual(await admin.db.selectFrom("recovery_codes").selectAll().execute(), []);
  assertEach(await auditLog(admin), ([action, person, after]) => [action, person, after], [
    ["account.two-factor-on", EVE_LOGGED, { sessionsEnded: 0 }],
    ["account.recovery-code-used", EVE_LOGGED, { left: 9 }],
    ["account.recovery-codes", EVE_LOGGED, null],
    ["account.two-factor-off", EVE_LOGGED, { sessionsEnded: 1 }],
  ]);
});

test("who has no password is not offered it: the provider asks for what it asks for", async (t) => {
  const { admin } = await startTwoFactor(t);
  const browser = admin.browser();
  const person = { email: "ida@example.com", name: "Ida", password: null, operator: false };
  const place = { address: "192.0.2.1", userAgent: "test" };
  const token = await beginSession(admin.db, await insertPerson(admin.db, person), place);
  browser.cookies.set("belfry_session", token);
  assert.match(await browser.text("/account"), /You sign in without a password\. Whether/);
  assert.ok(!(await browser.text(PAGE)).includes(`${PAGE}/begin`));
  assert.equal((await browser.post(`${PAGE}/begin`, { current: "" })).status, 422);
  assert.deepEqual(await admin.db.selectFrom("person_totp").selectAll().execute(), []);
});
