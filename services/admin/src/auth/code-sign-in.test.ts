import assert from "node:assert/strict";
import { test } from "node:test";
import { createBrowser, PASSWORD, type TestBrowser } from "../../test/browser.ts";
import {
  auditLog,
  giveCode,
  isSignedIn,
  PAGE,
  STEP_MS,
  startTwoFactor,
  type TwoFactorUnderTest,
} from "../../test/start-two-factor.ts";

const EVE = { email: "eve@example.com", name: "Eve" };
const WRONG = /role="alert">The code is wrong, or was used already\. Wait for the next one/;

/** Eve, with two-factor authentication. */
async function withEve(t: Parameters<typeof startTwoFactor>[0]) {
  const under = await startTwoFactor(t);
  const eve = await under.admin.person(EVE);
  return { ...under, eve, ...(await under.turnOn(eve)) };
}

async function sessions({ db }: TwoFactorUnderTest["admin"]): Promise<number> {
  return (await db.selectFrom("sessions").select("id").execute()).length;
}

test("after the password nobody is signed in before the code of now, of the step before or of the step after", async (t) => {
  const { admin, code, secret, advance, givePassword } = await withEve(t);
  for (const steps of [-2, 2, -1, 0, 1]) {
    advance(10 * STEP_MS);
    const browser = await givePassword(EVE.email);
    assert.equal(browser.cookies.has("belfry_session"), false);
    assert.equal(await isSignedIn(browser), false);
    const html = await browser.text("/sign-in/code");
    assert.match(html, /for="code">Code from your authenticator app</);
    assert.match(html, /autocomplete="one-time-code"/);
    const shown = code(secret, steps);
    const answer = await giveCode(browser, `${shown.slice(0, 3)} ${shown.slice(3)}`);
    if (Math.abs(steps) > 1) {
      assert.equal(answer.status, 422, `${steps}`);
      assert.match(await answer.text(), WRONG);
      assert.equal(await isSignedIn(browser), false);
    } else {
      assert.equal(answer.headers.get("location"), "/account", `${steps}`);
      assert.equal(await isSignedIn(browser), true);
      assert.equal(browser.cookies.has("belfry_code"), false);
    }
  }
  assert.equal(await sessions(admin), 4);
});

test("a code works once, and none of an earlier step after it, wherever it is used", async (t) => {
  const { code, secret, advance, givePassword, eve } = await withEve(t);
  const again = (shown: string) =>
    givePassword(EVE.email).then(async (browser) => (await giveCode(browser, shown)).status);
  assert.equal(await again(code(secret, -1)), 422, "the one that turned it on");
  const shown = code(secret, 1);
  assert.equal(await again(shown), 303);
  assert.equal(await again(shown), 422);
  assert.equal(await again(code(secret)), 422, "of the step before");
  advance(STEP_MS);
  const off = await eve.post(`${PAGE}/turn-off`, { current: PASSWORD, code: code(secret) });
  assert.equal(off.status, 422);
  advance(STEP_MS);
  assert.equal(await again(code(secret)), 303);
});

test("of many sign-ins at once with the same code, over two replicas, one is let in; so it is with a recovery code", async (t) => {
  const { admin, code, secret, givePassword, recoveryCodes } = await withEve(t);
  const urls = [admin.url, await admin.replica()];
  for (const [index, shown] of [code(secret), recoveryCodes[3] ?? ""].entries()) {
    const browsers: TestBrowser[] = [];
    for (let n = 0; n < 8; n += 1) {
      browsers.push(await givePassword(EVE.email, createBrowser(urls[n % 2] ?? "")));
    }
    const before = await sessions(admin);
    const tokens = await Promise.all(browsers.map((one) => one.token("/sign-in/code")));
    const answers = await Promise.all(
      browsers.map((one, n) =>
        one.raw("/sign-in/code", {
          method: "POST",
          body: new URLSearchParams({ _token: tokens[n] ?? "", code: shown }),
        }),
      ),
    );
    const letIn = answers.filter(({ status }) => status === 303);
    assert.equal(letIn.length, 1, `${index}: ${answers.map(({ status }) => status)}`);
    assert.equal((await sessions(admin)) - before, 1);
    await admin.db.deleteFrom("sign_in_tries").execute();
  }
});

