import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { startMailServer } from "./mail-server.ts";
import { createFixture, message } from "./sending-fixture.ts";

/** Postfix's answer for a domain that does not exist. */
const UNKNOWN_DOMAIN = "450 4.1.2 Recipient address rejected: Domain not found";

test("emails to mistyped domains are deferred alone: all other mail of the tenant leaves at once", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  const server = await startMailServer(t, undefined, (line) =>
    line.startsWith("RCPT") && line.includes("@typo") ? UNKNOWN_DOMAIN : undefined,
  );
  await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
  const version = await fixture.template(tenant);
  const sender = fixture.sender();
  const mistyped: string[] = [];
  const sound: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    mistyped.push(await fixture.delivery(tenant, version, { to: `ann@typo${n}.example` }));
    await sender.handle(message(tenant, [mistyped.at(-1)!]));
    sound.push(await fixture.delivery(tenant, version));
    await sender.handle(message(tenant, [sound.at(-1)!]));
  }
  for (const id of sound) {
    const { status, attempts } = await fixture.row(id);
    assert.deepEqual([status, attempts], ["accepted", 1]);
  }
  for (const id of mistyped) {
    const { status, attempts, retries } = await fixture.row(id);
    assert.deepEqual([status, attempts, retries], ["waiting", 1, 1]);
    const [attempt] = await fixture.attempts(id);
    assert.equal(attempt.class, "deferred");
    assert.equal(Number(attempt.next_in_ms), 5_000);
  }
  const { rowCount } = await fixture.pool.query("select from provider_circuits");
  assert.equal(rowCount, 0);
});

test("a fresh message, not a deferred one, detects that a provider is back", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  let isClosing = false;
  const server = await startMailServer(t, undefined, (line) => {
    if (line.startsWith("MAIL") && isClosing) return "421 4.3.2 closing";
    return line.startsWith("RCPT") && line.includes("@typo") ? UNKNOWN_DOMAIN : undefined;
  });
  await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
  const version = await fixture.template(tenant);
  const sender = fixture.sender();
  const probe = async (ids: string[]) => {
    await fixture.release(...ids);
    await fixture.pool.query("update provider_circuits set open_until = now(), probe_until = null");
    await sender.refreshCircuits();
    const begun = server.recipients.length;
    await sender.handle(message(tenant, ids));
    return server.recipients.slice(begun);
  };
  const openCircuit = async () => {
    isClosing = true;
    for (let n = 0; n < 3; n += 1) {
      await sender.handle(message(tenant, [await fixture.delivery(tenant, version)]));
    }
    isClosing = false;
  };
  const deferred = await fixture.delivery(tenant, version, { to: "ann@typo.example" });
  await sender.handle(message(tenant, [deferred]));

  await openCircuit();
  const fresh = await fixture.delivery(tenant, version, { to: "bob@example.com" });
  assert.deepEqual((await probe([deferred, fresh]))[0], "bob@example.com");

  await openCircuit();
  const later = await fixture.delivery(tenant, version, { dueInMs: 3_000 });
  assert.deepEqual(await probe([deferred]), [], "another is due soon");
  const { status, released_at } = await fixture.row(deferred);
  assert.deepEqual([status, released_at], ["waiting", null]);

  await fixture.pool.sql`delete from deliveries where id = ${later}`;
  assert.deepEqual(await probe([deferred]), ["ann@typo.example"], "there is no other");
  const { rowCount } = await fixture.pool.query("select from provider_circuits");
  assert.equal(rowCount, 0, "its answer says that the server is back");
});

const NO_RELAY = "554 5.7.1 Relay access denied";
const BLOCKED = "550 5.7.1 Client host blocked using a list";

test("a message that one account may not send leaves by the next provider at once", async (t) => {
  for (const [refusal, expected] of [
    [NO_RELAY, "credentials"],
    [BLOCKED, "policy"],
  ]) {
    const { fixture, tenant, version, first } = await refusingShop(t, refusal!);
    const second = await startMailServer(t);
    const other = await fixture.provider(tenant, "EMAIL", "smtp", second.settings, { position: 1 });
    const id = await fixture.delivery(tenant, version);
    await fixture.sender().handle(message(tenant, [id]));
    const { status, provider_id, attempts, retries } = await fixture.row(id);
    assert.deepEqual([status, provider_id, attempts, retries], ["accepted", other, 2, 0]);
    assertEach(await fixture.attempts(id), (attempt) => attempt.class, [expected, "accepted"]);
    assert.deepEqual([first.recipients.length, second.messages.length], [1, 1]);
  }
});

test("without another provider a rule fails the message, and a fault of the account is retried", async (t) => {
  for (const [refusal, expected] of [
    [NO_RELAY, "waiting"],
    [BLOCKED, "failed"],
  ]) {
    const { fixture, tenant, version } = await refusingShop(t, refusal!);
    const id = await fixture.delivery(tenant, version);
    await fixture.sender().handle(message(tenant, [id]));
    const { status, retries } = await fixture.row(id);
    assert.deepEqual([status, retries], [expected, expected === "waiting" ? 1 : 0]);
  }
});

