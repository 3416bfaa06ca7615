import assert from "node:assert/strict";
import { test } from "node:test";
import { findAnything } from "@belfry/administration/search/find-anything";
import { pageOfUsers, usersBeginning } from "@belfry/administration/users/user-rows";
import { createDatabase, createPool } from "@belfry/database/connection";
import { ensureSearchKey, termHash } from "@belfry/database/search-terms";
import { readsAtMost } from "@belfry/testing/rows-read";
import { sql } from "kysely";
import { searchUnderTest } from "../test/search-under-test.ts";
import { hasWork } from "./search.ts";

/** So many that reading a whole table costs several times what reading a page by index does: with 120,000 the planner takes either. */
const EVENTS = 250_000;
const TABLES = [
  "events",
  "deliveries",
  "search_terms",
  "search_users",
  "recipients",
  "digest_items",
];
/** Fifty events and their deliveries, for each kind of search text, with a margin. */
const MOST_ROWS = 1500;
/** The number of runs after which Postgres keeps a plan, with a row or two in each table. */
const LOOKS = 8;
const MOST_LOOKED_AT = 2 * LOOKS;

/**
 * The rows that the statements really read, as Postgres counts them, among the terms of 250,000 events: a bounded number,
 * for any search text, also for an address that all events have.
 */
test(`a search and a page of users read by index only among the terms of ${EVENTS} events`, {
  timeout: 300_000,
}, async (t) => {
  const under = await searchUnderTest(t);
  const { pool, db: first, keys } = under;
  const acme = await under.tenant({ id: "acme" });
  await under.tenant({ id: "other" });
  const key = await ensureSearchKey(first, keys);
  const often = termHash(key, "email", acme, "all@home.org");
  const client = await pool.connect();
  await client.query("set statement_timeout = 0");
  await client.query("set synchronous_commit = off");
  await client.query(
    `with e as materialized (
       insert into events (id, tenant_id, event_type, user_id, reference, recipient_email, trace_id, accepted_at, dispatched_at)
       select (lpad(to_hex((1.7e12 + n)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
               || lpad(to_hex(n), 15, '0'))::uuid,
              'acme', 'x', 'user' || n % 50000, case when n % 3 = 0 then 'often' else 'order-' || n end, 'all@home.org', 't', now(), now()
       from generate_series(1, $1::integer) n returning id, user_id)
     insert into search_terms (hash, event_id)
     select case k when 1 then md5(user_id)::uuid when 2 then md5(id::text)::uuid else $2::uuid end, id
     from e, generate_series(1, 3) k`,
    [EVENTS, often],
  );
  client.release(true);
  await pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel, status)
     select id, id, 'acme', 'EMAIL', 'accepted' from events order by id desc limit 50000`,
  );
  await pool.query(
    `insert into search_users select 'acme', 'user' || n, md5('user' || n)::uuid from generate_series(0, 49999) n`,
  );
  await pool.query(
    `insert into recipients (tenant_id, user_id, email, phone)
     select 'acme', 'user' || n, 'u' || n || '@home.org', '+4917' || lpad(n::text, 8, '0') from generate_series(0, 49999) n`,
  );
  // Everything is indexed, and the next check is due in an hour.
  await pool.query(
    `insert into search_walks select 'events', id from (select id from events order by id desc limit 1) e
     union all select 'deliveries', id from (select id from deliveries order by id desc limit 1) d`,
  );
  await pool.query(
    `insert into search_waiting select id, now() + interval '1 hour' from deliveries`,
  );
  for (const analyzed of [false, true]) {
    if (analyzed) await pool.query("analyze");
    await t.test(analyzed ? "with statistics" : "before the first statistics", async (t) => {
      // One connection, so that the counts include only these queries.
      const db = createDatabase(
        createPool({ url: under.url, applicationName: "plans", maxConnections: 1 }),
      );
      t.after(() => db.destroy());
      const rowsOf = async (what: string, work: (on: typeof db) => Promise<unknown>) =>
        await db.transaction().execute(async (transaction) => {
          const begunAt = performance.now();
          await work(transaction);
          const tookMs = performance.now() - begunAt;
          const { rows } = await sql<{ name: string; read: number }>`
            select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read
            from pg_stat_xact_user_tables where relname = any (${TABLES}::text[])`.execute(
            transaction,
          );
          t.diagnostic(`${what}: ${tookMs.toFixed(0)} ms`);
          for (const { name, read } of rows) {
            assert.ok(read <= MOST_ROWS, `${what}: ${read} rows of ${name}`);
          }
        });
      const newest = await db
        .selectFrom("events")
        .select("id")
        .orderBy("id", "desc")
        .limit(1)
        .execute();
      const own = ["often", "order-7", "order-0"];
      const texts = [
        ...own,
        "all@home.org",
        "user7",
        "0172 0000007",
        "nobody",
        newest[0]!.id,
        "u7@home.org",
        "u7",
        "u",
      ];
      for (const tenantId of [acme, undefined]) {
        for (const text of texts) {
          await rowsOf(`${text} of ${tenantId ?? "all"}`, (on) =>
            findAnything(on, keys, { text, tenantId }),
          );
        }
      }
      // The planner chooses its order until the first statistics exist, minutes after the first users.
      if (analyzed) {
        for (const text of ["u", "user4", "u49", "nobody"]) {
          await rowsOf(`users that begin with ${text}`, (on) =>
            usersBeginning(on, acme, { text, limit: 51 }),
          );
        }
        await rowsOf("a page of users", (on) =>
          pageOfUsers(on, acme, { after: "user3", limit: 51 }),
        );
      }
      const { events, more } = await findAnything(db, keys, {
        text: "all@home.org",
        tenantId: acme,
      });
      assert.deepEqual([events.length, more], [50, true]);
      const looked = ["events", "deliveries", "search_waiting", "search_steps"];
      await readsAtMost(pool, MOST_LOOKED_AT, looked, async (client) => {
        for (let look = 0; look < LOOKS; look += 1) {
          assert.equal(await hasWork({ pool: client, key }), false);
        }
      });
    });
  }
});
