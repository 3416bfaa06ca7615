import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { parseSecretKeys } from "@belfry/database/secrets";
import { generateSync } from "otplib";
import { areWaiting, hold, testDatabase } from "../../test/database.ts";
import { hashPassword } from "./password.ts";
import { changePassword, preparePasswordChange } from "./people.ts";
import { insertPerson, lockPerson } from "./person-rows.ts";
import {
  beginSession,
  checkPassword,
  findSession,
  listSessions,
  signInByPassword,
  tokenHash,
} from "./sessions.ts";
import {
  beginTwoFactor,
  digitsOf,
  signInByCode,
  stepOfCode,
  turnOnTwoFactor,
  twoFactorOf,
  twoFactorSetup,
  useCode,
} from "./two-factor.ts";

const PASSWORD = "the old sentence";
const EMAIL = "eve@example.com";
const CLIENT = { network: "test" };
const HERE = { address: "192.0.2.7", userAgent: "test" };
const keys = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);
const NOW = new Date(60_000_000 * 30_000);
const LATER = new Date(NOW.getTime() + 30_000);

/** Eve with a session that has set two-factor authentication up and not confirmed it. */
async function settingUp(t: TestContext) {
  const db = await testDatabase(t);
  const password = await hashPassword(PASSWORD, CLIENT, { log2N: 10, r: 8, p: 1 });
  const personId = await insertPerson(db, { email: EMAIL, name: "Eve", password, operator: false });
  const token = await beginSession(db, personId, HERE);
  const session = await findSession(db, tokenHash(token), new Date(0));
  const person = { personId, sessionId: session?.sessionId ?? "" };
  await beginTwoFactor(db, keys, person, NOW);
  const secret = (await twoFactorSetup(db, keys, person, NOW)) ?? "";
  const code = (at: Date) => generateSync({ secret, epoch: at.getTime() / 1000 });
  const givePassword = async () => {
    const given = await checkPassword(db, EMAIL, PASSWORD, CLIENT);
    return given ?? assert.fail("the password is right");
  };
  const sessions = async () => (await listSessions(db, personId)).length;
  return { db, personId, person, secret, code, givePassword, sessions };
}

test("a password that was given before it was turned on, or before it was changed, begins no session after it", async (t) => {
  const { db, personId, person, code, givePassword, sessions } = await settingUp(t);
  const before = await givePassword();
  {
    await using held = await hold(db, (transaction) =>
      turnOnTwoFactor(transaction, keys, person, code(NOW), NOW),
    );
    const signingIn = signInByPassword(db, before, HERE);
    await areWaiting(db, 1);
    await held.commit();
    assert.equal(await signingIn, "stale");
  }
  const given = await givePassword();
  assert.equal(await signInByPassword(db, given, HERE), "code");
  const input = { current: PASSWORD, password: "another sentence" };
  const change = await preparePasswordChange(db, personId, input, CLIENT);
  await using held = await hold(db, (transaction) =>
    changePassword(transaction, personId, change, person.sessionId),
  );
  const signingIn = signInByCode(db, keys, given, code(LATER), HERE, LATER);
  await areWaiting(db, 1);
  await held.commit();
  assert.equal(await signingIn, "stale");
  assert.equal(await sessions(), 1);
});

test("of two that have both found the code unused one begins a session", async (t) => {
  const { db, personId, person, code, givePassword, sessions } = await settingUp(t);
  const { recoveryCodes } = await db
    .transaction()
    .execute((transaction) => turnOnTwoFactor(transaction, keys, person, code(NOW), NOW));
  const given = await givePassword();
  for (const shown of [code(LATER), recoveryCodes[9] ?? ""]) {
    await using held = await hold(db, (transaction) => lockPerson(transaction, personId));
    const both = [1, 2].map(() => signInByCode(db, keys, given, shown, HERE, LATER));
    await areWaiting(db, 2);
    await held.commit();
    const answers = await Promise.all(both);
    assert.equal(answers.filter((answer) => answer === "wrong").length, 1);
  }
  assert.equal(await sessions(), 3);
  assert.equal((await twoFactorOf(db, personId))?.recoveryCodesLeft, 9);
});

test("a recovery code opens even where the key of the secret is lost", async (t) => {
  const { db, personId, person, code } = await settingUp(t);
  const { recoveryCodes } = await db
    .transaction()
    .execute((transaction) => turnOnTwoFactor(transaction, keys, person, code(NOW), NOW));
  const others = parseSecretKeys(`t2:${randomBytes(32).toString("base64")}`);
  await assert.rejects(useCode(db, others, personId, code(LATER), LATER), /no key t1/);
  assert.equal(await useCode(db, others, personId, recoveryCodes[0] ?? "", LATER), "recovery");
});

test("nothing is asked for before a code has confirmed it, and only the session that set it up does so", async (t) => {
  const { db, personId, person, code, givePassword } = await settingUp(t);
  assert.equal(await twoFactorOf(db, personId), undefined);
  assert.equal(typeof (await signInByPassword(db, await givePassword(), HERE)), "object");
  const other = { personId, sessionId: crypto.randomUUID() };
  const turnOn = (who: typeof person, shown: string) =>
    db.transaction().execute((tx) => turnOnTwoFactor(tx, keys, who, shown, NOW));
  await assert.rejects(turnOn(other, code(NOW)), /code is wrong/);
  for (const shown of ["", "12345", "1234567", "abcdef", code(new Date(NOW.getTime() + 60_000))]) {
    await assert.rejects(turnOn(person, shown), /code is wrong/);
  }
  assert.equal((await turnOn(person, code(NOW))).sessionsEnded, 1);
  await assert.rejects(beginTwoFactor(db, keys, person, NOW), /it is on already/);
});

test("a code is that of RFC 6238, typed with or without a gap", () => {
  // Its test secret "12345678901234567890", and the last six of its digits.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  for (const [seconds, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [20_000_000_000, "353130"],
  ] as const) {
    const at = new Date(seconds * 1000);
    assert.equal(stepOfCode(secret, code, at), Math.floor(seconds / 30));
    assert.equal(stepOfCode(secret, "000000", at), undefined);
  }
  assert.equal(digitsOf(" 123 456 "), "123456");
  assert.equal(digitsOf("123-456"), "123456");
  for (const typed of ["12345", "1234567", "12345a", "１２３４５６", ""]) {
    assert.equal(digitsOf(typed), undefined, typed);
  }
});
