import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn } from "../../test/acts.ts";
import { tenantDatabase } from "../../test/database.ts";
import { runAct } from "../act.ts";
import { cancelEvents } from "./cancel-events.ts";

test("a person's cancel is in the audit log part by part, a program's is not", async (t) => {
  const { pool, db, tenantId } = await tenantDatabase(t);
  await pool.sql`insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at,
      cancel_key)
    select gen_random_uuid(), ${tenantId}, 'order', 'ann', 't', now(), k
    from (values ('a', 1), ('b', 250)) v (k, most) cross join lateral generate_series(1, most)`;
  const actor = { personId: null, person: "a key", address: "127.0.0.1", isProgram: true };
  const program = { db, tenantId, actor, services: {} as never, may: () => true };
  const byProgram = await runAct(cancelEvents, program, { cancelKeys: ["a"] });
  assert.equal(byProgram.tooLate.length, 1);
  const byPerson = await actsIn(db, tenantId)(cancelEvents, { cancelKeys: ["b"] });
  assert.equal(byPerson.tooLate.length, 250);
  const entries = await db
    .selectFrom("audit_log")
    .select(["target", "after"])
    .where("action", "=", "event.cancel")
    .orderBy("id")
    .execute();
  const counts = { cancelled: 0, partly: 0, pending: 0 };
  assert.deepEqual(entries, [
    { target: "key b", after: { ...counts, tooLate: 100 } },
    { target: "key b", after: { ...counts, tooLate: 100 } },
    { target: "key b", after: { ...counts, tooLate: 50 } },
  ]);
});