test("what waits for a code ends after five minutes, and is nothing in another browser or for another guest", async (t) => {
  const { admin, code, secret, advance, givePassword } = await withEve(t);
  const browser = await givePassword(EVE.email);
  const cookie = browser.cookies.get("belfry_code") ?? "";
  const raw = await admin.browser().raw("/sign-in", {
    method: "POST",
    headers: { cookie: `belfry_guest=${browser.cookies.get("belfry_guest")}` },
    body: new URLSearchParams({
      ...{ email: EVE.email, password: PASSWORD, next: "/account" },
      _token: await browser.token("/sign-in"),
    }),
  });
  const line = raw.headers.getSetCookie().find((one) => one.startsWith("belfry_code=")) ?? "";
  assert.match(line, /; Max-Age=300; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.ok(!cookie.includes("eve") && cookie.split(".").length === 5, "encrypted");

  const isOver = async (one: TestBrowser) => {
    const page = await one.get("/sign-in/code");
    assert.equal(page.headers.get("location"), "/sign-in?done=sign-in-over");
    assert.equal(one.cookies.has("belfry_code"), false);
    one.cookies.set("belfry_code", cookie);
    const given = await one.post("/sign-in/code", { code: code(secret) }, { from: "/sign-in" });
    assert.equal(given.headers.get("location"), "/sign-in?done=sign-in-over");
    assert.equal(await isSignedIn(one), false);
  };
  const other = admin.browser();
  await other.get("/sign-in");
  other.cookies.set("belfry_code", cookie);
  await isOver(other);
  const tampered = admin.browser();
  for (const [name, value] of browser.cookies) tampered.cookies.set(name, value);
  // The first letter of the last part: of the last one not all bits count.
  const changed = cookie.replace(/[^.](?=[^.]*$)/, (letter) => (letter === "A" ? "B" : "A"));
  tampered.cookies.set("belfry_code", changed);
  const bad = await tampered.get("/sign-in/code");
  assert.equal(bad.headers.get("location"), "/sign-in?done=sign-in-over");

  advance(5 * 60_000 - 1);
  assert.equal((await browser.get("/sign-in/code")).status, 200);
  advance(1);
  await isOver(browser);
  assert.match(await browser.text("/sign-in?done=sign-in-over"), /This sign-in has expired/);
});

test("a recovery code signs in once, says how many are left, and is in the audit log without itself", async (t) => {
  const { admin, givePassword, recoveryCodes, lines } = await withEve(t);
  const [first = "", second = ""] = recoveryCodes;
  const browser = await givePassword(EVE.email);
  assert.match(await browser.text("/sign-in/code?recovery"), /for="code">Recovery code</);
  assert.equal((await giveCode(browser, "aaaaa-aaaaa-aaaaa")).status, 422);
  const answer = await giveCode(browser, first.toUpperCase().replaceAll("-", " "));
  assert.equal(answer.headers.get("location"), "/account?done=recovery-codes-left-9");
  assert.match(await browser.page(answer), /You have used a recovery code\. 9 recovery codes left/);
  const again = await givePassword(EVE.email);
  assert.equal((await giveCode(again, first)).status, 422);
  assert.equal((await giveCode(again, second)).status, 303);
  const home = await again.get("/?done=recovery-codes-left-8");
  assert.equal(home.headers.get("location"), "/account?done=recovery-codes-left-8");
  const log = await auditLog(admin);
  assert.deepEqual(log.slice(1), [
    ["account.recovery-code-used", "Eve <eve@example.com>", { left: 9 }],
    ["account.recovery-code-used", "Eve <eve@example.com>", { left: 8 }],
  ]);
  const kept = JSON.stringify([log, lines]);
  for (const one of [first, second]) assert.ok(!kept.toLowerCase().includes(one));
});

test("ten wrong codes of a person in an hour, over all replicas, browsers and pages; then the right one waits, and the audit log tells once", async (t) => {
  const { admin, code, secret, givePassword, eve, recoveryCodes, advance } = await withEve(t);
  const one = await givePassword(EVE.email);
  const two = await givePassword(EVE.email, createBrowser(await admin.replica()));
  for (let n = 0; n < 4; n += 1) assert.equal((await giveCode(one, "000000")).status, 422);
  const right = await givePassword(EVE.email);
  assert.equal((await giveCode(right, code(secret))).status, 303, "a right one is no guess");
  const tokens = await Promise.all([one, two].map((browser) => browser.token("/sign-in/code")));
  const guesses = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const body = new URLSearchParams({ _token: tokens[n % 2] ?? "", code: "111111" });
      return await [one, two][n % 2]!.raw("/sign-in/code", { method: "POST", body });
    }),
  );
  const statuses = guesses.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 422).length, 6);
  assert.equal(statuses.filter((status) => status === 429).length, 6);
  advance(STEP_MS);
  const waits = await giveCode(one, code(secret));
  assert.equal(waits.status, 429);
  assert.match(
    await waits.text(),
    /role="alert">Too many wrong codes\. Wait 60 min and try again\./,
  );
  const seconds = Number(waits.headers.get("retry-after"));
  assert.ok(seconds > 59 * 60 && seconds <= 60 * 60, `${seconds} s`);
  assert.equal((await giveCode(two, recoveryCodes[0] ?? "")).status, 429);
  const off = await eve.post(`${PAGE}/turn-off`, { current: PASSWORD, code: code(secret) });
  assert.equal(off.status, 429);
  assert.match(
    await off.text(),
    /id="turn-off-code-fault">Code cannot be checked\. Too many wrong/,
  );

  const told = (await auditLog(admin)).filter(([action]) => action === "account.wrong-codes");
  assert.deepEqual(told, [
    ["account.wrong-codes", "Eve <eve@example.com>, by the password alone", null],
  ]);
  await admin.db.updateTable("sign_in_tries").set({ ends_at: new Date() }).execute();
  assert.equal((await giveCode(one, code(secret))).status, 303, "after the hour");
});
