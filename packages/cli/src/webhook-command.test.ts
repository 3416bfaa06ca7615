import assert from "node:assert/strict";
import { test } from "node:test";
import { createHome } from "../test/home.ts";

test("webhook put prints the secret once; test, resend and replay send; faults name the flag", async (t) => {
  const { json, fails, pool } = await createHome(t);
  const { id: tenant } = await json("tenant create --name Acme");
  const put = `webhook put --tenant ${tenant} --url https://example.com/hooks`;
  const made = await json(`${put} --types delivery.failed,delivery.bounced`);
  assert.match(made.secret, /^whsec_/);
  assert.deepEqual(made.types, ["delivery.failed", "delivery.bounced"]);
  const of = `--tenant ${tenant} --webhook ${made.id}`;
  const { secret: _, ...shown } = made;
  assert.deepEqual(await json(`webhook list --tenant ${tenant}`), [shown]);
  assert.deepEqual((await json(`webhook put ${of} --types all`)).types, []);
  assert.notEqual((await json(`webhook rotate-secret ${of}`)).secret, made.secret);
  const { messageId } = await json(`webhook test ${of} --no-wait`);
  const { messages } = await json(`webhook messages ${of} --status queued`);
  assert.deepEqual([messages.length, messages[0].id], [1, messageId]);
  assert.deepEqual(await json(`webhook attempts ${of}`), { attempts: [] });
  await pool.query("update deliveries set status = 'failed'");
  assert.equal((await json(`webhook resend ${of} --message ${messageId}`)).headerId, messageId);
  await pool.query("update deliveries set status = 'failed' where status = 'queued'");
  const replayed = await json(`webhook replay ${of} --since 2026-01-01T00:00:00Z`);
  assert.deepEqual([replayed.replayed, replayed.more], [1, false]);

  await fails(`webhook put --tenant ${tenant} --url http://10.0.0.1/`, /^error: --url must begin/);
  await fails(`${put} --types delivery.sent`, /^error: --types must be of/);
  await fails(`webhook put --tenant ${tenant}`, /^error: --url: give --url/);
  await fails(`webhook replay ${of} --since yesterday`, /^error: --since must be a time/);
  await json(`webhook delete ${of}`);
  await fails(`webhook test ${of}`, /^error: --webhook: the tenant has no webhook/);
  const { rows } = await pool.query(
    "select action, person from audit_log where action like 'webhook.%' order by id",
  );
  assert.deepEqual(
    rows.map(({ action }) => action.slice(8)),
    ["create", "update", "rotate-secret", "test", "resend", "replay", "delete"],
  );
  assert.ok(rows.every(({ person }) => person.startsWith("command line")));
});
