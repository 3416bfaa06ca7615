import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { createPool } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { connect } from "@nats-io/transport-node";
import { runBelfry } from "./belfry-under-test.ts";

async function createWorld(t: TestContext) {
  const home = await mkdtemp(join(tmpdir(), "belfry-cli-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const { url } = await createTestDatabase(t);
  const pool = createPool({ url, applicationName: "test" });
  await pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 60)");
  await pool.end();
  const prefix = testPrefix(t);
  const nc = await connect({ servers: testNatsUrl() });
  t.after(() => nc.close());
  const messages: { subject: string; message: unknown }[] = [];
  nc.subscribe(`${prefix}.>`, {
    callback: (_error, { subject, data }) =>
      void messages.push({ subject, message: decodeRealtimeMessage(data) }),
  });
  await nc.flush();
  const env = { DATABASE_URL: url, BELFRY_HOME: home, NATS_PREFIX: prefix };
  const run = (args: string[], more: Record<string, string> = {}) =>
    runBelfry(["realtime", ...args], { env: { ...env, ...more } });
  return { run, messages, home, natsUrl: testNatsUrl() };
}

test("disconnect tells every gateway of the user, and of nobody else", async (t) => {
  const { run, messages, home, natsUrl } = await createWorld(t);
  const disconnect = ["disconnect", "--tenant", "acme", "--user", "a#b,*"];
  const done = await run(disconnect, { NATS_URL: natsUrl });
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.deepEqual(JSON.parse(done.out), { tenantId: "acme", userId: "a#b,*", sent: true });
  await eventually(() => messages.length === 1);
  assert.match(messages[0]?.subject ?? "", /\.realtime\.acme\.[0-9a-f]{32}$/);
  assert.deepEqual(messages[0]?.message, { version: 1, kind: "disconnect", userId: "a#b,*" });

  await writeFile(join(home, "local.json"), JSON.stringify({ natsUrl }));
  assert.equal((await run(disconnect)).code, 0, "the local stack's NATS");
  await eventually(() => messages.length === 2);
});

test("disconnect refuses an unknown tenant, an impossible user and a NATS that is away", async (t) => {
  const { run, messages, natsUrl } = await createWorld(t);
  const disconnect = (tenant: string, user: string, url: string) =>
    run(["disconnect", "--tenant", tenant, "--user", user], url === "" ? {} : { NATS_URL: url });
  const cases = [
    [await disconnect("nobody", "u", natsUrl), /--tenant|no tenant/],
    [await disconnect("acme", "a\nb", natsUrl), /--user|control characters/],
    [await disconnect("acme", "u", "nats://me:secret@127.0.0.1:1"), /NATS is not reachable/],
    [await disconnect("acme", "u", "not an address"), /NATS_URL/],
    [await disconnect("acme", "u", ""), /no NATS: set NATS_URL/],
    [await run(["disconnect", "--tenant", "acme"]), /--user/],
  ] as const;
  for (const [{ code, out, err }, pattern] of cases) {
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, pattern);
    assert.doesNotMatch(err, /secret|\n\s+at /);
  }
  assert.equal(messages.length, 0);
});

test("a new epoch is another one each time", async (t) => {
  const { run } = await createWorld(t);
  const [first, second] = [await run(["new-epoch"]), await run(["new-epoch"])];
  const { epoch } = JSON.parse(first.out);
  assert.match(epoch, /^[0-9a-f]{8}$/);
  assert.notEqual(JSON.parse(second.out).epoch, epoch);
});
