import assert from "node:assert/strict";
import { test } from "node:test";
import { scryptQueue } from "@belfry/administration/people/scrypt-queue";
import { eventually } from "@belfry/testing/eventually";
import { createBrowser, PASSWORD, type TestBrowser } from "../../test/browser.ts";
import { type AdminUnderTest, startAdmin, startForOperator } from "../../test/start-admin.ts";

/** Guesses with a cookie and a form's token of its own, as a script would. */
async function guesser(browser: TestBrowser) {
  const token = await browser.token("/sign-in");
  return (
    fields: { email?: string; password?: string } = {},
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ) => {
    const { email = "op@example.com", password = "a guess" } = fields;
    const body = new URLSearchParams({ email, password, next: "", _token: token });
    return browser.raw("/sign-in", { method: "POST", headers, body, signal });
  };
}

/** Sets the state after nine guesses, each of which takes half a second. */
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

test("a crowd that hangs up costs no hash; a full queue says when to come again; whoever comes then is let in", async (t) => {
  const admin = await startAdmin(t, { config: { trustProxy: "127.0.0.1" } });
  await admin.operator();
  const guess = await guesser(admin.browser());
  const from = (address: string) => ({ "x-forwarded-for": address });
  // Both places are taken, for as long as the test says.
  const { promise: hashed, resolve: finish } = Promise.withResolvers<void>();
  const slow = ["192.0.2.1", "192.0.2.2"].map((network) =>
    scryptQueue.run({ network }, () => hashed),
  );
  const before = scryptQueue.counts().started;
  const hangUp = new AbortController();
  const answers: unknown[] = [];
  const crowd = Array.from({ length: 450 }, async (_, index) => {
    const fields = { email: `nobody${index}@example.com` };
    const { signal } = hangUp;
    const answer = await guess(fields, from(`198.51.100.${index % 10}`), signal).then(
      ({ status, headers }) => [status, headers.get("retry-after")],
      () => "hung up",
    );
    answers.push(answer);
  });
  // Ten calls of each network wait; the others are refused at once.
  await eventually(() => assert.equal(answers.length, 350));
  assert.deepEqual(answers, Array(350).fill([503, "15"]));
  assert.equal(scryptQueue.counts().waiting, 100);
  const { rows } = await admin.pool.query("select sum(count)::integer as tries from sign_in_tries");
  assert.deepEqual(rows, [{ tries: 3 * 100 }], "what was not looked at is no try");
  hangUp.abort();
  await Promise.all(crowd);
  await eventually(() => assert.equal(scryptQueue.counts().waiting, 0));
  finish();
  await Promise.all(slow);
  assert.equal((await guess({ password: PASSWORD }, from("203.0.113.7"))).status, 303);
  assert.equal(scryptQueue.counts().started, before + 1, "of the one that was let in");
});
