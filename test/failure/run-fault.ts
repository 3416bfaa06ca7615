import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@belfry/testing/eventually";
import type { Browser } from "./browsers.ts";
import type { Fault } from "./faults.ts";
import { type Entry, startLoad } from "./load.ts";
import { seededRandom } from "./random.ts";
import { messagesLeft } from "./streams.ts";
import { arrivalsOf, arrivedAt, judge, type RecordedAttempt, type Verdict } from "./verdict.ts";
import type { AnyWorld } from "./world.ts";

export interface FaultResult {
  fault: Pick<Fault, "name" | "unnoticed">;
  seed: number;
  entries: readonly Entry[];
  verdict: Verdict;
  /** Deliveries that were neither settled nor scheduled after all messages had arrived; 0 is expected. */
  unsettled: number;
  tookMs: number;
}

const POLL_MS = 100;
/** The time within which a late duplicate would arrive. */
const AFTERMATH_MS = 1_000;

/** Runs load, fault, recovery, load and drain; then compares all messages with the ledger. */
export async function runFault<W extends AnyWorld>(
  world: W,
  browsers: Browser[],
  fault: Fault<W>,
  options: { label: string; seed: number },
): Promise<FaultResult> {
  const startedAt = performance.now();
  const { settings, vendors } = world;
  const load = startLoad(world, options.label, seededRandom(options.seed));
  let healedAt: number;
  try {
    await sleep(settings.beforeMs);
    await fault.run(world);
    healedAt = performance.now();
    await sleep(settings.afterMs);
    // On a busy machine it may take longer until one of the load is a later one; if ever, says the verdict.
    const isLater = ({ acceptedAt, tries }: Entry) =>
      acceptedAt !== undefined && tries[0]!.at > healedAt;
    await eventually(() => load.entries.some(isLater), { timeoutMs: settings.drainMs }).catch(
      () => undefined,
    );
  } finally {
    await load.stop();
  }
  const arrivals = () => arrivalsOf(vendors.requests, browsers);
  const unsettled = await drain(world, load.entries, arrivals);
  await sleep(AFTERMATH_MS);
  const verdict = await judgeNow(world, browsers, load.entries, healedAt);
  const tookMs = performance.now() - startedAt;
  return { fault, seed: options.seed, entries: load.entries, verdict, unsettled, tookMs };
}

/** Compares the ledger with all messages that have arrived so far. */
export async function judgeNow(
  world: AnyWorld,
  browsers: readonly Browser[],
  entries: readonly Entry[],
  healedAt: number,
): Promise<Verdict> {
  const seen = arrivalsOf(world.vendors.requests, browsers);
  const doubled = entries.filter((entry) => {
    const { email, sms } = seen(entry);
    return email.length > 1 || sms.length > 1;
  });
  return judge(entries, seen, await attemptsOf(world, doubled), healedAt);
}

/** Waits until all messages have arrived and nothing is in progress. Returns the number of unsettled deliveries. */
async function drain(
  world: AnyWorld,
  entries: readonly Entry[],
  arrivals: () => ReturnType<typeof arrivalsOf>,
): Promise<number> {
  const deadline = performance.now() + world.settings.drainMs;
  const accepted = entries.filter(({ acceptedAt }) => acceptedAt !== undefined);
  for (;;) {
    const seen = arrivals();
    const missing = accepted.filter((entry) => arrivedAt(seen(entry)) === undefined).length;
    const unsettled = missing > 0 ? missing : await countUnsettled(world);
    const isOver = performance.now() > deadline;
    // Without a message in the queue, no sender holds a delivery that could be sent again.
    if (isOver || (unsettled === 0 && (await messagesLeft(world)) === 0)) {
      return await countUnsettled(world);
    }
    await sleep(POLL_MS);
  }
}

async function countUnsettled({ pool }: AnyWorld): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select (select count(*) from undispatched_events)
          + (select count(*) from deliveries where status in ('queued', 'sending', 'waiting')) as count`,
  );
  return Number(rows[0]!.count);
}

async function attemptsOf(world: AnyWorld, entries: readonly Entry[]): Promise<RecordedAttempt[]> {
  const { rows } = await world.pool.query<RecordedAttempt>(
    `select d.event_id as "eventId", d.channel, a.class, a.reason
     from deliveries d join attempts a on a.delivery_id = d.id
     where d.event_id = any ($1::uuid[]) order by a.number`,
    [entries.map(({ eventId }) => eventId)],
  );
  return rows;
}
