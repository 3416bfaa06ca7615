import { ALERT_THRESHOLDS } from "@belfry/contracts/alerts";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import {
  DEAD_CLASSES,
  type DeadClass,
  type DeadGroupRow,
  deadGroups,
} from "../dead-letters/dead-letter-rows.ts";
import {
  type ActivitySum,
  activitySums,
  EVENTS,
  type RangeName,
  rangeStart,
  total,
} from "./activity-sums.ts";

/** A group of messages, or of events, that did not reach anybody for one reason. */
export interface Trouble {
  /** `ALL` for events of which nothing was sent. */
  channel: string;
  /** How many failed; `of` is the number of all that ended in the range. */
  failed: number;
  of: number;
  /** True if not all dead letters were read, so that `failed` may be too low. */
  isPartial: boolean;
  /** The class of the dead letters, or a code of reasons.ts, `bounced` or `complained`. */
  code: string;
  /** The dead letters of the group; undefined if there are none. */
  dead?: {
    channel: ProviderChannel;
    class: DeadClass;
    provider: string | null;
    reason: string | null;
  };
}

/**
 * Fewer failures are only a few wrong addresses, unless they are half of all. Alert mails begin at this number, too.
 */
const LEAST = Math.ceil((ALERT_THRESHOLDS.failedOfMessages * ALERT_THRESHOLDS.failedPercent) / 100);
const LEAST_SHARE = 0.05;
const HALF = 0.5;

/** Maximum number of dead letters that are read in any range: the newest. */
const MOST_DEAD = 1_000;

/** Reasons why a message was skipped although somebody wanted it to be sent. */
const WRONG_SKIPS = ["no-provider", "no-template"];

/**
 * Returns the problems of a tenant's messages that ended in a range, worst first. Counts the current dead letters,
 * without replayed and discarded ones. The other counts are as old as the sums.
 */
export async function tenantTroubles(
  db: Database,
  tenantId: string,
  range: RangeName,
  now: Date,
): Promise<Trouble[]> {
  const since = rangeStart(range, now);
  const [sums, dead] = await Promise.all([
    activitySums(db, tenantId, { range, since, groupings: ["channel", "reason"] }),
    deadGroups(db, { tenantId, since }, MOST_DEAD),
  ]);
  return troublesOf(sums, dead);
}

/** Finds problems in a range's sums by channel and by reason, and in the groups of dead letters that ended in it. */
export function troublesOf(sums: readonly ActivitySum[], dead: readonly DeadGroupRow[]): Trouble[] {
  const isPartial = dead.reduce((all, { count }) => all + count, 0) >= MOST_DEAD;
  const bare: Omit<Trouble, "of">[] = dead.map((group) => ({
    isPartial,
    channel: group.channel,
    failed: group.count,
    code: group.class,
    dead: {
      channel: group.channel,
      class: group.class,
      provider: group.provider,
      reason: group.examples[0]?.reason ?? null,
    },
  }));
  const reasons = sums.filter(({ groupedBy }) => groupedBy === "reason");
  for (const [name, rows] of Map.groupBy(reasons, (sum) => sum.name)) {
    const [channel = "", code = ""] = name.split(" ");
    const isDead = code === "discarded" || DEAD_CLASSES.some((one) => one === code);
    // Dead letters are counted above by their groups, so the sums of the same reasons count nothing here.
    const failed = WRONG_SKIPS.includes(code)
      ? total(rows, "skipped")
      : isDead
        ? 0
        : total(rows, "failed");
    if (failed > 0) bare.push({ channel, failed, code, isPartial: false });
  }
  const channels = sums.filter(({ groupedBy }) => groupedBy === "channel");
  const ended = (channel: string) => {
    const own = channels.filter(({ name }) => name === channel);
    if (channel === EVENTS) return total(own, "accepted");
    const failed = bare.filter((one) => one.channel === channel);
    return total(own, "sent") + failed.reduce((all, one) => all + one.failed, 0);
  };
  return bare
    .map((one) => ({ ...one, of: Math.max(one.failed, ended(one.channel)) }))
    .filter(({ failed, of }) => isWrong(failed, of))
    .sort((a, b) => b.failed / b.of - a.failed / a.of || b.failed - a.failed);
}

/** Whether the failures are more than a few wrong addresses; `of` is the number of all. */
export function isWrong(failed: number, of: number): boolean {
  const share = of === 0 ? 0 : failed / of;
  return share >= HALF || (failed >= LEAST && share >= LEAST_SHARE);
}
