import type { Database } from "@belfry/database/connection";
import { ensureSearchKey, type SearchKey } from "@belfry/database/search-terms";
import type { SecretKeys } from "@belfry/database/secrets";
import { pause } from "@belfry/service/pause";
import type pg from "pg";
import { countSearched } from "./dispatcher-metrics.ts";
import {
  type Findings,
  findingsOfDeliveries,
  findingsOfEvents,
  INDEXED_TABLES,
  type Walked,
  writeFindings,
} from "./search-rows.ts";

const SHORTEST_REST_MS = 2;
const LONGEST_REST_MS = 100;

type SearchDeps = Omit<WalkOptions, "key"> & { db: Database; keys: SecretKeys };

/**
 * Returns a pass that writes the terms by which search finds events, after their dispatch. It works in small steps
 * until nothing is left; each step is a transaction of its own, and a pause as long as the step (2 to 100 ms) follows.
 * At the signal, the pass ends after the current step. All replicas may run it, but only one works at a time. Returns
 * the number of rows that were read.
 */
export function createSearch({ db, keys, ...options }: SearchDeps) {
  let key: SearchKey | undefined;
  return async (signal?: AbortSignal): Promise<number> => {
    key ??= await ensureSearchKey(db, keys);
    const walk: WalkOptions = { ...options, key };
    let total = 0;
    if (!(await hasWork(walk))) return total;
    const steps: (() => Promise<StepResult>)[] = [
      ...INDEXED_TABLES.map((table) => () => walkStep(walk, table)),
      () => waitingStep(walk),
      () => recheckStep(walk),
    ];
    for (let pending = steps; pending.length > 0; ) {
      const more: typeof steps = [];
      for (const step of pending) {
        if (signal?.aborted) return total;
        const begunAt = performance.now();
        const { state, rows } = await step();
        // Another dispatcher is indexing and does the rest.
        if (state === "busy") return total;
        total += rows;
        countSearched(rows);
        if (state !== "more") continue;
        more.push(step);
        const tookMs = performance.now() - begunAt;
        await pause(Math.min(Math.max(tookMs, SHORTEST_REST_MS), LONGEST_REST_MS), signal);
      }
      pending = more;
    }
    return total;
  };
}

interface WalkOptions {
  pool: pg.Pool;
  key: SearchKey;
  /** Most rows in a step, which are hashed without a pause. */
  most?: number;
  /** Ids younger than this, in ms, are left to the next pass, because rows may still be committed out of order. */
  settleMs?: number;
}

/** The rows that a step handled. `busy`: another replica is indexing; `more`: another step can follow at once. */
interface StepResult {
  state: "done" | "more" | "busy";
  rows: number;
}

const MOST = 250;
/** Most ranges that one step checks again. */
const RANGES = 20;
const SETTLE_MS = 1000;
const NIL = "00000000-0000-0000-0000-000000000000";
/** Times after which a range is checked again, because a row may be committed late. */
const LOOK_AFTER_SECONDS = [5, 60, 600] as const;
const FIRST_LOOK = LOOK_AFTER_SECONDS[0];
/** Transactions commit rows within this time after their ids were created, so older ranges need no second check. */
const OLD_SECONDS = 1200;

const READ: Record<
  Walked,
  (client: pg.ClientBase, key: SearchKey, ids: readonly string[]) => Promise<Findings>
> = { events: findingsOfEvents, deliveries: findingsOfDeliveries };

/**
 * Returns whether any step has work, in one query; usually none has. The query reads the first row of each table
 * instead of using `exists`, because the planner may answer `exists` by reading the whole table.
 */
export async function hasWork({ pool, settleMs = SETTLE_MS }: WalkOptions): Promise<boolean> {
  const walks = INDEXED_TABLES.map(
    (table) => `(select x.id from ${table} x
      where x.id > coalesce((select next_id from search_walks where table_name = '${table}'), '${NIL}')
      order by x.id limit 1) < first_id_of(statement_timestamp() - $1 * interval '1 ms')`,
  );
  const { rows } = await pool.query<{ any: boolean }>({
    name: "search_has_work",
    text: `select ${walks.join(" or ")}
      or (select min(look_at) from search_waiting) <= statement_timestamp()
      or (select min(look_at) from search_steps) <= statement_timestamp() as any`,
    values: [settleMs],
  });
  return rows[0]?.any === true;
}