test("while the next provider is not called, a message that the first refuses waits by the schedule", async (t) => {
  const { fixture, tenant, version, first } = await refusingShop(t, BLOCKED);
  const second = await startMailServer(t);
  const other = await fixture.provider(tenant, "EMAIL", "smtp", second.settings, { position: 1 });
  await fixture.pool.sql`insert into provider_circuits (provider_id, class, reason, failures,
      opened_at, open_until)
    values (${other}, 'transient', 'down', 1, now(), now() + interval '1 minute')`;
  const sender = fixture.sender();
  await sender.refreshCircuits();
  const id = await fixture.delivery(tenant, version);
  await sender.handle(message(tenant, [id]));
  const { status, attempts, retries } = await fixture.row(id);
  assert.deepEqual([status, attempts, retries], ["waiting", 1, 1]);
  assert.deepEqual([first.recipients.length, second.recipients.length], [1, 0]);
});

test("a recipient to whom the account may not send does not stop its other mail", async (t) => {
  const { fixture, tenant, version, first } = await refusingShop(t, NO_RELAY, "@elsewhere");
  const sender = fixture.sender();
  const send = async (to: string) => {
    const id = await fixture.delivery(tenant, version, { to });
    await sender.handle(message(tenant, [id]));
    return (await fixture.row(id)).status;
  };
  for (let n = 0; n < 4; n += 1) {
    assert.equal(await send("ann@elsewhere.example"), "waiting");
    assert.equal(await send("ann@example.com"), "accepted");
  }
  for (let n = 0; n < 3; n += 1) await send("ann@elsewhere.example");
  assert.equal(await send("ann@example.com"), "queued", "after three in a row nobody calls");
  assert.equal(first.recipients.length, 11);
});

test("an address that does not exist bounces at once, and gets no second message", async (t) => {
  const { fixture, tenant, version, first } = await refusingShop(t, "550 5.1.1 User unknown");
  await fixture.provider(tenant, "EMAIL", "smtp", first.settings, { position: 1 });
  await fixture.pool.sql`insert into webhooks (id, tenant_id, url, secret)
    values (gen_random_uuid(), ${tenant}, 'https://example.com', 'x')`;
  const sender = fixture.sender();
  const send = async () => {
    const id = await fixture.delivery(tenant, version, { to: "Ann@example.com" });
    await sender.handle(message(tenant, [id]));
    const { status, reason, settled_at } = await fixture.row(id);
    assert.ok(settled_at);
    return `${status}: ${reason}`;
  };
  assert.equal(await send(), "bounced: the mail server answered 550 to RCPT TO");
  const rows = await fixture.pool.sql`select address, reason, source from suppressions`;
  assert.deepEqual(rows, [{ address: "ann@example.com", reason: "bounced", source: "smtp" }]);
  assert.equal(await send(), "skipped: address suppressed (bounced)");
  assert.equal(first.recipients.length, 1, "neither again nor by another provider");
  const told = await fixture.pool.query("select type from webhook_messages order by id");
  assertEach(told.rows, ({ type }) => type, ["delivery.bounced", "delivery.skipped"]);
});

test("mail servers are greeted by the host of the public address", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  const greeted: string[] = [];
  const server = await startMailServer(t, undefined, (line) => {
    if (line.startsWith("EHLO")) greeted.push(line);
    return undefined;
  });
  await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
  const id = await fixture.delivery(tenant, await fixture.template(tenant));
  await fixture.sender({ publicUrl: "https://belfry.example.com" }).handle(message(tenant, [id]));
  assert.deepEqual(greeted, ["EHLO belfry.example.com"]);
});

/** The answers of servers that accept no more: for connections, and for messages over one connection. */
const LIMITS: readonly (readonly [connections: number, messages: number, refusal: string])[] = [
  [1, 100, "421 4.7.0 Too many connections"],
  [2, 100, "421 4.3.2 Busy, try again later"],
  [1, 100, "554 5.7.1 Too many concurrent sessions"],
  [5, 3, "421 4.7.0 Too many messages, closing"],
  [5, 1, "452 4.5.3 Too many messages this session"],
  [1, 2, "451 4.3.0 No more for now"],
];
for (const [most, mostMessages, refusal] of LIMITS) {
  test(`over at most ${most} connections with ${mostMessages} messages each (${refusal}) 30 emails leave at once, each at its first attempt`, async (t) => {
    const fixture = await createFixture(t);
    const tenant = await fixture.tenant();
    let refused = 0;
    const server = await startMailServer(t, undefined, (line, { connections, messages }) => {
      const isTooMany =
        (line === "" && connections > most) ||
        (line.startsWith("MAIL") && messages >= mostMessages);
      if (!isTooMany) return undefined;
      refused += 1;
      return refusal;
    });
    await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
    const version = await fixture.template(tenant);
    const ids = await Promise.all(
      Array.from({ length: 30 }, () => fixture.delivery(tenant, version)),
    );
    const sender = fixture.sender();
    const parts = [ids.slice(0, 20), ids.slice(20)];
    await Promise.all(parts.map((part) => sender.handle(message(tenant, part))));
    for (const id of ids) {
      const { status, attempts } = await fixture.row(id);
      assert.deepEqual([status, attempts], ["accepted", 1]);
    }
    assert.equal(server.messages.length, 30);
    const { rowCount } = await fixture.pool.query("select from provider_circuits");
    assert.equal(rowCount, 0);
    // Belfry learns the limit, and does not hit it again with each message.
    assert.ok(refused > 0 && refused <= 15, `${refused} refusals`);
  });
}

/** A tenant whose first provider refuses recipients of this kind. */
async function refusingShop(t: TestContext, refusal: string, whom = "@") {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  const first = await startMailServer(t, undefined, (line) =>
    line.startsWith("RCPT") && line.includes(whom) ? refusal : undefined,
  );
  await fixture.provider(tenant, "EMAIL", "smtp", first.settings);
  return { fixture, tenant, first, version: await fixture.template(tenant) };
}
