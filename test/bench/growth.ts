/**
 * `node test/bench/growth.ts [events] [MiB]`: what stored events cost. Fills a Postgres (512 MB of shared buffers) with a
 * quarter, a half and all of so many events of the last 30 days, each on three channels with two attempts, a
 * notification and six search terms. Before the first and after each fill it measures, by CPU time of Postgres an event:
 * accepting, dispatching and sending new ones; and a search, retention's deletes and a vacuum by time. At the end it
 * prints the bytes an event takes in each table. With so many MiB it measures a Postgres of 32 MB of shared buffers that
 * has no more memory than this, the system's cache of its files included: a cgroup limits it, so this needs root.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { findAnything } from "@belfry/administration/search/find-anything";
import { createDatabase, type Pool } from "@belfry/database/connection";
import { expireStep } from "@belfry/database/functions/expire-batch";
import { ensureSearchKey, termHash } from "@belfry/database/search-terms";
import { parseSecretKeys } from "@belfry/database/secrets";
import { type Backlog, createBacklog } from "./backlog.ts";
import { createBenchTenants } from "./bench-tenants.ts";
import { cpuTimes } from "./cpu-time.ts";
import { printLine } from "./figures.ts";
import { postgresMemory } from "./memory-limit.ts";
import { startServers } from "./servers.ts";
import { startService } from "./start-service.ts";
import { startVendor, type Vendor } from "./start-vendor.ts";
import { STORED_DAYS as DAYS, storedEvent, storeEvents } from "./stored-events.ts";

const EVENTS = Number(process.argv[2] ?? 20_000_000);
const MEMORY_BYTES = process.argv[3] === undefined ? undefined : Number(process.argv[3]) * 2 ** 20;
const TENANTS = 20;
const USERS = 49_999;
const NEW_EVENTS = 4_000;
const DELETED_EVENTS = 5_000;
const SEARCHES = 50;
const QUIET_MS = 3_000;
const MEASURED = [
  ...["accept µs", "dispatch µs", "send 2 messages µs", "search p50 ms", "max ms"],
  ...["delete µs an event", "CPU µs", "vacuum s", "bytes an event"],
  ...["accepted and sent a second", "pages read an event", "pages read a search"],
];

await using cleanup = new AsyncDisposableStack();
const sharedBuffers = MEMORY_BYTES === undefined ? "512MB" : "32MB";
const servers = cleanup.use(await startServers({ quick: false, sharedBuffers }));
const memory = MEMORY_BYTES === undefined ? undefined : cleanup.use(await postgresMemory());
const vendor = cleanup.use(await startVendor());
const tenants = await createBenchTenants(servers, { count: TENANTS, vendorUrl: vendor.url });
const backlog = cleanup.use(await createBacklog(servers, tenants));
cleanup.use(await startService("dispatcher", servers, { EVENT_RETENTION_DAYS: "365" }));
for (const name of ["email-sender", "sms-sender"]) cleanup.use(await startService(name, servers));
const keys = parseSecretKeys(servers.secretsKeys);
const db = createDatabase(backlog.pool);
const searchKey = await ensureSearchKey(db, keys);

printLine(["stored events", ...MEASURED]);
let stored = 0;
printLine([stored, ...(await measure(backlog, vendor))]);
for (const part of [0.25, 0.5, 1]) {
  const upTo = Math.round(EVENTS * part);
  await fill(backlog.pool, stored + 1, upTo);
  stored = upTo;
  printLine([stored, ...(await measure(backlog, vendor))]);
}
await printSizes(backlog.pool);

async function fill(pool: Pool, from: number, to: number): Promise<void> {
  const client = await pool.connect();
  const all = { tenantIds: tenants.map(({ id }) => id), events: EVENTS, users: USERS };
  const { eventId, tenantId } = storedEvent(all);
  const terms = ["u", "t", "m", "p", "e", "a"];
  try {
    await client.query("set statement_timeout = 0");
    // No triggers: nobody is told of what was never sent.
    await client.query("set session_replication_role = replica");
    await client.query("set synchronous_commit = off");
    await client.query("set maintenance_work_mem = '512MB'");
    await storeEvents(client, all, { from, to });
    await client.query("alter table search_terms drop constraint search_terms_pkey");
    await client.query("drop index search_terms_of_event");
    await client.query(
      `insert into search_terms (hash, event_id)
       select md5(kind || case when kind in ('t', 'm') then n else n % ${USERS} end || ${tenantId})::uuid, ${eventId}
       from generate_series(${from}, ${to}) n, unnest($1::text[]) kind`,
      [terms],
    );
    // Of the addresses that are looked for, the true hashes.
    const first = tenants[0]!.id;
    const hashes = lookedFor().map((n) => termHash(searchKey, "email", first, addressOf(n)));
    await client.query(
      `insert into search_terms (hash, event_id)
       select w.hash, ${eventId} from unnest($1::integer[], $2::uuid[]) w (user_n, hash)
       cross join lateral generate_series(w.user_n, ${to}, ${USERS}) n
       where n >= ${from} and n % ${TENANTS} = 0`,
      [lookedFor(), hashes],
    );
    await client.query("alter table search_terms add primary key (hash, event_id)");
    await client.query("create index search_terms_of_event on search_terms (event_id)");
    await client.query("vacuum analyze");
    await client.query("checkpoint");
  } finally {
    client.release(true);
  }
}

/** What the dispatcher does with rows that appear all at once (search terms, sums) is not what is measured. */
async function untilQuiet(): Promise<void> {
  for (;;) {
    const before = (await cpuTimes()).get("postgres") ?? 0;
    await sleep(QUIET_MS);
    const used = ((await cpuTimes()).get("postgres") ?? 0) - before;
    if (used * 1000 < QUIET_MS / 50) return;
  }
}

