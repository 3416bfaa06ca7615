import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { decodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { anEvent } from "@belfry/testing/rows";
import { createHome, heardBelow } from "../test/home.ts";

async function createWorld(t: TestContext) {
  const prefix = testPrefix(t);
  const home = await createHome(t, { env: { NATS_PREFIX: prefix, NATS_URL: testNatsUrl() } });
  const { json, fails, pool } = home;
  await pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 60)");
  for (const user of ["ann", "ann", "bob"]) {
    await anEvent(pool, { user_id: user, recipient_email: `${user}@example.com` });
  }
  await pool.query(
    "insert into suppressions (tenant_id, channel, address, reason) values ('acme', 'EMAIL', 'ann@example.com', 'bounced')",
  );
  const heard = await heardBelow(t, prefix);
  const messages = () => heard.map(({ data }) => decodeRealtimeMessage(data));
  const erase = (flags: string, env = {}) => home.run(`user erase ${flags}`, "", env);
  const set = (enabled: string, env = {}) =>
    json(`user preference set ${ANN} --category * --channel SMS --enabled ${enabled}`, "", env);
  const users = async () => {
    const { rows } = await pool.query("select user_id from events order by 1");
    return rows.map((row) => row.user_id as string);
  };
  const suppressed = async () => (await pool.query("select from suppressions")).rowCount;
  return { erase, fails, set, users, suppressed, messages, pool };
}

const ANN = "--tenant acme --user ann";

test("a person is erased and disconnected; the answer counts what went, and names what stays and why", async (t) => {
  const { erase, users, suppressed, messages, pool } = await createWorld(t);
  const dry = await erase(`${ANN} --dry-run`);
  assert.deepEqual([dry.code, dry.err, JSON.parse(dry.out).deleted.events], [0, "", 2]);
  assert.deepEqual(await users(), ["ann", "ann", "bob"]);
  assert.deepEqual(messages(), []);

  const done = await erase(ANN);
  assert.deepEqual([done.code, done.err], [0, ""]);
  const report = JSON.parse(done.out);
  assert.deepEqual([report.tenantId, report.userId, report.dryRun], ["acme", "ann", false]);
  assert.equal(report.deleted.events, 2);
  assert.match(JSON.stringify(report.kept), /--suppressions removes them","count":1/);
  assert.match(done.out, /backups/);
  assert.deepEqual([await users(), await suppressed()], [["bob"], 1]);
  await eventually(() => messages().length === 2);
  assert.deepEqual(messages()[0], { version: 1, kind: "disconnect", userId: "ann" });
  const { rows } = await pool.query("select person, action from audit_log order by id");
  assertEach(rows, ({ action }) => action, ["user.erase", "user.erased"]);
  assert.match(rows[0].person, /^command line \(/);
});

test("with --suppressions the person's addresses may be sent to again", async (t) => {
  const { erase, suppressed } = await createWorld(t);
  const { out } = await erase(`${ANN} --suppressions`);
  assert.equal(JSON.parse(out).deleted.suppressions, 1);
  assert.equal(await suppressed(), 0);
});

test("an unknown tenant, an impossible or missing user and a NATS that is away are refused, and nobody is erased", async (t) => {
  const { fails, users } = await createWorld(t);
  const cases: [string[], RegExp, string?][] = [
    [["--tenant", "nobody", "--user", "ann"], /--tenant.*no tenant/],
    [["--tenant", "acme", "--user", "a\nb"], /--user must not contain control/],
    [["--tenant", "acme"], /--user/],
    [ANN.split(" "), /^(?!.*secret).*NATS is not reachable/s, "nats://me:secret@127.0.0.1:1"],
    [ANN.split(" "), /no NATS: set NATS_URL/, ""],
  ];
  for (const [flags, told, NATS_URL] of cases) {
    const env = NATS_URL === undefined ? {} : { NATS_URL };
    await fails(["user", "erase", ...flags], told, "", env);
  }
  assert.deepEqual(await users(), ["ann", "ann", "bob"]);
});

test("a preference set by hand is told to the user's open pages; without NATS it is set all the same", async (t) => {
  const { set, messages } = await createWorld(t);
  const on = { version: 1, kind: "preferences", userId: "ann" };
  for (const enabled of ["off", "off", "on"]) {
    assert.equal((await set(enabled)).preferences[0].enabled, enabled === "on");
  }
  await eventually(() => messages().length >= 2);
  assert.deepEqual(messages(), [on, on], "what says so already is told to nobody");
  for (const NATS_URL of ["", "nats://127.0.0.1:1"]) {
    for (const enabled of ["off", "default"]) await set(enabled, { NATS_URL });
  }
  assert.equal(messages().length, 2);
});
