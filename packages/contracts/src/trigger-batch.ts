import { type Static, Type } from "@sinclair/typebox";
import { FAULT, faultOf, field, open, success, text } from "./fields.ts";
import { TriggerRequest, WARNINGS } from "./trigger.ts";

/**
 * `POST /api/v1/events/trigger-batch`: many events in one call. Each gets the checks and the answer of a single call.
 */
export const TRIGGER_BATCH_PATH = "/api/v1/events/trigger-batch";

export const MAX_EVENTS_OF_BATCH = 100;
/** The maximum of bytes of a batch's body. An event in it may be as large as the body of a single call. */
export const MAX_TRIGGER_BATCH_BYTES = 1024 * 1024;

export const BatchEvent = open(
  Type.Object(
    {
      ...TriggerRequest.properties,
      idempotencyKey: Type.Optional(
        text({
          description:
            "A deduplication key instead of the automatic one, like X-Idempotency-Key of a single call",
          examples: ["order-1001-confirmed"],
        }),
      ),
    },
    { not: TriggerRequest.not, [FAULT]: faultOf(TriggerRequest) },
  ),
);
export type BatchEvent = Static<typeof BatchEvent>;

export const TriggerBatchRequest = Type.Object(
  {
    events: field<unknown[]>(
      {
        type: "array",
        items: BatchEvent,
        minItems: 1,
        maxItems: MAX_EVENTS_OF_BATCH,
        description:
          "Events with the fields of a single call; the events of one user are delivered in this order",
      },
      (value) => {
        if (!Array.isArray(value)) return "must be an array";
        if (value.length === 0) return "must have at least 1 item";
        if (value.length <= MAX_EVENTS_OF_BATCH) return undefined;
        return `must have at most ${MAX_EVENTS_OF_BATCH} items`;
      },
    ),
  },
  { title: "TriggerBatchRequest" },
);

export const TriggerBatchResponse = Type.Object(
  {
    success,
    results: Type.Array(
      Type.Object({
        statusCode: Type.Integer({ description: "The status that the single call would have" }),
        eventId: Type.Optional(
          Type.String({ description: "Belfry's id of the event; with 200 only" }),
        ),
        replayed: Type.Optional(
          Type.Boolean({
            description: "Whether the answer is that of an earlier event; only with 200",
          }),
        ),
        success: Type.Optional(Type.Boolean({ description: "true; with 200 only" })),
        error: Type.Optional(Type.String({ description: "Name of the status; absent with 200" })),
        message: Type.Union([Type.String(), Type.Array(Type.String())], {
          description: "The message that the single call would have; for 422 one string per fault",
        }),
        retryAfter: Type.Optional(Type.Integer({ description: "Seconds to wait; only with 429" })),
        warnings: Type.Optional(WARNINGS),
      }),
      { description: "In the order of the request" },
    ),
  },
  { title: "TriggerBatchResponse" },
);
export type BatchResult = Static<typeof TriggerBatchResponse>["results"][number];
