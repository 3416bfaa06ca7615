import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import { startVendor } from "../../providers/test/loopback-vendor.ts";
import { createFixture, message } from "../test/sending-fixture.ts";

/** Later than the next turn of any address. */
const TURN_MS = 1_001;
const TEMPLATE = { kind: "chat", markup: "<p>Hello</p>", variables: [] };

/** A tenant with two Mattermosts and a Discord, and servers that answer with a status. */
async function withChats(t: TestContext) {
  const fixture = await createFixture(t);
  const start = async () => {
    const host = { status: 200, retryAfter: "", body: "ok" };
    const vendor = await startVendor(t, (response) => {
      if (host.retryAfter !== "") response.setHeader("retry-after", host.retryAfter);
      response.writeHead(host.status).end(host.status === 200 ? host.body : "{}");
    });
    const paths = () => vendor.received.splice(0).map(({ path }) => path);
    return Object.assign(host, { url: vendor.url, paths });
  };
  const [first, second, discord] = [await start(), await start(), await start()];
  discord.body = '{"id":"1"}';
  const tenant = await fixture.tenant();
  const account = (kind: string, url: string, position: number) =>
    fixture.provider(
      tenant,
      "CHAT",
      kind,
      { addresses: `ops=${url}/ops\ndev=${url}/dev` },
      { position },
    );
  const ofDiscord = await account("discord", discord.url, 0);
  await account("mattermost", first.url, 1);
  await account("mattermost", second.url, 2);
  const version = await fixture.template(tenant, TEMPLATE);
  const clock = createHandClock();
  const sender = fixture.sender({ channel: "CHAT", clock });
  const send = async (...addresses: string[]) => {
    const ids: string[] = [];
    for (const to of addresses) {
      ids.push(await fixture.delivery(tenant, version, { channel: "CHAT", to }));
    }
    for (let rest = ids; rest.length > 0; ) {
      await sender.handle(message(tenant, rest, "CHAT"));
      clock.advance(TURN_MS);
      const open = await fixture.pool
        .sql`select id from deliveries where status = 'queued' and id = any (${rest}::uuid[])`;
      rest = open.map(({ id }) => id);
      for (const id of rest) await fixture.release(id);
    }
    return await Promise.all(ids.map((id) => fixture.row(id)));
  };
  return { ...fixture, clock, version, tenant, first, second, discord, ofDiscord, sender, send };
}

test("a message goes to providers of the kind that its address names, and another of that kind takes over", async (t) => {
  const { first, second, discord, send } = await withChats(t);
  for (const row of await send("mattermost:ops", "discord:ops", "mattermost:dev")) {
    assertHas(row, { status: "accepted" });
  }
  assert.deepEqual(first.paths().sort(), ["/dev", "/ops"]);
  assert.deepEqual(
    discord.paths().map((path) => path.split("?")[0]),
    ["/ops"],
  );
  assert.deepEqual(second.paths(), []);
  for (const _ of "123") {
    first.status = 500;
    await send("mattermost:ops");
  }
  first.paths();
  const [row] = await send("mattermost:ops");
  assertHas(row, { status: "accepted" });
  assert.deepEqual([first.paths(), second.paths()], [[], ["/ops"]]);
});

test("a kind without a provider goes to the sandbox, if there is one, else it is skipped", async (t) => {
  const { pool, provider, tenant, sender, send } = await withChats(t);
  const [skipped, odd] = await send("teams:ops", "no colon");
  for (const row of [skipped, odd]) assertHas(row, { status: "skipped" });
  await provider(tenant, "CHAT", "sandbox", {}, { position: 3 });
  sender.forgetConfiguration();
  await send("teams:ops", "discord:ops");
  assert.deepEqual(await pool.sql`select recipient from outbox`, [{ recipient: "teams:ops" }]);
});

test("nothing more is sent to a webhook that is gone, and the other addresses go on", async (t) => {
  const { pool, first, send } = await withChats(t);
  first.status = 404;
  const [gone, later] = [...(await send("mattermost:ops")), ...(await send("mattermost:ops"))];
  assertHas(gone, {
    status: "bounced",
    reason: "the webhook of the address ops no longer exists",
  });
  assertHas(later, { status: "skipped", reason: "address suppressed (bounced)" });
  assert.deepEqual(first.paths(), ["/ops"], "one call told it");
  assert.deepEqual(await pool.sql`select address, reason, source from suppressions`, [
    { address: "mattermost:ops", reason: "bounced", source: "mattermost" },
  ]);
  first.status = 200;
  assertHas((await send("mattermost:dev"))[0], { status: "accepted" });
});

