import type { OutcomeClass } from "@belfry/contracts/sending";
import { answeredWith, WEBHOOK_TIMEOUT_MS } from "@belfry/contracts/webhook-payload";
import { AddressRefused } from "@belfry/providers/address-guard";
import { retryAfterOf } from "@belfry/providers/http-outcome";
import { errorCode, type HttpAnswer, type PostResult } from "@belfry/providers/post-once";

/** How a call of an endpoint ended. */
export interface WebhookAnswer {
  /** ambiguous: the request left and no answer came; transient: everything else that is no success. */
  class: Extract<OutcomeClass, "accepted" | "transient" | "ambiguous">;
  /** One sentence, for the tenant. */
  reason: string;
  /** Of HTTP; null: it did not answer. */
  status: number | null;
  /** The start of what it answered; null: nothing. */
  text: string | null;
  /** When it wants to be asked again, at most a day. */
  retryAfterSeconds: number | null;
  /** It said that it is gone for good: 410. */
  gone: boolean;
}

const GONE = 410;
const TIMEOUT_SECONDS = WEBHOOK_TIMEOUT_MS / 1000;

/** Without an answer: nothing was posted, or nobody knows. */
export function failedWith(
  reason: string,
  failedClass: "transient" | "ambiguous" = "transient",
): WebhookAnswer {
  const nothing = { status: null, text: null, retryAfterSeconds: null, gone: false };
  return { class: failedClass, reason, ...nothing };
}

/** `nowMs`: since 1970, for a date in `Retry-After`. */
export function webhookAnswer(result: PostResult, nowMs: number): WebhookAnswer {
  if (!result.answered) return unanswered(result.error, result.begun);
  const { answer } = result;
  const hasArrived = answer.status >= 200 && answer.status < 300;
  return {
    class: hasArrived ? "accepted" : "transient",
    reason: reasonOf(answer),
    status: answer.status,
    // A text column holds no U+0000.
    text: answer.text === "" ? null : answer.text.replaceAll("\u0000", "\ufffd"),
    retryAfterSeconds: hasArrived ? null : retryAfterOf(answer.headers, nowMs),
    gone: answer.status === GONE,
  };
}

function reasonOf({ status }: HttpAnswer): string {
  if (status >= 300 && status < 400) return `it redirected (${status}), which is not followed`;
  if (status === GONE) return "it answered 410 Gone";
  return answeredWith(status);
}

function unanswered(error: unknown, begun: boolean): WebhookAnswer {
  if (error instanceof AddressRefused) return failedWith(`not called: ${error.message}`);
  const code = errorCode(error);
  if (!begun) {
    const why = code === "timeout" ? `within ${TIMEOUT_SECONDS} s` : `(${code})`;
    return failedWith(`no connection ${why}`);
  }
  const why = code === "timeout" ? `within ${TIMEOUT_SECONDS} s` : `(${code})`;
  return failedWith(`the request left and no answer came ${why}`, "ambiguous");
}
