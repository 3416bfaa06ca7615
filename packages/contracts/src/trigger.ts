import { type Static, Type } from "@sinclair/typebox";
import type { AddressField } from "./addresses.ts";
import { CHANNELS, channelsTo, listed } from "./channels.ts";
import { type Envelope, TriggerEmail } from "./envelope.ts";
import {
  emailOrNone,
  FAULT,
  locale,
  oneOf,
  open,
  phoneOrNone,
  success,
  text,
  textOrNone,
} from "./fields.ts";
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
        description: "Selects your templates with the same event type",
        examples: ["order.confirmed"],
      }),
      eventId: Type.Optional(
        text({
          description: "Your own reference. Belfry stores and shows it; it need not be unique",
        }),
      ),
      channels: Type.Optional(
        Type.Array(oneOf(CHANNELS), {
          maxItems: MAX_CHANNELS,
          description: "Restricts this event to these channels; an empty array means all",
        }),
      ),
      payload: open(
        Type.Object(
          {
            userId: text({ description: "Recipient's id in the tenant's own system" }),
            recipientEmail: Type.Optional(
              emailOrNone({
                description: `One address, which may have non-ASCII letters; needed for ${neededFor("recipientEmail")}. Empty or null means none`,
                examples: ["ann@example.com"],
              }),
            ),
            recipientPhone: Type.Optional(
              phoneOrNone({
                description: `In E.164 form; needed for ${neededFor("recipientPhone")}. Empty or null means none`,
                examples: ["+12025550123"],
              }),
            ),
            recipientChat: Type.Optional(
              textOrNone({
                description: `A provider's kind, a colon and a target, such as \`slack:C024BE91L\`; needed for ${neededFor("recipientChat")}. Empty or null means none`,
                examples: ["slack:C024BE91L"],
              }),
            ),
          },
          { description: "The recipient; other fields are ignored" },
        ),
      ),
      locale: Type.Optional(
        locale({
          description:
            "The recipient's language in BCP 47: language[-Script][-REGION]. Belfry uses templates in this language, else in a wider one (de-AT, de), else the default ones. Not part of the automatic deduplication key",
          examples: ["de-AT"],
        }),
      ),
      sendAt: Type.Optional(
        sendAt({
          description:
            "Time at which Belfry dispatches the event, with the templates and preferences of that time. A past time means now. At most 8 days less than the shorter of the tenant's retentions ahead (1 day less if that is at most 9 days). Part of the automatic deduplication key, exactly as written",
        }),
      ),
      delaySeconds: Type.Optional(
        delaySeconds({
          description:
            "The same as a number of seconds after the acceptance, instead of `sendAt`. Part of the automatic deduplication key",
        }),
      ),
      cancelKey: Type.Optional(
        text({
          description:
            "A key for cancelling: one call cancels all events with this key. It need not be unique. Part of the automatic deduplication key",
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
  recipientChat?: string;
  /** W3C `traceparent` of the span that accepts the event, from the headers. Absent if the trace is not sampled. */
  traceParent?: string;
}

export const WARNINGS = Type.Array(Type.String(), {
  description:
    "Likely mistakes in the request: an ignored field whose name is similar to a missing one, or an event type without a template. Absent if there are none",
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

export function isDeeperThan(value: object, levels: number): boolean {
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
