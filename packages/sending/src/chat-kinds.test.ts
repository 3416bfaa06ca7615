import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { startVendor } from "../../providers/test/loopback-vendor.ts";
import { createFixture, message } from "../test/sending-fixture.ts";

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
  const sender = fixture.sender({ channel: "CHAT" });
  const send = async (...addresses: string[]) => {
    const ids: string[] = [];
    for (const to of addresses) {
      ids.push(await fixture.delivery(tenant, version, { channel: "CHAT", to }));
    }
    for (let rest = ids; rest.length > 0; ) {
      await sender.handle(message(tenant, rest, "CHAT"));
      const open = await fixture.pool
        .sql`select id from deliveries where status = 'queued' and id = any (${rest}::uuid[])`;
      rest = open.map(({ id }) => id);
      for (const id of rest) await fixture.release(id);
    }
    return await Promise.all(ids.map((id) => fixture.row(id)));
  };
  return { ...fixture, tenant, first, second, discord, ofDiscord, sender, send };
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

test("a webhook that is gone ends its own message and no other; a rate holds up its target alone", async (t) => {
  const { first, send } = await withChats(t);
  first.status = 404;
  for (const row of await send(...new Array(5).fill("mattermost:ops"))) {
    assertHas(row, {
      status: "failed",
      reason: "the webhook of the address ops no longer exists",
    });
  }
  first.status = 200;
  assertHas((await send("mattermost:dev"))[0], { status: "accepted" });
  first.status = 429;
  first.retryAfter = "30";
  const [waiting] = await send("mattermost:ops");
  assert.equal(waiting?.status, "waiting");
  const seconds = (waiting?.due_at.getTime() - Date.now()) / 1000;
  assert.ok(seconds > 10, `${seconds} s`);
  first.status = 200;
  assertHas((await send("mattermost:dev"))[0], { status: "accepted" });
  assert.deepEqual(first.paths().slice(-1), ["/dev"]);
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
