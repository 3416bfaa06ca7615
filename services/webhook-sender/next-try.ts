import { storedReason } from "@belfry/contracts/reasons";
import { WEBHOOK_RETRY_SECONDS } from "@belfry/contracts/webhook-payload";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import { jittered } from "@belfry/sending/next-step";
import type { WebhookAnswer } from "./webhook-answer.ts";

/** How often a message is tried again before it ends as failed. */
export const MAX_RETRIES = WEBHOOK_RETRY_SECONDS.length;

/** What becomes of a message after a try: `retries` were counted before it, `random` is in [0, 1). */
export function nextTry(
  answer: WebhookAnswer,
  { retries, random }: { retries: number; random: () => number },
): Pick<Settlement, "status" | "reason" | "delayMs" | "counted"> {
  const { reason } = answer;
  if (answer.class === "accepted") {
    return { status: "accepted", reason: null, delayMs: null, counted: false };
  }
  if (answer.gone) return { status: "failed", reason, delayMs: null, counted: true };
  const seconds = WEBHOOK_RETRY_SECONDS[retries];
  if (seconds === undefined) {
    const exhausted = storedReason("retries-exhausted", { why: reason });
    return { status: "failed", reason: exhausted, delayMs: null, counted: true };
  }
  const delayMs = Math.max(jittered(seconds, random), answer.retryAfterSeconds ?? 0) * 1000;
  return { status: "waiting", reason, delayMs, counted: true };
}
