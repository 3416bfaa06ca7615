import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { decodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createHome, heardBelow } from "../test/home.ts";

const NATS_URL = testNatsUrl();

async function createWorld(t: TestContext) {
  const prefix = testPrefix(t);
  const home = await createHome(t, { env: { NATS_PREFIX: prefix } });
  await home.pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 60)");
  return { ...home, messages: await heardBelow(t, prefix) };
}

test("disconnect tells every gateway of the user, and of nobody else, and the log", async (t) => {
  const { json, messages, file, pool } = await createWorld(t);
  const disconnect = ["realtime", "disconnect", "--tenant", "acme", "--user", "a#b,*"];
  const done = await json(disconnect, "", { NATS_URL });
  assert.deepEqual(done, { tenantId: "acme", userId: "a#b,*", sent: true });
  await eventually(() => messages.length === 1);
  assert.match(messages[0]?.subject ?? "", /\.realtime\.acme\.[0-9a-f]{32}$/);
  assert.deepEqual(decodeRealtimeMessage(messages[0]!.data), {
    version: 1,
    kind: "disconnect",
    userId: "a#b,*",
  });

  await file("local.json", JSON.stringify({ natsUrl: NATS_URL }));
  await json(disconnect);
  await eventually(() => messages.length === 2);
  const { rows } = await pool.query("select tenant_id, action, target from audit_log");
  const told = { tenant_id: "acme", action: "user.disconnect", target: "a#b,*" };
  assert.deepEqual(rows, [told, told]);
});

test("disconnect --all tells every gateway of the tenant, and the log", async (t) => {
  const { json, fails, messages, pool } = await createWorld(t);
  const disconnect = "realtime disconnect --tenant acme";
  const done = await json(`${disconnect} --all`, "", { NATS_URL });
  assert.deepEqual(done, { tenantId: "acme", sent: true });
  await eventually(() => messages.length === 1);
  assert.match(messages[0]?.subject ?? "", /\.realtime\.acme\.all$/);
  const { rows } = await pool.query("select tenant_id, action, target from audit_log");
  assert.deepEqual(rows, [{ tenant_id: "acme", action: "tenant.disconnect", target: "Acme" }]);
  const one = /--user or --all: one of the two/;
  await fails(`${disconnect} --all --user u`, one, "", { NATS_URL });
  await fails(disconnect, one, "", { NATS_URL });
  await fails("realtime disconnect --tenant x --all", /no tenant/, "", { NATS_URL });
  assert.equal(messages.length, 1);
});

test("disconnect refuses an unknown tenant, an impossible user and a NATS that is away", async (t) => {
  const { fails, messages } = await createWorld(t);
  const cases: [tenant: string, user: string[], url: string, told: RegExp][] = [
    ["nobody", ["--user", "u"], NATS_URL, /--tenant|no tenant/],
    ["acme", ["--user", "a\nb"], NATS_URL, /--user|control characters/],
    [
      "acme",
      ["--user", "u"],
      "nats://me:secret@127.0.0.1:1",
      /^(?!.*secret).*NATS is not reachable/s,
    ],
    ["acme", ["--user", "u"], "not an address", /NATS_URL/],
    ["acme", ["--user", "u"], "", /no NATS: set NATS_URL/],
    ["acme", [], "", /--user/],
  ];
  for (const [tenant, user, url, told] of cases) {
    const env = url === "" ? undefined : { NATS_URL: url };
    await fails(["realtime", "disconnect", "--tenant", tenant, ...user], told, "", env);
  }
  assert.equal(messages.length, 0);
});

test("a new epoch is another one each time", async (t) => {
  const { json } = await createWorld(t);
  const { epoch } = await json("realtime new-epoch");
  assert.match(epoch, /^[0-9a-f]{8}$/);
  assert.notEqual((await json("realtime new-epoch")).epoch, epoch);
});
