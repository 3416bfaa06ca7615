import { WEBHOOK } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import { WEBHOOK_RETRY_SECONDS } from "@belfry/contracts/webhook-payload";
import type {
  ClaimedWebhook,
  WebhookCall,
  WebhookClaim,
} from "@belfry/database/functions/claim-webhooks";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import type { Leases } from "@belfry/sending/leases";
import { jittered } from "@belfry/sending/next-step";
import {
  countAttempt,
  countOutcome,
  observeFirstAcceptance,
} from "@belfry/sending/sending-metrics";
import type { Logger } from "@belfry/service/logger";
import type { FairSemaphore } from "@belfry/service/semaphore";
import { type Span, spanFields, tracer } from "@belfry/service/tracing";
import {
  type EndedCall,
  type EndpointCalls,
  failedWith,
  type WebhookAnswer,
} from "./endpoint-calls.ts";
import type { EndpointSlots } from "./endpoint-slots.ts";
import { type EndpointSecrets, signWebhook } from "./sign-webhook.ts";

export interface SendWebhookDeps {
  /** Slots for concurrent calls, shared among the tenants. */
  slots: Pick<FairSemaphore, "release">;
  endpoints: EndpointSlots;
  leases: Leases;
  secrets: EndpointSecrets;
  post: EndpointCalls["post"];
  /** `claim`, `settle` and `note` each combine concurrent calls into one call of Postgres. */
  claim: (delivery: { id: string; tenantId: string }) => Promise<WebhookClaim>;
  settle: (settlement: Settlement) => Promise<boolean>;
  note: (call: WebhookCall) => Promise<void>;
  /** Epoch milliseconds. */
  now: () => number;
  /** In [0, 1). */
  random: () => number;
  log: Logger;
}

/** Most retries of a message before it ends as failed. */
export const MAX_RETRIES = WEBHOOK_RETRY_SECONDS.length;

/** The value of the metrics' label that otherwise has the kind of provider. */
const PROVIDER = "webhook";
/** The delay if all slots of an endpoint stay in use: a random time of one to six seconds. */
const FULL_DELAY_MS = 1_000;
const FULL_SPREAD_MS = 5_000;

interface Tried {
  settlement: Settlement;
  /** The result for the endpoint's health; undefined if the health does not change. */
  call?: WebhookCall | undefined;
}

/**
 * Claims one delivery, tries it once, settles it, and records its endpoint's health. The caller has taken a slot of the
 * tenant, which this function releases as soon as the call has ended. Resolves to the time in ms for which another
 * sender holds the delivery, or 0 if none does.
 */
export async function sendWebhook(
  { id, tenantId }: { id: string; tenantId: string },
  deps: SendWebhookDeps,
): Promise<number> {
  let slotHeld = true;
  const giveSlot = () => {
    if (slotHeld) deps.slots.release(tenantId);
    slotHeld = false;
  };
  try {
    const claimed = await deps.claim({ id, tenantId });
    if (claimed.becomes === "busy") return claimed.waitMs;
    if (claimed.becomes === "gone") return 0;
    if (claimed.becomes !== "sending") {
      const { becomes: status, reason } = claimed;
      countOutcome(WEBHOOK, null, status);
      deps.log.info({ deliveryId: id, tenantId, status, reason }, "delivery ended");
      return 0;
    }
    const { webhook } = claimed;
    using _lease = deps.leases.hold({ id: webhook.id, attempt: webhook.attempt });
    const { settlement, call } = await tryOnce(webhook, deps);
    giveSlot();
    if (!(await deps.settle(settlement))) {
      const { attempt, messageId } = webhook;
      const details = { deliveryId: id, tenantId, messageId, attempt, status: settlement.status };
      deps.log.warn(details, "the lease had ended: another attempt decides");
    }
    if (call !== undefined) await deps.note(call);
    return 0;
  } finally {
    giveSlot();
  }
}

