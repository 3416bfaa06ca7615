import type { ProviderChannel } from "@belfry/contracts/channels";
import {
  type DeliveryStatus,
  MAX_DIGEST_ITEM_BYTES,
  MAX_DIGEST_ITEMS,
} from "@belfry/contracts/delivery";
import type { Envelope } from "@belfry/contracts/envelope";
import { reasonWords } from "@belfry/contracts/reasons";
import type { SuppressionReason } from "@belfry/contracts/sending";
import { sql } from "kysely";
import type pg from "pg";
import { resolveVariables } from "../broadcast-variables.ts";
import {
  callClaim,
  callFunction,
  type Database,
  isReference,
  traceParentOf,
  withoutTraceParent,
} from "../connection.ts";

export interface DeliveryToClaim {
  id: string;
  tenantId: string;
  /** The provider that would send it; null if the tenant has none, so that the delivery ends. */
  provider: { id: string | null; kind: string } | null;
}

/** The events in the message of a digest. */
interface DigestContent {
  count: number;
  /** The oldest events, as many as one message shows. */
  items: readonly GatheredEvent[];
}

interface GatheredEvent {
  id: string;
  /** ISO 8601. */
  at: string;
  /** JSON text. */
  variables: string | null;
  /** W3C `traceparent` of the event's spans. Absent if the event is not sampled. */
  traceParent?: string;
}

/** A delivery that this sender holds until its lease ends, with the data for its message. */
export interface ClaimedDelivery {
  id: string;
  /** The event's id, or the digest's. */
  eventId: string;
  tenantId: string;
  /** The number of the attempt that was begun. */
  attempt: number;
  retries: number;
  templateVersionId: string;
  atMostOnce: boolean;
  /** Whether the event's variables are erased when all its deliveries have ended. */
  sensitive: boolean;
  recipient: string | null;
  /** JSON text. For a digest, the variables of its newest event. */
  variables: string | null;
  /** When the event was accepted, or became due if it was scheduled; null if the event is gone. */
  at: Date | null;
  /** Undefined if the delivery is for a single event. */
  digest: DigestContent | undefined;
  traceId: string;
  /** W3C `traceparent` of the event's spans; null if the event is not sampled, and for a digest. */
  traceParent: string | null;
  settings: MessageSettings;
  /** The event's user; null if the event is gone. */
  userId: string | null;
  /** The category of the event's type, if the tenant has categories. */
  category: { key: string; required: boolean } | undefined;
  /** The attributes of the user as JSON text; undefined if there are none, or the template does not read them. */
  userAttributes: string | undefined;
  /** The mail's envelope; undefined if neither template nor event sets any part. */
  envelope: ClaimedEnvelope | undefined;
}

/**
 * The envelopes of a mail's template and event. A digest has only the template's, because events with their own
 * envelope join no digest.
 */
export interface ClaimedEnvelope {
  template: Envelope | null;
  event: Envelope | null;
  /** The suppressed addresses in cc and bcc, in lower case, with the reason; null if there are none. */
  suppressed: Record<string, SuppressionReason> | null;
}

/** The current settings of a message's tenant and template. */
interface MessageSettings {
  /** The locale for dates and numbers if the template is no translation. */
  locale: string | undefined;
  /** IANA name of the user's time zone, or else the tenant's; undefined for UTC. */
  timeZone: string | undefined;
  /** Names of variables without which the message is not sent. */
  required: readonly string[] | undefined;
}

export type ClaimResult =
  | { becomes: "sending"; delivery: ClaimedDelivery }
  /** Another sender holds it for so many ms. */
  | { becomes: "busy"; waitMs: number }
  /** It is settled, waits for a later time, or never existed. */
  | { becomes: "gone" }
  /** It ended in this call, without an attempt. */
  | {
      becomes: "skipped" | "expired" | "failed" | "unknown";
      was: DeliveryStatus;
      reason: string;
      eventId: string;
      traceId: string;
      sensitive: boolean;
    };

interface ClaimOptions {
  channel: ProviderChannel;
  leaseMs: number;
  /** If a sender dies and its delivery then has more retries than this, the delivery ends as failed. */
  maxRetries: number;
}

/** The columns of the delivery that are returned unchanged. */
type Columns = Pick<
  ClaimedDelivery,
  | "eventId"
  | "tenantId"
  | "retries"
  | "templateVersionId"
  | "recipient"
  | "variables"
  | "userId"
  | "at"
