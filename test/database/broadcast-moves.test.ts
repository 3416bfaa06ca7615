import assert from "node:assert/strict";
import { test } from "node:test";
import { BROADCAST_STATES, BROADCAST_TRANSITIONS } from "@belfry/contracts/broadcasts";
import { connectedDatabase } from "@belfry/testing/database";

test("of every two states the database lets a broadcast go from one to the other only if that is a move", async (t) => {
  const { pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 600)");
  const isEnd = (state: string) => BROADCAST_TRANSITIONS[state as "done"].length === 0;
  for (const from of BROADCAST_STATES) {
    for (const to of BROADCAST_STATES) {
      const { rows } = await pool.query(
        `insert into broadcasts (id, tenant_id, state, event_type, trace_id, total, ended_at)
         values (gen_random_uuid(), 'a', $1, 'x', 't', 1, case when $2 then now() end) returning id`,
        [from, isEnd(from)],
      );
      const moving = pool.query(
        "update broadcasts set state = $2, ended_at = case when $3 then now() end where id = $1",
        [rows[0].id, to, isEnd(to)],
      );
      if (from === to || BROADCAST_TRANSITIONS[from].includes(to)) await moving;
      else await assert.rejects(moving, { code: "23514", constraint: "broadcasts_move" });
    }
  }
});
