import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn } from "../../test/acts.ts";
import { refusedWith, tenantDatabase } from "../../test/database.ts";
import { NotFound } from "../input-error.ts";
import {
  createPlatformKey,
  findPlatformKey,
  listPlatformKeys,
  revokePlatformKey,
} from "./platform-keys.ts";

test("a platform key is found by its text until it is revoked; the log has neither it nor its hash", async (t) => {
  const { db } = await tenantDatabase(t);
  const run = actsIn(db, "");
  const { key, ...made } = await run(createPlatformKey, { name: "pipeline" });
  assert.match(key, /^bfp_\w{40}$/);
  assert.deepEqual(await findPlatformKey(db, key), made);
  for (const other of [`${key.slice(0, -1)}-`, key.replace("bfp_", "bf_"), "", made.prefix]) {
    assert.equal(await findPlatformKey(db, other), undefined);
  }
  const [listed] = await run(listPlatformKeys, {});
  assert.ok(listed?.lastUsedAt !== null && !JSON.stringify(listed).includes(key.slice(10)));
  await run(revokePlatformKey, { id: made.id });
  assert.equal(await findPlatformKey(db, key), undefined);
  await assert.rejects(run(revokePlatformKey, { id: made.id }), NotFound);
  await assert.rejects(run(revokePlatformKey, { id: "x" }), NotFound);
  const log = await db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  assert.deepEqual(
    log.map(({ action, target, tenant_id: of }) => [action, target, of]),
    [
      ["platform-key.create", "pipeline", null],
      ["platform-key.revoke", "pipeline", null],
    ],
  );
  assert.ok(!JSON.stringify(log).includes(key.slice(10)));
});

test("there are at most fifty platform keys", async (t) => {
  const { db } = await tenantDatabase(t);
  const run = actsIn(db, "");
  for (let n = 0; n < 50; n += 1) await run(createPlatformKey, { name: `key ${n}` });
  await refusedWith(run(createPlatformKey, { name: "one more" }), /name would be one more than/);
});
