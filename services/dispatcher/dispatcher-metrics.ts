import { IN_APP } from "@belfry/contracts/channels";
import type { KeptDays } from "@belfry/contracts/retention";
import type { Pool } from "@belfry/database/connection";
import type { DispatchResult, EventDispatch } from "@belfry/database/functions/dispatch-events";
import { readExpiryLags } from "@belfry/database/functions/expire-batch";
import { counter, gauge, histogram, secondsSinceId } from "@belfry/service/metrics";
import { readBacklogAges, readOverdueSeconds } from "./backlog-ages.ts";
import { readSearchLags } from "./search-lags.ts";
import { createWaitingCount } from "./waiting.ts";

const dispatched = counter("belfry_events_dispatched_total", "Events whose ways are decided");
const created = counter("belfry_deliveries_created_total", "What events became, by channel", [
  "channel",
]);
const latency = histogram(
  "belfry_event_dispatch_seconds",
  "From the acceptance of an event, or the end of its rest, to the commit of its deliveries",
);
const woken = counter("belfry_events_woken_total", "Scheduled events that were let go, as due");
const failed = counter("belfry_events_failed_total", "Events that could not be dispatched at all");
const released = counter("belfry_deliveries_released_total", "Deliveries sent on their way", [
  "channel",
]);
const reconciled = counter(
  "belfry_reconciled_total",
  "What had been lost or stalled on its way and was found and sent again",
  ["what"],
);
const expired = counter("belfry_expired_rows_total", "Rows deleted as they had had their time", [
  "table",
]);

const searched = counter(
  "belfry_searched_rows_total",
  "Rows that the loop behind search has read: events and deliveries, some of them more than once",
);

const unsent = counter(
  "belfry_expired_unsent_deliveries_total",
  "Deliveries deleted with their time that were still to be sent",
);

// From zero on, so that the first is seen as an increase.
for (const what of ["events", "deliveries"]) reconciled.inc({ what }, 0);

export function countDispatched(
  dispatches: readonly EventDispatch[],
  { claimed, unwritten }: DispatchResult,
): void {
  const nowMs = Date.now();
  for (const { eventId, released, deliveries, push } of dispatches) {
    if (!claimed.has(eventId)) continue;
    dispatched.inc();
    for (const { id, channel } of deliveries) if (!unwritten.has(id)) created.inc({ channel });
    if (push !== null) created.inc({ channel: IN_APP });
    const seconds = released
      ? Math.max(0, (nowMs - released.at.getTime()) / 1000)
      : secondsSinceId(eventId, nowMs);
    if (seconds !== undefined) latency.observe(seconds);
  }
}

export function countWoken(events: number): void {
  if (events > 0) woken.inc(events);
}

export function countFailed(): void {
  failed.inc();
}

export function countReleased(channel: string, count: number): void {
  if (count > 0) released.inc({ channel }, count);
}

export function countReconciled(what: "events" | "deliveries", count: number): void {
  if (count > 0) reconciled.inc({ what }, count);
}

export function countExpired(rows: Readonly<Record<string, number>>): void {
  for (const [table, count] of Object.entries(rows)) if (count > 0) expired.inc({ table }, count);
}

export function countUnfinished(deliveries: number): void {
  if (deliveries > 0) unsent.inc(deliveries);
}

export function countSearched(rows: number): void {
  if (rows > 0) searched.inc(rows);
}

/** Read at a scrape. */
export function showSearchLags(pool: Pool): void {
  gauge(
    "belfry_search_behind_seconds",
    "Age of the oldest row that search does not know yet; 0: it knows all",
    ["table"],
    async (it) => {
      for (const { table, seconds } of await readSearchLags(pool)) it.set({ table }, seconds);
    },
  );
}

/** Read at a scrape. */
export function showExpiryLags(pool: Pool, retention: KeptDays): void {
  gauge(
    "belfry_expiry_behind_seconds",
    "For how long the oldest row that has had its time has been waiting to be deleted",
    ["table"],
    async (it) => {
      for (const { table, seconds } of await readExpiryLags(pool, retention))
        it.set({ table }, seconds);
    },
  );
}

/** Ages of the oldest work; read at a scrape, so that nobody pays for it between. */
export function showBacklogAges(pool: Pool): void {
  gauge(
    "belfry_oldest_waiting_seconds",
    "Age of the oldest undispatched event; by how much the most overdue delivery is overdue",
    ["what"],
    async (it) => {
      for (const { what, seconds } of await readBacklogAges(pool)) it.set({ what }, seconds);
    },
  );
}

/** Read at a scrape. */
export function showOverdue(pool: Pool): void {
  gauge(
    "belfry_scheduled_overdue_seconds",
    "By how much the scheduled event is overdue that has been due for longest and still rests; 0: none is",
    [],
    async (it) => it.set({}, await readOverdueSeconds(pool)),
  );
}

/** Read at a scrape, from a count that is made once in a while. */
export function showWaiting(pool: Pool): void {
  const count = createWaitingCount(pool);
  gauge(
    "belfry_waiting",
    "Scheduled events and resting deliveries by why they wait; 10,000 of a channel are counted",
    ["reason"],
    async (it) => {
      for (const { reason, count: value } of await count()) it.set({ reason }, value);
    },
  );
  gauge(
    "belfry_waiting_oldest_seconds",
    "Age of the oldest of these that were counted",
    ["reason"],
    async (it) => {
      for (const { reason, oldestSeconds } of await count()) it.set({ reason }, oldestSeconds);
    },
  );
}
