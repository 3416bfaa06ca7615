import { MAX_DIGEST_SECONDS } from "@belfry/contracts/delivery";
import { IMPORT_DAYS } from "@belfry/contracts/imports";
import { type KeptDays, REPEATED_CALL_HOURS } from "@belfry/contracts/retention";
import type { Pool } from "@belfry/database/connection";
import {
  deleteUnlinkedAttachments,
  expireAttachments,
} from "@belfry/database/functions/attachments";
import {
  databaseMoment,
  expireStep,
  LEAST_MESSAGE_DAYS,
  longestRetention,
  WALKED_TABLES,
  type WalkedTable,
} from "@belfry/database/functions/expire-batch";
import { type ChannelKey, forgetEmptyChannels } from "@belfry/database/functions/realtime-channels";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import type pg from "pg";
import { countExpired, countUnfinished } from "./dispatcher-metrics.ts";

interface ExpiryDeps {
  pool: Pool;
  /** Retention for tenants without their own setting. */
  retention: KeptDays;
  log: Logger;
  /** Default: the database's clock. */
  now?: () => Promise<Date>;
}

const ROWS_PER_BATCH = 1000;
const SHORTEST_REST_MS = 5;
const LONGEST_REST_MS = 250;
const STRAYS_EVERY_MS = 24 * 60 * 60 * 1000;

/** Runs one step of a deletion. Resolves to whether another step can follow at once. */
type Step = () => Promise<boolean>;

/**
 * Returns a round that deletes expired rows. It alternates between the tables in small steps; each step is a
 * transaction of its own, and a pause as long as the step (5 to 250 ms) follows. At the signal, the round ends after
 * the current step. All replicas may run it at the same time. A round returns the number of deleted rows by table.
 */
export function createExpiry(deps: ExpiryDeps) {
  const { pool, retention, log, now = () => databaseMoment(pool) } = deps;
  let straysAtMs = Number.NEGATIVE_INFINITY;

  return async function expire(signal?: AbortSignal): Promise<Record<string, number>> {
    const moment = await now();
    const gone: Record<string, number> = {};
    let unfinished = 0;
    let elsewhere = false;
    const add = (rows: Readonly<Record<string, number>>) => {
      for (const [table, count] of Object.entries(rows)) gone[table] = (gone[table] ?? 0) + count;
      countExpired(rows);
    };
    const walk = (table: WalkedTable) => async () => {
      const step = await expireStep(pool, table, retention, moment);
      add(step.rows);
      unfinished += step.unfinished;
      if (step.state === "busy") elsewhere = true;
      return step.state === "walked";
    };
    const deletion = (expiry: Expiry) => async () => {
      const { rows, more } = await expiry.run(pool, ROWS_PER_BATCH);
      add({ [expiry.table]: rows });
      return more;
    };

    try {
      await inTurn(
        [
          ...timedExpiries(retention.eventDays, moment).map(deletion),
          ...WALKED_TABLES.map((table) => walk(table)),
        ],
        signal,
      );
      const straysDue = moment.getTime() - straysAtMs >= STRAYS_EVERY_MS;
      if (straysDue && !elsewhere && !signal?.aborted) {
        straysAtMs = moment.getTime();
        const longest = await longestRetention(pool, retention);
        await inTurn(strayExpiries(longest, moment).map(deletion), signal);
      }
    } finally {
      countUnfinished(unfinished);
      if (unfinished > 0) log.warn({ deliveries: unfinished }, "unsent deliveries had their time");
    }
    return gone;
  };
}

