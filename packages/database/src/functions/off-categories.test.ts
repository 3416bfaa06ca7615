import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { sql } from "kysely";
import { createDatabase } from "../connection.ts";
import { deletePreferencesOfUser, holdUsers, setPreferences } from "../preferences.ts";

const USERS = ["ann", "bob", "cid"];
const CATEGORIES = ["*", "offers", "news"];
const CHANNELS = ["*", "EMAIL", "PUSH"] as const;

test("what is off of a user is the same in one look, whoever says it at once with whom", async (t) => {
  const { pool } = await connectedDatabase(t);
  const db = createDatabase(pool);
  await pool.query(
    "insert into tenants (id, name, per_minute) values ('a', 'A', 1), ('other', 'O', 1)",
  );
  const one = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)]!;
  const cell = () => ({ category: one(CATEGORIES), channel: one(CHANNELS) });
  const works = [
    (owner: { tenantId: string; userId: string }) =>
      setPreferences(
        db,
        owner,
        "api",
        Array.from({ length: 3 }, () => ({ ...cell(), enabled: one([true, false, false, null]) })),
      ),
    // An import changes many users.
    async ({ tenantId }: { tenantId: string }) =>
      await db.transaction().execute(async (transaction) => {
        const { category, channel } = cell();
        await holdUsers(transaction, tenantId, USERS);
        await sql`
          insert into preferences as p (tenant_id, user_id, category, channel, enabled, source)
          select ${tenantId}, u, ${category}, ${channel}, false, 'import' from unnest(${USERS}::text[]) u order by u
          on conflict (tenant_id, user_id, category, channel) do update set enabled = false where p.enabled
        `.execute(transaction);
      }),
    // The tenant names the user.
    async (owner: { tenantId: string; userId: string }) =>
      await pool.sql`insert into recipients (tenant_id, user_id, email)
        values (${owner.tenantId}, ${owner.userId}, 'a@example.com')
        on conflict (tenant_id, user_id) do update set named = true, email = excluded.email`,
    (owner: { tenantId: string; userId: string }) => deletePreferencesOfUser(db, owner),
  ];
  let off = 0;
  for (let round = 0; round < 60; round += 1) {
    await Promise.all(
      Array.from({ length: 8 }, () =>
        one(works)({ tenantId: one(["a", "other"]), userId: one(USERS) }),
      ),
    );
    const rows = await pool.sql`select tenant_id, user_id, coalesce(r.off_categories,
        '{}') as kept, coalesce(p.categories, '{}') as said
      from recipients r full join (
        select tenant_id, user_id, array_agg(distinct category) as categories
        from preferences where not enabled group by tenant_id, user_id
      ) p using (tenant_id, user_id)`;
    for (const { kept, said, ...owner } of rows) {
      assert.deepEqual(kept, said, JSON.stringify(owner));
      off += said.length;
    }
  }
  assert.ok(off > 0);
});

test("a user whom the tenant has not named turns on, then off: it is off", async (t) => {
  const { pool } = await connectedDatabase(t);
  const db = createDatabase(pool);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 1)");
  const owner = { tenantId: "a", userId: "ann" };
  for (const enabled of [true, false]) {
    await setPreferences(db, owner, "api", [{ category: "offers", channel: "*", enabled }]);
  }
  const rows = await pool.sql`select user_id, named, off_categories from recipients`;
  assert.deepEqual(rows, [{ user_id: "ann", named: false, off_categories: ["offers"] }]);
});

test("who comes second sees what the first has turned off, though it began before that was committed", async (t) => {
  const { pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 1)");
  await pool.query("insert into recipients (tenant_id, user_id) values ('a', 'ann')");
  await pool.query(
    `insert into preferences (tenant_id, user_id, category, channel, enabled, source)
     select 'a', 'ann', c, '*', true, 'api' from unnest(array['offers', 'news']) c`,
  );
  const turnOff = (category: string) => ({
    text: "update preferences set enabled = false where user_id = 'ann' and category = $1",
    values: [category],
  });
  const [first, second] = [await pool.connect(), await pool.connect()];
  try {
    await first.query("begin");
    await first.query(turnOff("offers"));
    const { rows } = await second.query("select pg_backend_pid() as pid");
    const done = second.query(turnOff("news"));
    await eventually(async () => {
      const waits = await pool.sql`select 1 from pg_stat_activity
        where pid = ${rows[0].pid} and wait_event_type = 'Lock'`;
      assert.equal(waits.length, 1);
    });
    await first.query("commit");
    await done;
    const kept = await pool.query("select off_categories from recipients");
    assert.deepEqual(kept.rows, [{ off_categories: ["news", "offers"] }]);
  } finally {
    first.release();
    second.release();
  }
});
