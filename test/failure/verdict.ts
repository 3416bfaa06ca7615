import { reasonOf } from "@belfry/contracts/reasons";
import type { Browser } from "./browsers.ts";
import type { Entry, Try } from "./load.ts";
import type { VendorRequest } from "./vendors.ts";

/** What one event's way out looks like from outside. Times by performance.now(). */
export interface Arrivals {
  email: VendorRequest[];
  sms: VendorRequest[];
  push: { id: string; at: number }[];
}

/** An attempt as Postgres tells it. */
export interface RecordedAttempt {
  eventId: string;
  channel: string;
  class: string | null;
  reason: string | null;
}

export interface Verdict {
  accepted: number;
  /** Requests answered 500. */
  refusals: number;
  /** Of all answers. */
  slowestAnswerMs: number;
  /** Whether a connected request got no answer in time. */
  silent: number;
  /** Never answered 200 nor rejected permanently. */
  unanswered: number;
  /** `key channel`: answered 200 and not arrived. */
  lost: string[];
  /** Answered nothing but 4xx and sent all the same. */
  sentThoughRefused: string[];
  /** Messages more than one, by cause. */
  doubled: Map<string, number>;
  /** `key channel`: doubled for no cause that is documented. */
  unexplained: string[];
  /** From the end of the fault to the first later event that arrived everywhere. */
  flowsAgainMs: number | undefined;
  /** From the end of the fault to the last arrival of an event triggered before it. */
  lastArrivalMs: number;
}

export const DOUBLE_CAUSES = {
  unanswered: "the request had left and no answer came",
  senderEnded: "the sender ended, or was frozen past its lease, between the call and its record",
} as const;

export function arrivalsOf(
  requests: readonly VendorRequest[],
  browsers: readonly Browser[],
): (entry: Entry) => Arrivals {
  const byKey = Map.groupBy(requests, ({ key }) => key);
  const pushes = new Map<Browser, Map<string, { id: string; at: number }[]>>();
  for (const browser of browsers) {
    pushes.set(
      browser,
      Map.groupBy(browser.received, ({ key }) => key),
    );
  }
  return ({ key, tenant, user }) => {
    const sent = byKey.get(key) ?? [];
    const browser = browsers.find((one) => one.tenantId === tenant.id && one.user === user);
    return {
      email: sent.filter(({ channel }) => channel === "EMAIL"),
      sms: sent.filter(({ channel }) => channel === "SMS"),
      push: (browser === undefined ? undefined : pushes.get(browser)?.get(key)) ?? [],
    };
  };
}

/** When the last channel had it; undefined: not everywhere yet. */
export function arrivedAt(arrivals: Arrivals): number | undefined {
  const first = (requests: VendorRequest[]) =>
    requests.find(({ answer }) => answer === "accepts")?.at;
  const times = [first(arrivals.email), first(arrivals.sms), arrivals.push[0]?.at];
  return times.every((at) => at !== undefined) ? Math.max(...(times as number[])) : undefined;
}

/** Holds what was answered against what arrived. `attempts` are those of the doubled deliveries. */
export function judge(
  entries: readonly Entry[],
  arrivals: (entry: Entry) => Arrivals,
  attempts: readonly RecordedAttempt[],
  healedAt: number,
): Verdict {
  const tries = entries.flatMap((entry) => entry.tries);
  const answered = tries.filter(({ status }) => status !== null);
  const verdict: Verdict = {
    accepted: 0,
    refusals: answered.filter(({ status }) => status! >= 500).length,
    slowestAnswerMs: Math.max(0, ...answered.map(({ tookMs }) => tookMs)),
    silent: tries.filter(({ silent }) => silent).length,
    unanswered: 0,
    lost: [],
    sentThoughRefused: [],
    doubled: new Map(),
    unexplained: [],
    flowsAgainMs: undefined,
    lastArrivalMs: 0,
  };
  for (const entry of entries) {
    const arrived = arrivals(entry);
    const isRefused = entry.tries.some(isTryRefused);
    if (entry.acceptedAt === undefined) {
      const count = arrived.email.length + arrived.sms.length + arrived.push.length;
      if (!isRefused) verdict.unanswered += 1;
      else if (count > 0 && entry.tries.every(isTryRefused)) {
        verdict.sentThoughRefused.push(entry.key);
      } else {
        // A try before it had no answer, or a 500 that could not be written down: it may be sent, once.
        noteDoubles(verdict, entry, arrived, attempts);
      }
      continue;
    }
    verdict.accepted += 1;
    noteLost(verdict, entry, arrived);
    noteDoubles(verdict, entry, arrived, attempts);
    const at = arrivedAt(arrived);
    if (at === undefined) continue;
    const afterMs = Math.max(0, at - healedAt);
    if (entry.tries[0]!.at <= healedAt) {
      verdict.lastArrivalMs = Math.max(verdict.lastArrivalMs, afterMs);
    } else {
      verdict.flowsAgainMs = Math.min(verdict.flowsAgainMs ?? Number.POSITIVE_INFINITY, afterMs);
    }
  }
  return verdict;
}

function isTryRefused({ status }: Try): boolean {
  return status !== null && status >= 400 && status < 500;
}

function noteLost(verdict: Verdict, entry: Entry, { email, sms, push }: Arrivals): void {
  const accepted = ({ answer }: VendorRequest) => answer === "accepts";
  if (!email.some(accepted)) verdict.lost.push(`${entry.key} EMAIL`);
  if (!sms.some(accepted)) verdict.lost.push(`${entry.key} SMS`);
  if (push.length === 0) verdict.lost.push(`${entry.key} PUSH`);
}

/** What a vendor has refused (429, 500) was not sent; what it did not answer may have been. */
function noteDoubles(
  verdict: Verdict,
  entry: Entry,
  arrived: Arrivals,
  attempts: readonly RecordedAttempt[],
): void {
  for (const channel of ["EMAIL", "SMS"] as const) {
    const requests = channel === "EMAIL" ? arrived.email : arrived.sms;
    const extra =
      requests.filter(({ answer }) => answer !== "throttled" && answer !== "broken").length - 1;
    if (extra < 1) continue;
    // Each copy needs an attempt of its own that may have reached the vendor: all but the last are why.
    const known = attempts.filter(
      (attempt) =>
        attempt.eventId === entry.eventId &&
        attempt.channel === channel &&
        (attempt.class === "ambiguous" || attempt.class === "accepted"),
    );
    if (known.length <= extra) verdict.unexplained.push(`${entry.key} ${channel}`);
    else for (const attempt of known.slice(0, extra)) count(verdict, causeOf(attempt));
  }
  if (arrived.push.length > 1) verdict.unexplained.push(`${entry.key} PUSH`);
}

/** An acceptance before the last attempt was written down when another sender had the delivery already. */
function causeOf(attempt: RecordedAttempt): string {
  return attempt.class === "accepted" || reasonOf(attempt.reason)?.code === "sender-died"
    ? DOUBLE_CAUSES.senderEnded
    : DOUBLE_CAUSES.unanswered;
}

function count(verdict: Verdict, cause: string): void {
  verdict.doubled.set(cause, (verdict.doubled.get(cause) ?? 0) + 1);
}
