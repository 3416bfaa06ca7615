import { cancelEvents } from "@belfry/administration/events/cancel-events";
import { showEvent } from "@belfry/administration/events/event-report";
import { listScheduled, moveEvent } from "@belfry/administration/events/scheduled-events";
import { CANCEL_PATH, CancelResponse } from "@belfry/contracts/cancel";
import { EventReport } from "@belfry/contracts/event-report";
import { id, integerText } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { Problem } from "@belfry/contracts/problems";
import {
  MoveRequest,
  MoveResponse,
  SCHEDULED_DEFAULT_LIMIT,
  SCHEDULED_MAX_LIMIT,
  SCHEDULED_PATH,
  ScheduledResponse,
} from "@belfry/contracts/scheduled";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { TRIGGER_BATCH_PATH } from "@belfry/contracts/trigger-batch";
import { EXAMPLE_ID } from "@belfry/http-api/route-schema";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const EVENT = {
  params: Type.Object({
    eventId: id({
      description: "Belfry's id of the event: the header X-Event-Id of the trigger's answer",
      examples: [EXAMPLE_ID],
    }),
  }),
  reserved: {
    [TRIGGER_PATH]: "POST",
    [TRIGGER_BATCH_PATH]: "POST",
    [CANCEL_PATH]: "POST",
    [SCHEDULED_PATH]: "GET, HEAD",
  },
};

/** Registers the routes that show, list, reschedule and cancel events. They need only Postgres, not NATS. */
export function eventRoutes(add: AddActRoute): void {
  add(showEvent, {
    operationId: "showEvent",
    summary: "Show an event",
    description:
      "Shows an event and its result on each channel, but neither its variables nor the rendered texts.",
    ...EVENT,
    answer: { description: "The event as far as it got", schema: EventReport },
    problems: { notFound: {} },
    checkInput({ eventId }) {
      if (!UUID.test(eventId)) throw new Problem("notFound");
    },
    answerOf({ othersWithThisEventId: _, waits: __, ...report }, { eventId }) {
      // The act also finds events by the tenant's own reference, which may look like an id. This route does not.
      if (report.id !== eventId.toLowerCase()) throw new Problem("notFound");
      return report;
    },
    logFieldsOf: ({ id: eventId }) => ({ eventId }),
  });

  add(listScheduled, {
    operationId: "listScheduledEvents",
    querystring: Type.Object({
      limit: Type.Optional(
        integerText(
          { minimum: 1, maximum: SCHEDULED_MAX_LIMIT, default: SCHEDULED_DEFAULT_LIMIT },
          { description: "Maximum number of events", examples: [50] },
        ),
      ),
      after: listScheduled.input.properties.after,
    }),
    answer: { description: "A page of events", schema: ScheduledResponse },
    problems: { validation: { message: ["limit must be an integer from 1 to 1000"] } },
    answerOf: ({ events, ...next }) => ({ success: true, data: events, ...next }),
  });

  add(moveEvent, {
    operationId: "moveEvent",
    ...EVENT,
    body: MoveRequest,
    answer: { description: "The event was moved", schema: MoveResponse },
    problems: {
      notFound: {},
      conflict: { message: "the event is not scheduled any more" },
      validation: {
        message: [
          "sendAt must be at most 22 days after the event was accepted: events are kept for 30 days",
        ],
      },
    },
    answerOf: ({ sendAt }) => ({ success: true, sendAt }),
    logFieldsOf: (_, { eventId }) => ({ eventId }),
  });

  add(cancelEvents, {
    operationId: "cancelEvents",
    description:
      "Stops deliveries that have reached nobody, and returns for each event what was stopped. Nothing that the answer names as cancelled or stopped is sent later. An event in a digest is removed from the digest. An event with an attempt in progress is pending: if that attempt fails, there is no other; repeat the call to learn the result. If an attempt got no answer, the provider may have the message, so it counts as sent and is not retried. If an event had no X-Idempotency-Key, the same trigger afterwards is a new event. Cancelled events still count towards the daily cap. For all other events a repeated call returns the same result.",
    body: cancelEvents.input,
    examples: {
      key: { value: { cancelKeys: ["order-1001"] } },
      event: { value: { eventIds: [EXAMPLE_ID] } },
    },
    answer: { description: "The outcome of each event", schema: CancelResponse },
    problems: { validation: { message: ["body must have either cancelKeys or eventIds"] } },
    answerOf: (done) => ({ success: true, ...done }),
    logFieldsOf: ({ cancelled, partly, pending, tooLate }) => ({
      cancelled: cancelled.length,
      partly: partly.length,
      pending: pending.length,
      tooLate: tooLate.length,
    }),
  });
}
