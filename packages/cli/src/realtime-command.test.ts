import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { connect } from "@nats-io/transport-node";
import { runBelfry } from "./belfry-under-test.ts";

async function createWorld(t: TestContext) {
  const home = await mkdtemp(join(tmpdir(), "belfry-cli-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const { url, pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 60)");
  const prefix = testPrefix(t);
  const nc = await connect({ servers: testNatsUrl() });
  t.after(() => nc.close());
  const subjects: string[] = [];
  const messages: { subject: string; message: unknown }[] = [];
  nc.subscribe(`${prefix}.>`, {
    callback: (_error, { subject, data }) => {
      subjects.push(subject);
      messages.push({ subject, message: decodeRealtimeMessage(data) });
    },
  });
  await nc.flush();
  const env = { DATABASE_URL: url, BELFRY_HOME: home, NATS_PREFIX: prefix };
  const run = (args: string[], more: Record<string, string> = {}) =>
    runBelfry(["realtime", ...args], { env: { ...env, ...more } });
  return { run, messages, subjects, pool, home, natsUrl: testNatsUrl() };
}

test("disconnect tells every gateway of the user, and of nobody else, and the log", async (t) => {
  const { run, messages, home, natsUrl, pool } = await createWorld(t);
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
  const { rows } = await pool.query("select tenant_id, action, target from audit_log");
  const told = { tenant_id: "acme", action: "user.disconnect", target: "a#b,*" };
  assert.deepEqual(rows, [told, told]);
});

test("disconnect --all tells every gateway of the tenant, and the log", async (t) => {
  const { run, subjects, natsUrl, pool } = await createWorld(t);
  const env = { NATS_URL: natsUrl };
  const done = await run(["disconnect", "--tenant", "acme", "--all"], env);
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.deepEqual(JSON.parse(done.out), { tenantId: "acme", sent: true });
  await eventually(() => subjects.length === 1);
  assert.match(subjects[0] ?? "", /\.realtime\.acme\.all$/);
  const { rows } = await pool.query("select tenant_id, action, target from audit_log");
  assert.deepEqual(rows, [{ tenant_id: "acme", action: "tenant.disconnect", target: "Acme" }]);
  for (const both of [["--all", "--user", "u"], []]) {
    const { code, err } = await run(["disconnect", "--tenant", "acme", ...both], env);
    assert.equal(code, 1);
    assert.match(err, /--user or --all: one of the two/);
  }
  assert.match((await run(["disconnect", "--tenant", "x", "--all"], env)).err, /no tenant/);
  assert.equal(subjects.length, 1);
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
