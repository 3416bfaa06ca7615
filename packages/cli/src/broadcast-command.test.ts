import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createHome } from "../test/home.ts";

test("broadcast: estimated, created for a file of users, paused, resumed and cancelled", async (t) => {
  const { json, fails, home, pool } = await createHome(t);
  const { id: tenant } = await json("tenant create --name Acme");
  await writeFile(join(home, "text.txt"), "News: {{ title }}");
  await writeFile(join(home, "values.json"), '{"title": "Dark mode"}');
  await writeFile(join(home, "users.txt"), "ann\r\n\nbob\nann\n");
  const news = `--tenant ${tenant} --event-type news`;
  await json(`template put ${news} --channel PUSH --title News --content-file text.txt`);
  const estimate = await json(`broadcast estimate ${news} --user-ids-file users.txt`);
  assert.deepEqual([estimate.people, estimate.reached, estimate.isExact], [2, 2, true]);

  const files = "--user-ids-file users.txt --variables-file values.json";
  const { id, state, total } = await json(`broadcast create ${news} ${files} --idempotency-key k1`);
  assert.deepEqual([state, total], ["running", 2]);
  const { rows } = await pool.query("select variables from broadcasts");
  assert.deepEqual(JSON.parse(rows[0].variables), { title: "Dark mode" });
  const again = await json(`broadcast create ${news} ${files} --idempotency-key k1`);
  assert.equal(again.id, id);

  for (const [verb, is] of [
    ["pause", "paused"],
    ["resume", "running"],
    ["cancel", "cancelled"],
  ]) {
    assert.equal((await json(`broadcast ${verb} --tenant ${tenant} ${id}`)).state, is, verb);
  }
  const [listed, ...others] = await json(`broadcast list --tenant ${tenant}`);
  assert.deepEqual([listed.id, listed.state, others], [id, "cancelled", []]);
  await fails(`broadcast pause --tenant ${tenant} ${id}`, /the broadcast is cancelled/);
  await fails(`broadcast create ${news} --topics news`, /topics\[0\] is not the key of a topic/);
  await fails(`broadcast estimate ${news}`, /must have either topics or userIds/);
});
