import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { MAX_RETRY_AFTER_SECONDS, RETRY_JITTER } from "@belfry/contracts/delivery";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";

/** A delivery's next state after an attempt. */
export interface NextStep {
  status: "accepted" | "waiting" | "failed" | "bounced" | "unknown";
  /** The reason for the timeline; null if accepted. */
  reason: string | null;
  /** For `waiting`: the time in ms until the delivery is due again. Otherwise null. */
  delayMs: number | null;
  /** Whether the attempt counts as a retry in the schedule. A throttled one does not. */
  counted: boolean;
}

export interface StepContext {
  channel: ProviderChannel;
  /** The number of counted retries before this attempt. */
  retries: number;
  /** The number of earlier tries that did not count as retries. */
  uncounted: number;
  atMostOnce: boolean;
  /** When another of the tenant's providers takes over: at once, or later when it can. Undefined if none does. */
  failover?: "now" | "later" | undefined;
  /** Returns a random number in [0, 1). */
  random: () => number;
}

const THROTTLED_FIRST_SECONDS = 5;
const THROTTLED_MOST_SECONDS = 300;

/** Outcomes that do not count as a retry if another provider takes over. */
const ANOTHER_MAY: readonly OutcomeClass[] = ["credentials", "throttled", "policy"];

/** Returns the next state of a delivery. Only the outcome's class decides; the vendor's text just explains it. */
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

/** Returns how often a delivery is retried before it ends as failed. */
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

/** Returns the vendor's Retry-After, capped. Without one, returns 5 s, doubled with each uncounted try up to 5 min. */
function throttledSeconds(outcome: SendOutcome, context: StepContext): number {
  const wished = outcome.retryAfterSeconds;
  if (wished !== null) return Math.min(Math.max(wished, 1), MAX_RETRY_AFTER_SECONDS);
  const seconds = THROTTLED_FIRST_SECONDS * 2 ** Math.min(context.uncounted, 10);
  return jittered(Math.min(seconds, THROTTLED_MOST_SECONDS), context.random);
}

/** Changes a delay by up to ±20 % at random, so that deliveries that failed together are not retried together. */
export function jittered(seconds: number, random: () => number): number {
  return seconds * (1 + RETRY_JITTER * (2 * random() - 1));
}