test("ten webhooks at once, one of them gone: nine messages leave, and the tenth tells why", async (t) => {
  const { pool, provider, tenant, version, sender, delivery, row } = await withChats(t);
  const vendor = await startVendor(t, (response, { path }) =>
    response.writeHead(path === "/n3" ? 410 : 200).end(path === "/n3" ? "{}" : "ok"),
  );
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
  const addresses = names.map((name) => `${name}=${vendor.url}/${name}`).join("\n");
  await provider(tenant, "CHAT", "slack", { addresses });
  sender.forgetConfiguration();
  const ids = await Promise.all(
    names.map((name) => delivery(tenant, version, { channel: "CHAT", to: `slack:#${name}` })),
  );
  await sender.handle(message(tenant, ids, "CHAT"));
  const rows = await Promise.all(ids.map(row));
  const reason = "the webhook of the address n3 no longer exists";
  rows.forEach((one, index) => {
    assertHas(one, index === 3 ? { status: "bounced", reason } : { status: "accepted" });
  });
  assert.deepEqual(await pool.sql`select provider_id from provider_circuits`, []);
});

test("a rate of 30 seconds delays the messages to its target, and no other message", async (t) => {
  const { first, clock, send } = await withChats(t);
  first.status = 429;
  first.retryAfter = "30";
  const [refused] = await send("mattermost:ops");
  assert.equal(refused?.status, "waiting");
  assert.ok(refused?.due_after_ms >= 30_000, `${refused?.due_after_ms} ms`);
  first.status = 200;
  first.paths();
  const [held, other] = await send("mattermost:ops", "mattermost:dev");
  assertHas(other, { status: "accepted" });
  assertHas(held, {
    status: "waiting",
    retries: 0,
    reason: "waiting for its turn: an address gets one message a second",
  });
  assert.deepEqual(first.paths(), ["/dev"], "the target rests");
  clock.advance(30_000);
  assertHas((await send("mattermost:ops"))[0], { status: "accepted" });
});

test("a target gets one message a second, and each that waits has a turn of its own", async (t) => {
  const { tenant, version, sender, clock, first, delivery, release, row } = await withChats(t);
  const to = async (address: string) =>
    await delivery(tenant, version, { channel: "CHAT", to: address });
  const ids = [];
  for (const _ of "1234") ids.push(await to("mattermost:ops"));
  await sender.handle(message(tenant, [...ids, await to("mattermost:dev")], "CHAT"));
  assert.deepEqual(first.paths().sort(), ["/dev", "/ops"]);
  const waiting = (await Promise.all(ids.map(row))).filter(({ status }) => status === "waiting");
  assert.equal(waiting.length, 3);
  assert.deepEqual(
    waiting.map(({ attempts }) => attempts),
    [0, 0, 0],
  );
  const turns = waiting.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime());
  for (const { id } of turns) {
    clock.advance(1_000);
    await release(id);
    await sender.handle(message(tenant, [id], "CHAT"));
    assertHas(await row(id), { status: "accepted" });
  }
  assert.deepEqual(first.paths(), ["/ops", "/ops", "/ops"]);
});

test("a message that is released late keeps no message behind it from its turn", async (t) => {
  const { tenant, version, sender, clock, delivery, release, row } = await withChats(t);
  const ids: string[] = [];
  for (const _ of "123") {
    ids.push(await delivery(tenant, version, { channel: "CHAT", to: "mattermost:ops" }));
  }
  await sender.handle(message(tenant, ids, "CHAT"));
  const waiting = (await Promise.all(ids.map(row))).filter(({ status }) => status === "waiting");
  const turns = waiting.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime());
  assert.equal(turns.length, 2);
  for (const [at, afterMs] of [1_900, 100].entries()) {
    clock.advance(afterMs);
    await release(turns[at].id);
    await sender.handle(message(tenant, [turns[at].id], "CHAT"));
    assertHas(await row(turns[at].id), { status: "accepted" });
  }
});

test("a broadcast that names a provider reaches only addresses of its kind", async (t) => {
  const { pool, tenant, discord, first, ofDiscord, sender, send } = await withChats(t);
  await pool.sql`insert into broadcasts (id, tenant_id, event_type, trace_id, total, provider_id, provider_channel)
    values (gen_random_uuid(), ${tenant}, 'order.confirmed', 't', 2, ${ofDiscord}, 'CHAT')`;
  await pool.sql`create function of_broadcast() returns trigger language plpgsql as $$
    begin
      select id into new.broadcast_id from broadcasts;
      return new;
    end $$`;
  await pool.sql`create trigger of_broadcast before insert on deliveries
    for each row execute function of_broadcast()`;
  sender.forgetConfiguration();
  const [sent, skipped] = await send("discord:ops", "mattermost:ops");
  assertHas(sent, { status: "accepted" });
  assertHas(skipped, { status: "skipped", reason: "no active provider" });
  assert.deepEqual([discord.paths().length, first.paths().length], [1, 0]);
});
