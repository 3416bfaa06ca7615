import { reasonWords } from "@belfry/contracts/reasons";
import type pg from "pg";
import { callClaim, callFunction, traceParentOf, withoutTraceParent } from "../connection.ts";

/** A message of a status webhook that is claimed for one attempt. */
export interface ClaimedWebhook {
  /** The delivery's id. */
  id: string;
  tenantId: string;
  /** Counts from 1. */
  attempt: number;
  /** Attempts that were counted before. */
  retries: number;
  webhookId: string;
  url: string;
  /** A compact JWE, whose owner is webhookOwner(tenant, webhook). */
  secret: string;
  /** The previous secret while it still signs; else null. */
  previousSecret: string | null;
  /** The header webhook-id: the same for all attempts, and if a person sends the message again. */
  messageId: string;
  type: string;
  /** W3C `traceparent` of the event's spans; null if the event is not sampled, or if the message is about no event. */
  traceParent: string | null;
  /** JSON, which is posted unchanged. */
  payload: string;
  toldAt: Date;
  /** Whether the endpoint has failed since its last success, so that a success must be recorded, too. */
  failing: boolean;
}

export type WebhookClaim =
  | { becomes: "sending"; webhook: ClaimedWebhook }
  | { becomes: "busy"; waitMs: number }
  | { becomes: "gone" }
  /** It ended in this call, without an attempt. */
  | { becomes: "skipped" | "failed"; reason: string };

export interface WebhookClaimOptions {
  /** Endpoints that have the maximum of calls in progress. Their deliveries are deferred. */
  full: readonly string[];
  leaseMs: number;
  maxRetries: number;
}

type Row = Omit<ClaimedWebhook, "id" | "attempt" | "traceParent"> & {
  deliveryId: string;
  becomes: WebhookClaim["becomes"];
  was: string;
  reason: string | null;
  waitMs: number | null;
  number: number;
};

/** Claims a batch in one call. Results have the order of the batch. */
export function claimWebhooks(
  pool: pg.Pool,
  batch: readonly { id: string; tenantId: string }[],
  options: WebhookClaimOptions,
): Promise<WebhookClaim[]> {
  const args = {
    p_full: options.full,
    p_lease_ms: options.leaseMs,
    p_max_retries: options.maxRetries,
  };
  return callClaim(pool, "claim_webhooks", batch, args, toClaim);
}

function toClaim({
  deliveryId,
  becomes,
  was,
  reason,
  waitMs,
  number,
  ...webhook
}: Row): WebhookClaim {
  switch (becomes) {
    case "busy":
      return { becomes, waitMs: waitMs ?? 1 };
    case "gone":
      return { becomes };
    case "skipped":
    case "failed":
      return { becomes, reason: reasonWords(reason ?? "") };
    case "sending":
      return {
        becomes,
        webhook: {
          ...webhook,
          id: deliveryId,
          attempt: number,
          type: withoutTraceParent(webhook.type),
          traceParent: traceParentOf(webhook.type),
        },
      };
  }
}

/** The result of a call of an endpoint. */
export interface WebhookCall {
  webhookId: string;
  tenantId: string;
  /** The called URL. If the endpoint has another one now, the result is ignored. Undefined if any URL will do. */
  url?: string;
  /** null if the message arrived. */
  reason: string | null;
  /** Whether the endpoint answered 410. */
  gone: boolean;
}

export interface DisabledWebhook {
  webhookId: string;
  tenantId: string;
  url: string;
  reason: string;
}

/** Records the results of a batch of calls. Returns the endpoints that were disabled by this. */
export async function noteWebhookCalls(
  pool: pg.Pool,
  batch: readonly WebhookCall[],
  /** An endpoint is paused after so many failures in a row. */
  failures: number,
): Promise<DisabledWebhook[]> {
  return await callFunction<DisabledWebhook>(pool, "note_webhook_calls", {
    p_ids: batch.map((call) => call.webhookId),
    p_tenants: batch.map((call) => call.tenantId),
    p_urls: batch.map((call) => call.url ?? null),
    p_reasons: batch.map((call) => call.reason),
    p_gone: batch.map((call) => call.gone),
    p_failures: failures,
  });
}