/** Indexes the next rows of a table, from where the last step of any replica ended. */
function walkStep(options: WalkOptions, table: Walked): Promise<StepResult> {
  const { key, most = MOST, settleMs = SETTLE_MS } = options;
  return withSearchLock(options.pool, async (client) => {
    const { rows } = await client.query<{ after: string; until: string; old: string }>(
      `select coalesce((select next_id from search_walks where table_name = $1), $2::uuid) as after,
              first_id_of(clock_timestamp() - $3 * interval '1 ms') as until,
              first_id_of(clock_timestamp() - $4 * interval '1 s') as old`,
      [table, NIL, settleMs, OLD_SECONDS],
    );
    const { after, until, old } = rows[0]!;
    if (after >= until) return { state: "done", rows: 0 };
    const ids = await idsBetween(client, table, { after, until, most });
    // The cursor does not move over an empty range: the next pass reads this range again.
    if (ids.length === 0) return { state: "done", rows: 0 };
    const isFull = ids.length === most;
    const reached = isFull ? ids.at(-1)! : until;
    await writeFindings(client, await READ[table](client, key, ids));
    if (reached > old) {
      await client.query(
        `insert into search_steps (table_name, after_id, until_id, seen, look_at)
         select $1, $2, $3, ${seenOf(table)}, clock_timestamp() + $4 * interval '1 s'
         on conflict do nothing`,
        [table, after, reached, FIRST_LOOK],
      );
    }
    await client.query(
      `insert into search_walks (table_name, next_id) values ($1, $2)
       on conflict (table_name) do update set next_id = excluded.next_id`,
      [table, reached],
    );
    return { state: isFull ? "more" : "done", rows: ids.length };
  });
}

/** Reads deliveries again that had not ended when they were indexed, if their time in search_waiting has come. */
function waitingStep(options: WalkOptions): Promise<StepResult> {
  const { key, most = MOST } = options;
  return withSearchLock(options.pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select delivery_id as id from search_waiting where look_at <= clock_timestamp()
       order by look_at limit $1`,
      [most],
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return { state: "done", rows: 0 };
    // Rows that must wait longer are written again below, in the same transaction.
    await client.query("delete from search_waiting where delivery_id = any ($1::uuid[])", [ids]);
    await writeFindings(client, await findingsOfDeliveries(client, key, ids));
    return { state: ids.length === most ? "more" : "done", rows: ids.length };
  });
}

/** Checks due ranges of ids for rows that were committed late. Indexes a range again if its checksum has changed. */
function recheckStep(options: WalkOptions): Promise<StepResult> {
  const { key, most = MOST } = options;
  return withSearchLock(options.pool, async (client) => {
    const { rows } = await client.query<{
      table_name: Walked;
      after_id: string;
      until_id: string;
      looks: number;
      is_other: boolean;
    }>(
      `select s.table_name, s.after_id, s.until_id, s.looks,
              s.seen <> case s.table_name ${INDEXED_TABLES.map(
                (
                  table,
                ) => `when '${table}' then (select coalesce(bit_xor(uuid_hash_extended(x.id, 0)), 0)
                  from ${table} x where x.id > s.after_id and x.id <= s.until_id)`,
              ).join(" ")} end as is_other
       from (select * from search_steps where look_at <= clock_timestamp() order by look_at limit ${RANGES}) s`,
    );
    for (const { table_name: table, after_id: from, until_id: until, looks, is_other } of rows) {
      let after = from;
      for (let isFull = is_other; isFull; ) {
        const ids = await idsBetween(client, table, { after, until, most, upTo: true });
        await writeFindings(client, await READ[table](client, key, ids));
        isFull = ids.length === most;
        after = ids.at(-1) ?? after;
      }
      const next = LOOK_AFTER_SECONDS[looks + 1];
      if (next === undefined) {
        await client.query("delete from search_steps where table_name = $1 and after_id = $2", [
          ...[table, from],
        ]);
        continue;
      }
      await client.query(
        `update search_steps set looks = looks + 1, seen = ${seenOf(table)},
           look_at = clock_timestamp() + $4 * interval '1 s'
         where table_name = $1 and after_id = $2`,
        [table, from, until, next],
      );
    }
    return { state: rows.length === RANGES ? "more" : "done", rows: rows.length };
  });
}

/** Returns SQL for a checksum of the ids in ($2, $3]; the checksum is 0 if there are none. */
function seenOf(table: Walked): string {
  return `(select coalesce(bit_xor(uuid_hash_extended(x.id, 0)), 0) from ${table} x
    where x.id > $2::uuid and x.id <= $3::uuid)`;
}

async function idsBetween(
  client: pg.ClientBase,
  table: Walked,
  {
    after,
    until,
    most,
    upTo = false,
  }: { after: string; until: string; most: number; upTo?: boolean },
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from ${table} where id > $1 and id ${upTo ? "<=" : "<"} $2 order by id limit $3`,
    [after, until, most],
  );
  return rows.map(({ id }) => id);
}

/**
 * Runs a step in one transaction, so that its rows and its cursor are committed together. Only one replica runs a step
 * at a time; the others get `busy`. The lock ends with the transaction, even if the process dies.
 */
async function withSearchLock(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<StepResult>,
): Promise<StepResult> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query("begin");
    const { rows } = await client.query<{ mine: boolean }>(
      "select pg_try_advisory_xact_lock(hashtextextended('belfry search walk', 0)) as mine",
    );
    const result: StepResult = rows[0]?.mine ? await work(client) : { state: "busy", rows: 0 };
    await client.query("commit");
    return result;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // After an error, the pool closes the connection, because its transaction is still open.
    client.release(failure);
  }
}
