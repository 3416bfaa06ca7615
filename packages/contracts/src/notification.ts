import { type Static, Type } from "@sinclair/typebox";
import { oneOf, success } from "./fields.ts";
import { MAX_PUSH_ACTIONS } from "./identifiers.ts";

/** In-app history (specification, 2.5, 4.4 and 4.5). */
export const HISTORY_PATH = "/api/v1/notifications/:tenantId/:userId";
export const MARK_READ_PATH = "/api/v1/notifications/:tenantId/:userId/:notificationId/read";

export const PushAction = Type.Object(
  {
    label: Type.String({ description: "What the button says, as rendered" }),
    url: Type.String({ description: "Where it leads: https, or a path of your own site" }),
  },
  { title: "PushAction" },
);
export type PushAction = Static<typeof PushAction>;

export const Notification = Type.Object(
  {
    id: Type.String({ description: "The id of the event" }),
    type: Type.String({ description: "The event type that produced it" }),
    title: Type.String({ description: "As rendered" }),
    body: Type.String({ description: "As rendered" }),
    status: oneOf(["UNREAD", "READ"]),
    created_at: Type.String({ description: "When its event was accepted; ISO 8601, UTC" }),
    url: Type.Optional(
      Type.String({
        description:
          "Where it leads: https, or a path of your own site; only where its template sets one",
      }),
    ),
    actions: Type.Optional(
      Type.Array(PushAction, {
        maxItems: MAX_PUSH_ACTIONS,
        description: "Its buttons; only where its template sets some",
      }),
    ),
  },
  { title: "Notification" },
);
export type Notification = Static<typeof Notification>;

/** In the place of its title, for whoever is not its user. */
export const CONCEALED = "The template is sensitive: its content is never shown.";

export const HistoryResponse = Type.Object(
  {
    success,
    data: Type.Array(Notification, { description: "In the order of acceptance, newest first" }),
  },
  { title: "HistoryResponse" },
);
export type HistoryResponse = Static<typeof HistoryResponse>;

export const MarkReadResponse = Type.Object({ success }, { title: "MarkReadResponse" });
