import { idAt, momentOfId } from "@belfry/administration/pages";
import type { Database } from "@belfry/database/connection";
import { pause } from "@belfry/service/pause";
import { sql } from "kysely";
import type { Logger } from "pino";
import { BUCKET_MS, bucketAt, countBucket } from "./activity-buckets.ts";

const HOUR_MS = 60 * 60_000;
const KEEP_MS = 31 * 24 * HOUR_MS;
/** What happened while no replica ran is counted afterwards, this far back. */
const CATCH_UP_MS = 24 * HOUR_MS;
/** Rests this many times as long as it worked: it may never be what slows the database. */
const REST_FACTOR = 10;

/** How old a bucket is when it is counted once more: deliveries still move after their event. */
const AGAIN_AFTER_MS = [15 * 60_000, HOUR_MS, 12 * HOUR_MS];

/** Keeps the figures of the overview up to date until told to stop. */
export async function rollActivity(deps: {
  db: Database;
  everyMs: number;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { db, everyMs, log, signal } = deps;
  let lastTurn = 0;
  while (!signal.aborted) {
    const started = performance.now();
    try {
      const now = Date.now();
      const current = bucketAt(now);
      const turned = current !== lastTurn;
      const buckets = turned
        ? await bucketsToCount(db, current)
        : await usedBuckets(db, current - BUCKET_MS, current);
      for (const bucket of buckets) {
        if (signal.aborted || !(await countBucket(db, new Date(bucket)))) break;
      }
      if (turned) await deleteOldBuckets(db, new Date(now - KEEP_MS));
      lastTurn = current;
    } catch (err) {
      log.warn({ err }, "the figures of the overview are not up to date");
    }
    await pause(Math.max(everyMs, (performance.now() - started) * REST_FACTOR), signal);
  }
}

/** Oldest first: what was not counted yet, and what moves still. */
export async function bucketsToCount(db: Database, current: number): Promise<number[]> {
  const newest = (await newestBucket(db))?.getTime() ?? 0;
  const from = Math.max(current - CATCH_UP_MS, Math.min(newest, current - BUCKET_MS));
  const again = AGAIN_AFTER_MS.map((age) => bucketAt(current - age));
  const buckets = new Set([...again, ...(await usedBuckets(db, from, current))]);
  return [...buckets].sort((a, b) => a - b);
}

/**
 * The beginnings of those buckets from `from` to `to` in which an event was accepted or a digest opened, oldest
 * first: one look by index each, as a count of a bucket that has nothing costs as much as of one that has.
 */
async function usedBuckets(db: Database, from: number, to: number): Promise<number[]> {
  const used: number[] = [];
  for (let next = from; next <= to; ) {
    const after = idAt(new Date(next));
    const { rows } = await sql<{ id: string | null }>`
      select least((select id from events where id >= ${after}::uuid order by id limit 1),
                   (select id from digests where id >= ${after}::uuid order by id limit 1)) as id`.execute(
      db,
    );
    const id = rows[0]?.id ?? undefined;
    const bucket = id === undefined ? Number.POSITIVE_INFINITY : bucketAt(momentOfId(id).getTime());
    if (bucket <= to) used.push(bucket);
    next = bucket + BUCKET_MS;
  }
  return used;
}

/** The beginning of the newest bucket that was counted. */
async function newestBucket(db: Database): Promise<Date | undefined> {
  const row = await db
    .selectFrom("activity_buckets")
    .select("starts_at")
    .orderBy("starts_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.starts_at;
}

async function deleteOldBuckets(db: Database, before: Date): Promise<void> {
  await db.deleteFrom("activity_buckets").where("starts_at", "<", before).execute();
}
