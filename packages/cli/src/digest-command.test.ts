import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { aDelivery } from "@belfry/testing/rows";
import { createHome } from "../test/home.ts";

test("digest list, show and release tell of open windows, end one, and name what is wrong", async (t) => {
  const { json, fails, pool } = await createHome(t);
  const { id: tenant } = await json("tenant create --name Acme");
  const [id, event] = [randomUUID(), randomUUID()];
  await pool.query(
    `insert into digests (id, tenant_id, event_type, channel, user_id, locale, key, opened_at, window_ends_at)
     values ($1, $2, 'comment.posted', 'EMAIL', 'ann', '', '', now(), now() + interval '1 hour')`,
    [id, tenant],
  );
  await pool.query("insert into digest_items values ($1, $2, now())", [id, event]);
  const inAnHour = new Date(Date.now() + 3_600_000);
  await aDelivery(pool, { event_id: id, tenant_id: tenant, due_at: inAnHour });
  const [listed, ...others] = await json(`digest list --tenant ${tenant}`);
  assert.deepEqual(others, []);
  assert.deepEqual([listed.id, listed.count, listed.open, listed.userId], [id, 1, true, "ann"]);
  const { events } = await json(`digest show --tenant ${tenant} --id ${id}`);
  assert.deepEqual(
    events.map((one: { eventId: string; state: string }) => [one.eventId, one.state]),
    [[event, "in"]],
  );
  const released = await json(`digest release --tenant ${tenant} --id ${id}`);
  assert.ok(released.delivery.dueAt < listed.delivery.dueAt);
  const { rows } = await pool.query(
    "select target, after from audit_log where action = 'digest.release'",
  );
  assert.deepEqual(rows, [{ target: id, after: { count: 1 } }]);

  await pool.query("update deliveries set released_at = now()");
  await fails(
    `digest release --tenant ${tenant} --id ${id}`,
    /ID cannot be released: it is on its way/,
  );
  await fails(
    `digest show --tenant ${tenant} --id ${randomUUID()}`,
    /no digest of the tenant has the id/,
  );
});
