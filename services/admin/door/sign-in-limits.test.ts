import assert from "node:assert/strict";
import { test } from "node:test";
import { type AdminUnderTest, startAdmin, startForOperator } from "../admin-under-test.ts";
import { createBrowser, PASSWORD, type TestBrowser } from "../test-browser.ts";

/** Guesses with a cookie and a form's token of its own, as a script would. */
async function guesser(browser: TestBrowser) {
  const token = await browser.token("/sign-in");
  return (
    fields: { email?: string; password?: string } = {},
    headers: Record<string, string> = {},
  ) => {
    const { email = "op@example.com", password = "a guess" } = fields;
    const body = new URLSearchParams({ email, password, next: "", _token: token });
    return browser.raw("/sign-in", { method: "POST", headers, body });
  };
}

/** As after nine guesses: each takes half a second. */
async function onlyOneIsLeft({ db }: AdminUnderTest): Promise<void> {
  await db.updateTable("sign_in_tries").set({ count: 9 }).execute();
}

test("two replicas bound guessing together: of twenty-four guesses spread over them ten are looked at", async (t) => {
  const admin = await startAdmin(t);
  await admin.operator();
  const guessers = await Promise.all(
    [admin.url, await admin.replica()].map((url) => guesser(createBrowser(url))),
  );
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, index) => guessers[index % 2]!()),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 422).length, 10);
  assert.equal(statuses.filter((status) => status === 429).length, 14);
  const refused = answers.find(({ status }) => status === 429);
  const seconds = Number(refused?.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 900, `${seconds} s`);
  assert.match((await refused?.text()) ?? "", /Too many attempts\. Wait 15 min/);
  const right = await guessers[1]!({ password: PASSWORD });
  assert.equal(right.status, 429, "the right password waits too");

  await admin.db.updateTable("sign_in_tries").set({ ends_at: new Date() }).execute();
  assert.equal((await guessers[0]!({ password: PASSWORD })).status, 303, "after the window");
});

test("a header that names another address buys no tries, unless it comes through a trusted proxy", async (t) => {
  const guesses = async (trustProxy: string) => {
    const admin = await startAdmin(t, { config: { trustProxy } });
    const guess = await guesser(admin.browser());
    const from = async (address: string) =>
      (await guess({}, { "x-forwarded-for": address, "x-real-ip": address })).status;
    const first = await from("198.51.100.1");
    await onlyOneIsLeft(admin);
    return [first, await from("198.51.100.2"), await from("198.51.100.3")];
  };
  assert.deepEqual(await guesses(""), [422, 422, 429]);
  assert.deepEqual(await guesses("127.0.0.1"), [422, 422, 422]);
});

test("whoever sits at another's open session has ten guesses at the password", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const change = async (current: string) =>
    operator.post("/account/password", { current, password: "another sentence here" });
  assert.equal((await change("a guess")).status, 422);
  await onlyOneIsLeft(admin);
  assert.equal((await change("a guess")).status, 422);
  const last = await change(PASSWORD);
  assert.equal(last.status, 429);
  assert.match(await last.text(), /id="current-fault">[^<]*Too many attempts/);
});

test("what is wrong is said once, above the form, and of no field that is right", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const guess = await guesser(createBrowser(admin.url));
  const wrong = await (await guess()).text();
  assert.equal(wrong.split("The email address or the password is wrong.").length - 1, 1);
  assert.ok(!wrong.includes("aria-invalid"));
  // The only operator cannot make a link for themselves.
  const { id } = await admin.db.selectFrom("people").select("id").executeTakeFirstOrThrow();
  const refused = await (await operator.post(`/operators/${id}/reset-link`, {})).text();
  assert.equal(refused.split("Not changed: ").length - 1, 1);
  assert.ok(!refused.includes("aria-invalid"), refused);
});