async function tryOnce(webhook: ClaimedWebhook, deps: SendWebhookDeps): Promise<Tried> {
  const seconds = Math.floor(deps.now() / 1000);
  const signature = await signatureOf(webhook, seconds, deps);
  // This is an internal fault, so it does not count for the endpoint's health.
  if (signature === undefined) {
    return { settlement: judged(webhook, failedWith("its secret cannot be read"), 0, deps) };
  }
  if (!(await deps.endpoints.take(webhook.webhookId))) {
    return { settlement: putOff(webhook, deps.random) };
  }
  using span = startCall(webhook);
  const startedAt = performance.now();
  let answer: EndedCall | undefined;
  try {
    answer = await deps.post({
      url: webhook.url,
      body: webhook.payload,
      headers: {
        "webhook-id": webhook.messageId,
        "webhook-timestamp": String(seconds),
        "webhook-signature": signature,
      },
    });
  } finally {
    deps.endpoints.give(webhook.webhookId, { timedOut: answer?.timedOut ?? false });
  }
  span?.end(
    { "http.response.status_code": answer.status ?? undefined },
    answer.class === "accepted" ? undefined : String(answer.status ?? answer.class),
  );
  const settlement = judged(webhook, answer, performance.now() - startedAt, deps, span);
  const { webhookId, tenantId, url, failing } = webhook;
  const hasArrived = answer.class === "accepted";
  const reason = hasArrived ? null : answer.reason;
  const call = { webhookId, tenantId, url, reason, gone: answer.gone };
  return { settlement, call: hasArrived && !failing ? undefined : call };
}

/**
 * Starts a span; returns undefined if the event is not sampled. The span has no URL, because the URL is the tenant's
 * text and may contain a secret.
 */
function startCall({ tenantId, id, webhookId, attempt, traceParent }: ClaimedWebhook) {
  if (traceParent === null) return undefined;
  return tracer()?.start("webhook call", {
    kind: "client",
    parent: traceParent,
    attributes: {
      "http.request.method": "POST",
      "belfry.tenant.id": tenantId,
      "belfry.delivery.id": id,
      "belfry.webhook.id": webhookId,
      "belfry.attempt.number": attempt,
    },
  });
}

/** Returns the signature header; undefined if a secret cannot be read, which is logged. */
async function signatureOf(webhook: ClaimedWebhook, seconds: number, deps: SendWebhookDeps) {
  const { webhookId, tenantId } = webhook;
  try {
    const secrets = await deps.secrets.of(webhook);
    return signWebhook({ id: webhook.messageId, seconds, body: webhook.payload, secrets });
  } catch (err) {
    deps.log.error({ err, webhookId, tenantId }, "an endpoint's secret cannot be read");
    return undefined;
  }
}

function judged(
  webhook: ClaimedWebhook,
  answer: WebhookAnswer,
  durationMs: number,
  deps: SendWebhookDeps,
  span?: Span,
): Settlement {
  const next = nextTry(answer, { retries: webhook.retries, random: deps.random });
  countAttempt(WEBHOOK, PROVIDER, answer.class, durationMs);
  countOutcome(WEBHOOK, PROVIDER, next.status);
  if (answer.class === "accepted" && webhook.attempt === 1) {
    observeFirstAcceptance(WEBHOOK, webhook.toldAt);
  }
  deps.log.info(
    {
      tenantId: webhook.tenantId,
      deliveryId: webhook.id,
      messageId: webhook.messageId,
      webhookId: webhook.webhookId,
      type: webhook.type,
      attempt: webhook.attempt,
      class: answer.class,
      vendorStatus: answer.status,
      status: next.status,
      durationMs: Math.round(durationMs),
      ...spanFields(span),
    },
    "attempt",
  );
  return {
    deliveryId: webhook.id,
    attempt: webhook.attempt,
    ...next,
    missing: null,
    end: {
      class: answer.class,
      durationMs,
      reason: answer.reason,
      vendor_status: answer.status === null ? null : String(answer.status),
      vendor_answer: answer.text,
      message_id: null,
    },
  };
}

/** Returns a settlement that puts the message back to wait, as if it had not been claimed. */
function putOff(webhook: ClaimedWebhook, random: () => number): Settlement {
  return {
    deliveryId: webhook.id,
    attempt: webhook.attempt,
    status: "waiting",
    reason: storedReason("endpoint-busy"),
    delayMs: FULL_DELAY_MS + FULL_SPREAD_MS * random(),
    counted: false,
    missing: null,
    end: null,
  };
}

/** Returns the next state of a message after a try. `retries` is the number of retries before this try. */
function nextTry(
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
