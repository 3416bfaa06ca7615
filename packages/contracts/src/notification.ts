import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "./fields.ts";

/** In-app history (specification, 2.5, 4.4 and 4.5). */
export const HISTORY_PATH = "/api/v1/notifications/:tenantId/:userId";
export const MARK_READ_PATH = "/api/v1/notifications/:tenantId/:userId/:notificationId/read";

export const Notification = Type.Object(
  {
    id: Type.String({ description: "The id of the event" }),
    type: Type.String({ description: "The event type that produced it" }),
    title: Type.String({ description: "As rendered" }),
    body: Type.String({ description: "As rendered" }),
    status: oneOf(["UNREAD", "READ"]),
    created_at: Type.String({ description: "When its event was accepted; ISO 8601, UTC" }),
  },
  { title: "Notification" },
);
export type Notification = Static<typeof Notification>;

export const HistoryResponse = Type.Object(
  {
    success: Type.Boolean({ description: "Always true" }),
    data: Type.Array(Notification, { description: "In the order of acceptance, newest first" }),
  },
  { title: "HistoryResponse" },
);
export type HistoryResponse = Static<typeof HistoryResponse>;

export const MarkReadResponse = Type.Object(
  { success: Type.Boolean({ description: "Always true" }) },
  { title: "MarkReadResponse" },
);
