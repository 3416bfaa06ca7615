import { reasonWords } from "@belfry/contracts/reasons";
import type pg from "pg";
import { callClaim, callFunction, traceParentOf, withoutTraceParent } from "../connection.ts";

/** A message of a status webhook, claimed for one try. */
export interface ClaimedWebhook {
  /** The delivery's id. */
  id: string;
  tenantId: string;
  /** Counts from 1. */
  attempt: number;
  /** Tries that were counted before. */
  retries: number;
  webhookId: string;
  url: string;
  /** Compact JWE, of the owner webhookOwner(tenant, webhook). */
  secret: string;
  /** The one before it, while it still signs. */
  previousSecret: string | null;
  /** The webhook-id: the same in every try, and when a person sends it again. */
  messageId: string;
  type: string;
  /** W3C `traceparent` that its spans belong to; null: its event is not sampled, or it is about none. */
  traceParent: string | null;
  /** JSON, posted as it is. */
  payload: string;
  toldAt: Date;
  /** Nothing has reached the endpoint for a while, so a success must be recorded too. */
  failing: boolean;
}

export type WebhookClaim =
  | { becomes: "sending"; webhook: ClaimedWebhook }
  | { becomes: "busy"; waitMs: number }
  | { becomes: "gone" }
  /** It ended here, without a try. */
  | { becomes: "skipped" | "failed"; reason: string };

export interface WebhookClaimOptions {
  /** Endpoints that have as many calls in hand as they may: theirs are put off. */
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

/** Claims a batch in one call. Results come in the order of the batch. */
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

/** How a call of an endpoint went. */
export interface WebhookCall {
  webhookId: string;
  tenantId: string;
  /** That was called: where the endpoint has another by now, this is not noted. Undefined: whichever it has. */
  url?: string;
  /** Null: it arrived. */
  reason: string | null;
  /** It answered 410. */
  gone: boolean;
}

export interface DisabledWebhook {
  webhookId: string;
  tenantId: string;
  url: string;
  reason: string;
}

/** Notes a batch; returns the endpoints that are disabled by it. */
export async function noteWebhookCalls(
  pool: pg.Pool,
  batch: readonly WebhookCall[],
  /** After so many failures in a row it is paused. */
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
