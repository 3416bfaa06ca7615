/**
 * `node test/bench/search.ts`: how long the search takes among a million events of one tenant beside 20 others, for
 * each kind of key: at its first time after a restart of Postgres, which finds its own memory empty, and once more.
 * The pages are read by `explain (analyze, buffers)` of the statements that the search made.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAnything } from "@belfry/administration/search/find-anything";
import { createDatabase, createPool } from "@belfry/database/connection";
import { migrateToLatest } from "@belfry/database/migrate";
import { parseSecretKeys } from "@belfry/database/secrets";
import { startPostgres } from "@belfry/local/servers/postgres-server";
import { freePort } from "@belfry/testing/free-port";
import pg from "pg";
import { fillForSearch, type SearchKind } from "./search-rows.ts";

const EVENTS = Number(process.argv[2] ?? 1_200_000);
const TENANT = "acme";

await using cleanup = new AsyncDisposableStack();
const dataDir = await mkdtemp(join(tmpdir(), "belfry-bench-search-"));
cleanup.defer(() => rm(dataDir, { recursive: true, force: true }));
const port = await freePort();
const start = () =>
  startPostgres({ dataDir, port, log: () => undefined, durable: true, sharedBuffers: "512MB" });
let postgres = await start();
cleanup.defer(async () => {
  await postgres.stop();
  await rm(postgres.directory, { recursive: true, force: true });
});
await migrateToLatest(postgres.url);
const keys = parseSecretKeys(`bench:${Buffer.alloc(32, 7).toString("base64")}`);
const begunAt = performance.now();
const kinds = await fillForSearch(postgres.url, keys, EVENTS);
process.stdout.write(`filled in ${((performance.now() - begunAt) / 1000).toFixed(0)} s\n\n`);

const OF = ["events", "first p50", "max", "again p50", "max", "pages", "of these read"];
process.stdout.write(`| key | ${[...OF, ...OF].join(" | ")} |\n`);
process.stdout.write(`| --- |${" ---: |".repeat(2 * OF.length)}\n`);
for (const kind of kinds) {
  const cells = [...(await measure(kind, TENANT)), ...(await measure(kind, undefined))];
  process.stdout.write(`| ${[kind.name, ...cells].join(" | ")} |\n`);
}

async function measure({ texts }: SearchKind, tenantId: string | undefined) {
  await postgres.stop();
  postgres = await start();
  const pool = createPool({ url: postgres.url, applicationName: "bench", maxConnections: 8 });
  await using db = createDatabase(pool);
  // Connections and plans are there; the pages of these keys are not.
  for (let at = 0; at < 10; at += 1) await findAnything(db, keys, { text: `warm-${at}`, tenantId });
  let events = 0;
  const round = async () => {
    const tookMs: number[] = [];
    for (const text of texts) {
      const startedAt = performance.now();
      const found = await findAnything(db, keys, { text, tenantId });
      tookMs.push(performance.now() - startedAt);
      events = found.events.length;
    }
    tookMs.sort((a, b) => a - b);
    return [tookMs[Math.floor(tookMs.length / 2)]!, tookMs.at(-1)!].map((ms) => ms.toFixed(1));
  };
  const [first, again] = [await round(), await round()];
  return [events, ...first, ...again, ...(await pagesOf(texts[0]!, tenantId))];
}

/** Pages that one search touches with the plans made; and how many it reads when Postgres' memory is empty. */
async function pagesOf(text: string, tenantId: string | undefined): Promise<number[]> {
  const asked: { text: string; values: unknown[] }[] = [];
  const pool = createPool({ url: postgres.url, applicationName: "bench", maxConnections: 1 });
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: [string, unknown[]]) => {
      if (/^\s*(select|with)/.test(args[0])) asked.push({ text: args[0], values: args[1] });
      return query(...args);
    }) as typeof client.query;
  });
  {
    await using db = createDatabase(pool);
    await findAnything(db, keys, { text, tenantId });
  }
  await postgres.stop();
  postgres = await start();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const counts: { hit: number; read: number }[] = [];
  for (let round = 0; round < 2; round += 1) {
    let [hit, read] = [0, 0];
    for (const one of asked) {
      const { rows } = await client.query(
        `explain (analyze, buffers, format json) ${one.text}`,
        one.values,
      );
      const { Plan: plan } = rows[0]["QUERY PLAN"][0];
      hit += plan["Shared Hit Blocks"];
      read += plan["Shared Read Blocks"];
    }
    counts.push({ hit, read });
  }
  await client.end();
  return [counts[1]!.hit, counts[0]!.read];
}