async function measure({ pool, ...work }: Backlog, target: Vendor): Promise<(string | number)[]> {
  await memory?.set(MEMORY_BYTES);
  await untilQuiet();
  const beganAt = performance.now();
  const pagesAtFirst = await pagesRead(pool);
  const accepting = await cost(NEW_EVENTS, () => work.accept(NEW_EVENTS, ["EMAIL", "SMS", "PUSH"]));
  const messages = accepting.result;
  const counting = await target.count(1, 2 * NEW_EVENTS);
  const startedAt = await cpuTimes();
  await work.publish(messages);
  await work.untilLeft(0);
  const dispatched = await cpuTimes();
  await counting.perSecond;
  const sent = await cpuTimes();
  const perSecond = Math.round((NEW_EVENTS * 1000) / (performance.now() - beganAt));
  const pagesWhenSent = await pagesRead(pool);
  const each = (from: Map<string, number>, to: Map<string, number>) =>
    Math.round((((to.get("postgres") ?? 0) - (from.get("postgres") ?? 0)) * 1e6) / NEW_EVENTS);

  const tookMs: number[] = [];
  for (const n of lookedFor()) {
    const begunAt = performance.now();
    await findAnything(db, keys, { text: addressOf(n), tenantId: tenants[0]!.id });
    tookMs.push(performance.now() - begunAt);
  }
  tookMs.sort((a, b) => a - b);
  const pagesWhenFound = await pagesRead(pool);

  const deleting = await cost(DELETED_EVENTS, () => expire(pool));
  const vacuumAt = performance.now();
  const client = await pool.connect();
  await client.query("set statement_timeout = 0");
  for (const table of ["events", "deliveries", "attempts", "notifications", "search_terms"]) {
    await client.query(`vacuum ${table}`);
  }
  client.release(true);
  await memory?.set(undefined);
  const vacuumS = (performance.now() - vacuumAt) / 1000;
  const { rows } = await pool.query<{ bytes: string }>(
    "select pg_database_size(current_database()) as bytes",
  );
  return [
    ...[accepting.cpuMicros, each(startedAt, dispatched), each(dispatched, sent)],
    ...[tookMs[Math.floor(SEARCHES / 2)]!.toFixed(1), tookMs.at(-1)!.toFixed(1)],
    ...[deleting.micros, deleting.cpuMicros, vacuumS.toFixed(1)],
    ...[stored === 0 ? "" : Math.round(Number(rows[0]!.bytes) / stored), perSecond],
    ((pagesWhenSent - pagesAtFirst) / NEW_EVENTS).toFixed(2),
    ((pagesWhenFound - pagesWhenSent) / SEARCHES).toFixed(0),
  ];
}

/** The pages of 8 KB that Postgres has read from outside its shared buffers. */
async function pagesRead(pool: Pool): Promise<number> {
  // A backend reports what it has read at most once a second.
  await sleep(1_500);
  await pool.query("select pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ pages: string }>(
    "select blks_read as pages from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0]!.pages);
}

/** Time and CPU time of Postgres, in microseconds an event. */
async function cost<T>(events: number, work: () => Promise<T>) {
  const before = (await cpuTimes()).get("postgres") ?? 0;
  const begunAt = performance.now();
  const result = await work();
  const micros = Math.round(((performance.now() - begunAt) * 1000) / events);
  const cpu = ((await cpuTimes()).get("postgres") ?? 0) - before;
  return { result, micros, cpuMicros: Math.round((cpu * 1e6) / events) };
}

/** Deletes the oldest events, as if their days were over. */
async function expire(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ at: Date }>(
    `select accepted_at + interval '${DAYS} days' as at from events order by id offset ${DELETED_EVENTS} limit 1`,
  );
  const moment = rows[0]?.at;
  if (moment === undefined) return;
  const days = { eventDays: DAYS, notificationDays: DAYS };
  for (const table of ["events", "notifications"] as const) {
    while ((await expireStep(pool, table, days, moment)).state === "walked");
  }
}

/** Users of the first tenant, apart from each other. */
function lookedFor(): number[] {
  return Array.from({ length: SEARCHES }, (_, at) => TENANTS * (at * 41 + 7));
}

function addressOf(user: number): string {
  return `u${user}@example.com`;
}

async function printSizes(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; heap: string; indexes: string }>(
    `select relname as name, pg_table_size(oid) as heap, pg_indexes_size(oid) as indexes
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_total_relation_size(oid) > $1
     order by pg_total_relation_size(oid) desc`,
    [10 * stored],
  );
  printLine(["table", "bytes an event", "indexes"]);
  const each = (bytes: string) => Math.round(Number(bytes) / stored);
  for (const { name, heap, indexes } of rows) printLine([name, each(heap), each(indexes)]);
}
