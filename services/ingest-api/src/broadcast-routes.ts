import {
  cancelBroadcast,
  listBroadcasts,
  pauseBroadcast,
  resumeBroadcast,
  showBroadcast,
} from "@belfry/administration/broadcasts/broadcasts";
import { createBroadcast } from "@belfry/administration/broadcasts/create-broadcast";
import {
  BroadcastRequest,
  BroadcastResponse,
  BroadcastsResponse,
} from "@belfry/contracts/broadcasts";
import { id, integerText } from "@belfry/contracts/fields";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const ENDED = { notFound: {}, conflict: { message: "the broadcast is done" } };
const RUNNING = { description: "The broadcast as it is now", schema: BroadcastResponse };

/** Registers the routes of broadcasts. They need only Postgres; the dispatcher expands and sends the broadcasts. */
export function broadcastRoutes(add: AddActRoute): void {
  add(createBroadcast, {
    operationId: "createBroadcast",
    body: BroadcastRequest,
    keepsNumbers: true,
    answer: {
      status: 202,
      description: "The broadcast is stored, and will be sent",
      headers: ["Idempotency-Replayed"],
      schema: BroadcastResponse,
    },
    problems: {
      conflict: { message: "100 broadcasts have not ended yet" },
      validation: { message: ["topics[0] is not the key of a topic"] },
    },
    isReplay: ({ isNew }) => !isNew,
    logFieldsOf: ({ id: broadcastId }) => ({ broadcastId }),
  });

  add(listBroadcasts, {
    operationId: "listBroadcasts",
    querystring: Type.Object({
      limit: Type.Optional(
        integerText(
          { minimum: 1, maximum: 200, default: 50 },
          { description: "Maximum number of broadcasts", examples: [50] },
        ),
      ),
      after: Type.Optional(id({ description: "`next` of the page before" })),
    }),
    answer: { description: "A page of them, the newest first", schema: BroadcastsResponse },
    problems: { validation: { message: ["limit must be an integer from 1 to 200"] } },
    answerOf: ({ items, ...next }) => ({ success: true, data: items, ...next }),
  });

  add(showBroadcast, {
    operationId: "showBroadcast",
    answer: { description: "How far it is", schema: BroadcastResponse },
    problems: { notFound: {} },
  });

  for (const [act, operationId] of [
    [pauseBroadcast, "pauseBroadcast"],
    [resumeBroadcast, "resumeBroadcast"],
    [cancelBroadcast, "cancelBroadcast"],
  ] as const) {
    add(act, { operationId, answer: RUNNING, problems: ENDED });
  }
}