/** Runs one step of each deletion after the other, again and again, until none has more to do. */
async function inTurn(steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  let pending = steps;
  while (pending.length > 0) {
    const more: Step[] = [];
    for (const step of pending) {
      if (signal?.aborted) return;
      const begunAt = performance.now();
      if (!(await step())) continue;
      more.push(step);
      const tookMs = performance.now() - begunAt;
      await pause(Math.min(Math.max(tookMs, SHORTEST_REST_MS), LONGEST_REST_MS), signal);
    }
    pending = more;
  }
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Deletes expired rows of a table, at most `most` in one step. */
interface Expiry {
  table: string;
  /** Runs a step. Resolves to the number of deleted rows and whether there may be more. */
  run(pool: pg.Pool, most: number): Promise<{ rows: number; more: boolean }>;
}

/**
 * Returns the deletions that depend on a row's own time and not on the tenant. Idempotency keys (`dedup_keys`) are
 * valid for 24 h, which the statement that reads a key enforces. Deleting them after 25 h is safe.
 */
export function timedExpiries(eventDays: number, moment: Date): Expiry[] {
  const ago = (ms: number) => new Date(moment.getTime() - ms);
  return [
    before("dedup_keys", "accepted_at", ago(25 * HOUR_MS)),
    before("api_keys", "expires_at", ago(0)),
    before("dead_messages", "created_at", ago(eventDays * DAY_MS)),
    before("message_tries", "begun_at", ago(HOUR_MS)),
    before("throttles", "ends_at", ago(0)),
    before("devices", "ends_at", ago(0)),
    before("repeated_calls", "created_at", ago(REPEATED_CALL_HOURS * HOUR_MS)),
    // In the next four tables `ended_at` is null while the work is open.
    before("imports", "ended_at", ago(IMPORT_DAYS * DAY_MS)),
    before("bundle_applies", "ended_at", ago(IMPORT_DAYS * DAY_MS)),
    before("erasures", "ended_at", ago(eventDays * DAY_MS)),
    before("tenant_deletions", "ended_at", ago(eventDays * DAY_MS)),
    unlinkedAttachments(),
    unnamedAttachments(moment),
  ];
}

/**
 * Returns the deletions of rows that `expireStep` does not reach, once they are older than the longest retention: rows
 * whose id has a much earlier time than their insertion (a clock was wrong), rows without their event, and realtime
 * channels without notifications.
 */
function strayExpiries(longest: KeptDays, moment: Date): Expiry[] {
  // One day more, so that `expireStep` has time to delete the rows that it reaches.
  const events = new Date(moment.getTime() - (longest.eventDays + 1) * DAY_MS);
  // The deliveries are of events or of webhook messages, which are kept for at least five days.
  const messageDays = Math.max(longest.eventDays, LEAST_MESSAGE_DAYS);
  const messages = new Date(moment.getTime() - (messageDays + 1) * DAY_MS);
  // A digest may be a week older than its last event, and is kept as long as this event.
  const digests = new Date(events.getTime() - MAX_DIGEST_SECONDS * 1000);
  const notifications = new Date(moment.getTime() - (longest.notificationDays + 1) * DAY_MS);
  return [
    before("webhook_messages", "id", firstIdOf(messages), IS_SENT),
    before("attempts", "delivery_id", firstIdOf(messages), withoutMessage("attempts.delivery_id")),
    before("deliveries", "id", firstIdOf(messages), withoutMessage("deliveries.event_id")),
    before("receipts", "received_at", events),
    before("outbox", "id", firstIdOf(events)),
    before("digest_items", "digest_id", firstIdOf(digests)),
    before("digests", "id", firstIdOf(digests)),
    before("undispatched_events", "event_id", firstIdOf(events)),
    before("events", "id", firstIdOf(events), RESTS_NOT),
    before("search_terms", "event_id", firstIdOf(events), EVENT_IS_GONE),
    // `ended_at` is null for open broadcasts. The events of a broadcast are older and use its variables.
    before("broadcasts", "ended_at", events),
    strayAttachments(firstIdOf(events)),
    unlinkedAttachments(),
    before("notifications", "id", firstIdOf(notifications)),
    emptyChannels(),
  ];
}

/** Restricts search terms to those whose event is already deleted. */
const EVENT_IS_GONE = "not exists (select from events e where e.id = search_terms.event_id)";

/** Excludes scheduled events that are not due yet. */
const RESTS_NOT = "not exists (select from scheduled_events s where s.event_id = events.id)";

/** Excludes webhook messages that must still be sent to an endpoint. */
const IS_SENT = `not exists (
  select from deliveries d
  where d.event_id = webhook_messages.id and d.channel = 'WEBHOOK' and d.status in ('queued', 'sending', 'waiting'))`;

/**
 * Excludes rows of webhook messages; a message's delivery has the id of the message as its own id and as its event id.
 */
function withoutMessage(id: string): string {
  return `not exists (select from webhook_messages m where m.id = ${id})`;
}

/** Returns a deletion of the rows whose `column` is less than `bound` and that meet the SQL condition `only`. */
function before(table: string, column: string, bound: Date | string, only = "true"): Expiry {
  return {
    table,
    async run(pool, most) {
      const result = await pool.query(
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < $1 and ${only} order by ${column} limit $2
           for update skip locked))`,
        [bound, most],
      );
      const rows = result.rowCount ?? 0;
      return { rows, more: rows === most };
    },
  };
}

const ATTACHMENTS_PER_BATCH = 50;

/** Returns a deletion of files that no event named in time. */
function unnamedAttachments(moment: Date): Expiry {
  return {
    table: "attachments",
    async run(pool, most) {
      const rows = await expireAttachments(pool, moment, Math.min(most, ATTACHMENTS_PER_BATCH));
      // A step deletes fewer than `most` files if they are large, so more may be left after any deletion.
      return { rows, more: rows > 0 };
    },
  };
}

function unlinkedAttachments(): Expiry {
  return { table: "attachments", run: (pool) => deleteUnlinkedAttachments(pool, null) };
}

/** Returns a deletion of links between attachments and events that are already deleted. */
function strayAttachments(bound: string): Expiry {
  return {
    table: "event_attachments",
    async run(pool, most) {
      const { rows } = await pool.query<{ rows: number }>(
        `with stray as materialized (
           select l.event_id from event_attachments l
           where l.event_id < $1 and not exists (select from events e where e.id = l.event_id)
           order by l.event_id limit $2
         ),
         dropped as materialized (select drop_attachments(array(select event_id from stray)))
         select count(*)::integer as rows from stray, dropped`,
        [bound, most],
      );
      return { rows: rows[0]!.rows, more: rows[0]!.rows === most };
    },
  };
}

/** Returns a deletion of realtime channels whose notifications have all expired. */
function emptyChannels(): Expiry {
  let after: ChannelKey | undefined;
  return {
    table: "realtime_channels",
    async run(pool, most) {
      const { forgotten, reached } = await forgetEmptyChannels(pool, after, most);
      after = reached;
      return { rows: forgotten, more: reached !== undefined };
    },
  };
}

/** Returns the smallest UUIDv7 of a moment. All ids that were created before the moment are smaller. */
export function firstIdOf(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
