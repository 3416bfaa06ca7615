import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createPool } from "@belfry/database/connection";
import { createTestDatabase } from "@belfry/testing/postgres";
import { runBelfry } from "../test/run-belfry.ts";

const key = (kid: string) => `${kid}:${randomBytes(32).toString("base64")}`;

async function createWorld(t: TestContext) {
  const { url } = await createTestDatabase(t);
  const belfry = (keys: string, args: string[], input = "") =>
    runBelfry(args, { env: { DATABASE_URL: url, SECRETS_KEYS: keys }, input });
  return { url, belfry };
}

test("rotate leaves the new key alone in use; without the old one every secret still opens", async (t) => {
  const { belfry } = await createWorld(t);
  const [k1, k2] = [key("k1"), key("k2")];
  const create = ["tenant", "create", "--name", "Acme", "--webhook-secret-file", "-"];
  assert.equal((await belfry(k1, create, "hush")).code, 0);
  const dry = await belfry(`${k2},${k1}`, ["secrets", "rotate", "--dry-run"]);
  assert.equal(dry.code, 0, dry.err);
  const counted = JSON.parse(dry.out);
  assert.deepEqual([counted.dryRun, counted.outdated, counted.inUse], [true, 1, { k1: 1 }]);
  const done = await belfry(`${k2},${k1}`, ["secrets", "rotate"]);
  assert.deepEqual([done.code, done.err], [0, ""]);
  const { reencrypted, inUse, retirable } = JSON.parse(done.out);
  assert.deepEqual([reencrypted, inUse, retirable], [1, { k2: 1 }, ["k1"]]);
  const check = await belfry(k2, ["secrets", "rotate", "--dry-run"]);
  assert.deepEqual([check.code, JSON.parse(check.out).outdated], [0, 0]);
});

test("a secret that no key opens is named, the others are done, and the exit code is 1", async (t) => {
  const { url, belfry } = await createWorld(t);
  const [k1, k2] = [key("k1"), key("k2")];
  const create = ["tenant", "create", "--name", "Acme", "--webhook-secret-file", "-"];
  const lost = JSON.parse((await belfry(key("k0"), create, "hush")).out).id;
  await belfry(k1, create, "hush");
  const { code, out, err } = await belfry(`${k2},${k1}`, ["secrets", "rotate"]);
  assert.equal(code, 1);
  assert.match(err, new RegExp(`tenant:${lost}: its key k0 is not given`));
  assert.doesNotMatch(err, /\n\s+at |hush/);
  const report = JSON.parse(out);
  assert.deepEqual([report.reencrypted, report.inUse], [1, { k0: 1, k2: 1 }]);
  const pool = createPool({ url, applicationName: "test" });
  const { rows } = await pool.query(
    "select person, action, after from audit_log where action <> 'tenant.create'",
  );
  await pool.end();
  assert.match(rows[0].person, /^command line \(.+\)$/);
  assert.deepEqual(rows[0].after, { kid: "k2", reencrypted: 1 });
});
