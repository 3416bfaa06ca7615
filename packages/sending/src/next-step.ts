import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { MAX_RETRY_AFTER_SECONDS, RETRY_JITTER } from "@belfry/contracts/delivery";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";

/** A delivery's next state after an attempt. */
export interface NextStep {
  status: "accepted" | "waiting" | "failed" | "bounced" | "unknown";
  /** Why, for the timeline; null when accepted. */
  reason: string | null;
  /** When it is due again, for `waiting`. */
  delayMs: number | null;
  /** Whether it counts as a retry in the schedule. Being throttled does not. */
  counted: boolean;
}

export interface StepContext {
  channel: ProviderChannel;
  /** Retries counted before this attempt. */
  retries: number;
  /** Earlier tries that did not count as retries. */
  uncounted: number;
  atMostOnce: boolean;
  /** Another of the tenant's providers takes over, at once or once it can; undefined: none does. */
  failover?: "now" | "later" | undefined;
  /** In [0, 1). */
  random: () => number;
}

const THROTTLED_FIRST_SECONDS = 5;
const THROTTLED_MOST_SECONDS = 300;

/** Outcomes that count as no retry when another provider takes over. */
const ANOTHER_MAY: readonly OutcomeClass[] = ["credentials", "throttled", "policy"];

/** Decides by the class of the outcome alone; the vendor's words only explain it. */
export function nextStep(outcome: SendOutcome, context: StepContext): NextStep {
  if (context.failover === "now" && ANOTHER_MAY.includes(outcome.class)) {
    return { status: "waiting", reason: outcome.reason, delayMs: 0, counted: false };
  }
  switch (outcome.class) {
    case "accepted":
      return { status: "accepted", reason: null, delayMs: null, counted: false };
    case "policy":
      if (context.failover === "later") return retry(outcome, context);
      return { status: "failed", reason: outcome.reason, delayMs: null, counted: false };
    case "permanent": {
      const status = outcome.suppress === "bounced" ? "bounced" : "failed";
      return { status, reason: outcome.reason, delayMs: null, counted: false };
    }
    case "throttled":
      return {
        status: "waiting",
        reason: outcome.reason,
        delayMs: throttledSeconds(outcome, context) * 1000,
        counted: false,
      };
    case "ambiguous":
      if (context.atMostOnce) {
        return { status: "unknown", reason: outcome.reason, delayMs: null, counted: false };
      }
      return retry(outcome, context);
    case "credentials":
    case "deferred":
    case "transient":
      return retry(outcome, context);
  }
}

/** How often a delivery is tried again before it ends as failed. */
export function maxRetries(channel: ProviderChannel): number {
  return sentRow(channel).sender.retrySeconds.length;
}

function retry(outcome: SendOutcome, context: StepContext): NextStep {
  const seconds = sentRow(context.channel).sender.retrySeconds[context.retries];
  if (seconds === undefined) {
    const reason = storedReason("retries-exhausted", { why: outcome.reason });
    return { status: "failed", reason, delayMs: null, counted: true };
  }
  if (context.failover === "now" && outcome.class === "transient") {
    return { status: "waiting", reason: outcome.reason, delayMs: 0, counted: true };
  }
  const wished = Math.min(outcome.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
  const delayMs = Math.max(jittered(seconds, context.random), wished) * 1000;
  return { status: "waiting", reason: outcome.reason, delayMs, counted: true };
}

/** The vendor's Retry-After, capped; without one 5 s, doubled each time up to 5 min. */
function throttledSeconds(outcome: SendOutcome, context: StepContext): number {
  const wished = outcome.retryAfterSeconds;
  if (wished !== null) return Math.min(Math.max(wished, 1), MAX_RETRY_AFTER_SECONDS);
  const seconds = THROTTLED_FIRST_SECONDS * 2 ** Math.min(context.uncounted, 10);
  return jittered(Math.min(seconds, THROTTLED_MOST_SECONDS), context.random);
}

/** ±20 %, so that what failed together does not come back together. */
export function jittered(seconds: number, random: () => number): number {
  return seconds * (1 + RETRY_JITTER * (2 * random() - 1));
}
