import type { Database } from "@belfry/database/connection";
import { pause } from "@belfry/service/pause";
import type { Logger } from "pino";
import {
  BUCKET_MS,
  bucketAt,
  countBucket,
  deleteOldBuckets,
  newestBucket,
  usedBuckets,
} from "./activity-buckets.ts";

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
