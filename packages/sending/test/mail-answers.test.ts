import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "./mail-server.ts";
import { createFixture, message } from "./sending-fixture.ts";

/** As Postfix answers for a domain that does not exist. */
const UNKNOWN_DOMAIN = "450 4.1.2 Recipient address rejected: Domain not found";

test("mail to mistyped domains is put off by itself: all other mail of the tenant leaves at once", async (t) => {
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

test("a provider that is back is found by a fresh message, not by one that was deferred", async (t) => {
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

  await fixture.pool.query("delete from deliveries where id = $1", [later]);
  assert.deepEqual(await probe([deferred]), ["ann@typo.example"], "there is no other");
  const { rowCount } = await fixture.pool.query("select from provider_circuits");
  assert.equal(rowCount, 0, "its answer says that the server is back");
});