>;

interface Row extends Columns {
  deliveryId: string;
  becomes: ClaimResult["becomes"];
  was: DeliveryStatus;
  reason: string | null;
  waitMs: number | null;
  number: number;
  atMostOnce: boolean | null;
  sensitive: boolean | null;
  /** null if the event is gone. */
  traceId: string | null;
  defaultLocale: string | null;
  timezone: string | null;
  required: string[] | null;
  category: string | null;
  isRequired: boolean | null;
  items: GatheredEvent[] | null;
  itemCount: number | null;
  options: { envelope?: ClaimedEnvelope; user?: string } | null;
}

/** Claims a batch in one call. Results have the order of the batch. */
export async function claimDeliveries(
  pool: pg.Pool,
  batch: readonly DeliveryToClaim[],
  options: ClaimOptions,
): Promise<ClaimResult[]> {
  const args = {
    p_channel: options.channel,
    p_providers: batch.map((item) => item.provider?.id ?? null),
    p_kinds: batch.map((item) => item.provider?.kind ?? null),
    p_lease_ms: options.leaseMs,
    p_max_retries: options.maxRetries,
  };
  const results = await callClaim(pool, "claim_for_sending", batch, args, toResult);
  const referring = results.flatMap((result) =>
    result.becomes === "sending" && isReference(result.delivery.variables) ? [result.delivery] : [],
  );
  if (referring.length > 0) await resolveVariables(pool, referring);
  return results;
}

function toResult(row: Row): ClaimResult {
  const { becomes, was, eventId, retries, templateVersionId, recipient, variables, at } = row;
  const { deliveryId: id, number: attempt, tenantId, userId, category, items } = row;
  const [sensitive, traceId] = [row.sensitive === true, withoutTraceParent(row.traceId ?? eventId)];
  switch (becomes) {
    case "busy":
      return { becomes, waitMs: row.waitMs ?? 1 };
    case "gone":
      return { becomes };
    case "sending":
      return {
        becomes,
        delivery: {
          id,
          eventId,
          tenantId,
          attempt,
          retries,
          templateVersionId,
          recipient,
          variables,
          at,
          userId,
          sensitive,
          traceId,
          traceParent: traceParentOf(row.traceId),
          atMostOnce: row.atMostOnce === true,
          digest: items === null ? undefined : { count: row.itemCount ?? 0, items },
          settings: {
            locale: row.defaultLocale ?? undefined,
            timeZone: row.timezone ?? undefined,
            required: row.required ?? undefined,
          },
          category:
            category === null ? undefined : { key: category, required: row.isRequired === true },
          userAttributes: row.options?.user,
          envelope: row.options?.envelope,
        },
      };
    default:
      return { becomes, was, reason: reasonWords(row.reason ?? ""), eventId, traceId, sensitive };
  }
}

/** Returns the content of a digest's message for a sender, and the variables of the newest event in `newest`. */
export async function digestContent(
  db: Database,
  tenantId: string,
  digestId: string,
): Promise<DigestContent & { newest: string | null }> {
  const { rows } = await sql<{
    counted: number;
    items: DigestContent["items"] | null;
    newest: string | null;
  }>`
    select counted, items, newest from digest_content(
      p_digest => ${digestId}, p_tenant => ${tenantId},
      p_most => ${MAX_DIGEST_ITEMS}, p_most_bytes => ${MAX_DIGEST_ITEM_BYTES})`.execute(db);
  const [found] = rows;
  return {
    count: found?.counted ?? 0,
    items: found?.items ?? [],
    newest: found?.newest ?? null,
  };
}

interface Reservation {
  /** The number of calls that may begin, `spacingMs` apart. */
  granted: number;
  /** ms until the first call may begin. If none is granted: until the next request for a reservation. */
  firstInMs: number;
}

/** Reserves times at which calls of a provider account may begin, across all replicas. */
export async function reserveSends(
  pool: pg.Pool,
  providerId: string,
  wanted: number,
  spacingMs: number,
  horizonMs: number,
): Promise<Reservation> {
  const [reserved] = await callFunction<Reservation>(pool, "reserve_sends", {
    p_provider: providerId,
    p_wanted: wanted,
    p_spacing_ms: spacingMs,
    p_horizon_ms: horizonMs,
  });
  return reserved ?? { granted: 0, firstInMs: 0 };
}
