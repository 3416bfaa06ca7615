import { type Static, Type } from "@sinclair/typebox";
import type { AddressField } from "./addresses.ts";
import { CHANNELS, channelsTo, listed } from "./channels.ts";
import { type Envelope, TriggerEmail } from "./envelope.ts";
import { emailOrNone, FAULT, locale, oneOf, open, phoneOrNone, success, text } from "./fields.ts";
import { MAX_NESTING } from "./identifiers.ts";
import { delaySeconds, sendAt } from "./scheduled.ts";

/** `POST /api/v1/events/trigger` (specification, 2.1, 2.2 and 4.1). */
export const TRIGGER_PATH = "/api/v1/events/trigger";

/** The maximum of items in `channels`: no trigger needs a long list. */
export const MAX_CHANNELS = 16;

const neededFor = (address: AddressField) => listed(channelsTo(address), "and");

export const TriggerRequest = open(
  Type.Object(
    {
      eventType: text({
        description: "Matched against the event type of a configured template",
        examples: ["order.confirmed"],
      }),
      eventId: Type.Optional(
        text({ description: "The tenant's own reference: stored, shown, not unique" }),
      ),
      channels: Type.Optional(
        Type.Array(oneOf(CHANNELS), {
          maxItems: MAX_CHANNELS,
          description: "Restricts this dispatch only; an empty array is the same as none",
        }),
      ),
      payload: open(
        Type.Object(
          {
            userId: text({ description: "Recipient's id in the tenant's own system" }),
            recipientEmail: Type.Optional(
              emailOrNone({
                description: `One address, also with letters beyond ASCII, needed for ${neededFor("recipientEmail")}; empty or null: none`,
                examples: ["ann@example.com"],
              }),
            ),
            recipientPhone: Type.Optional(
              phoneOrNone({
                description: `E.164, needed for ${neededFor("recipientPhone")}; empty or null: none`,
                examples: ["+12025550123"],
              }),
            ),
          },
          { description: "Routing identity; other fields are ignored" },
        ),
      ),
      locale: Type.Optional(
        locale({
          description:
            "The recipient's language, as language[-Script][-REGION] of BCP 47: the templates in it are taken, else those in a wider one (de-AT, de), else the default ones. Not part of the automatic deduplication key",
          examples: ["de-AT"],
        }),
      ),
      sendAt: Type.Optional(
        sendAt({
          description:
            "When it is to be dispatched, with the templates and preferences of then; a time that is past means now. At most 8 days less than the shorter of the tenant's retentions ahead (1 day less where that is 9 days or less). Part of the automatic deduplication key as it is written",
        }),
      ),
      delaySeconds: Type.Optional(
        delaySeconds({
          description:
            "The same in seconds from the acceptance, in place of `sendAt`; part of the automatic deduplication key",
        }),
      ),
      cancelKey: Type.Optional(
        text({
          description:
            "By which it can be cancelled, with all others that have it: not unique. Part of the automatic deduplication key",
          examples: ["order-1001-reminders"],
        }),
      ),
      email: Type.Optional(TriggerEmail),
      variables: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description: "Values for the templates, by name; the body may be nested 64 levels deep",
          },
        ),
      ),
    },
    {
      title: "TriggerRequest",
      description: "Unknown fields are ignored and never stored",
      not: { required: ["sendAt", "delaySeconds"], properties: { sendAt: {}, delaySeconds: {} } },
      [FAULT](body: { sendAt?: unknown; delaySeconds?: unknown }) {
        if (isDeeperThan(body, MAX_NESTING)) {
          return `must not be nested deeper than ${MAX_NESTING} levels`;
        }
        if (body.sendAt === undefined || body.delaySeconds === undefined) return undefined;
        return "must not have both sendAt and delaySeconds";
      },
    },
  ),
);
export type TriggerRequest = Static<typeof TriggerRequest>;

/** Values that few triggers have, in the form that the database function `accept_events` reads. */
export interface EventOptions {
  /** The mask from `channelMask`. */
  channels?: number | null;
  /** In canonical form. */
  locale?: string | null;
  /** In ISO 8601, UTC. At most one of `sendAt` and `delaySeconds` is set. */
  sendAt?: string;
  delaySeconds?: number;
  cancelKey?: string;
  envelope?: Envelope;
  /** W3C `traceparent` of the span that accepts the event, from the headers. Absent if the trace is not sampled. */
  traceParent?: string;
}

export const WARNINGS = Type.Array(Type.String(), {
  description:
    "What the trigger probably did not mean: a field that is ignored and whose name is close to one that it lacks, an event type without a template. Absent: nothing",
});

export const TriggerResponse = Type.Object(
  {
    success,
    message: Type.String({
      description: "Event <eventType> dispatched securely for <tenant_name>",
    }),
    warnings: Type.Optional(WARNINGS),
  },
  { title: "TriggerResponse" },
);
export type TriggerResponse = Static<typeof TriggerResponse>;

export function triggerMessage(eventType: string, tenantName: string): string {
  return `Event ${eventType} dispatched securely for ${tenantName}`;
}

export const HEADERS = {
  apiKey: "x-api-key",
  signature: "x-service-signature",
  /** Unix seconds, for a signed management call. */
  timestamp: "x-service-timestamp",
  idempotencyKey: "x-idempotency-key",
  traceId: "x-trace-id",
  traceparent: "traceparent",
  eventId: "x-event-id",
  replayed: "idempotency-replayed",
} as const;

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value))
    return value.some((item) => isObject(item) && isDeeperThan(item, levels - 1));
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name];
    if (isObject(inner) && isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
