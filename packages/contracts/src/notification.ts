import { type Static, Type } from "@sinclair/typebox";
import { FAULT, flag, oneOf, orNull, success } from "./fields.ts";
import { MAX_PUSH_ACTIONS } from "./identifiers.ts";
import { sendAt } from "./scheduled.ts";

/** The in-app history (specification, 2.5, 4.4 and 4.5), which the UI calls the inbox. */
export const HISTORY_PATH = "/api/v1/notifications/:tenantId/:userId";
export const UNREAD_COUNT_PATH = "/api/v1/notifications/:tenantId/:userId/unread-count";
export const MARK_ALL_READ_PATH = "/api/v1/notifications/:tenantId/:userId/read";
export const ARCHIVE_ALL_PATH = "/api/v1/notifications/:tenantId/:userId/archived";
export const INBOX_TABS_PATH = "/api/v1/notifications/:tenantId/:userId/tabs";
export const NOTIFICATION_PATH = "/api/v1/notifications/:tenantId/:userId/:notificationId";
export const MARK_READ_PATH = "/api/v1/notifications/:tenantId/:userId/:notificationId/read";

/** Parts of the history to list. `inbox`: items that are neither archived nor snoozed. Deleted items are in none. */
export const INBOX_VIEWS = ["inbox", "archived", "snoozed", "all"] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

export const PushAction = Type.Object(
  {
    label: Type.String({ description: "The button's label, as rendered" }),
    url: Type.String({ description: "The link's target: https, or a path of your own site" }),
  },
  { title: "PushAction" },
);
export type PushAction = Static<typeof PushAction>;

export const Notification = Type.Object(
  {
    id: Type.String({ description: "The id of the event" }),
    type: Type.String({ description: "The event type that produced it" }),
    title: Type.String({ description: "The rendered title" }),
    body: Type.String({ description: "The rendered body" }),
    status: oneOf(["UNREAD", "READ"]),
    created_at: Type.String({ description: "When its event was accepted; ISO 8601, UTC" }),
    url: Type.Optional(
      Type.String({
        description:
          "The notification's link: https, or a path of your own site; only if its template has one",
      }),
    ),
    actions: Type.Optional(
      Type.Array(PushAction, {
        maxItems: MAX_PUSH_ACTIONS,
        description: "Its buttons; only if its template has some",
      }),
    ),
    archived_at: Type.Optional(
      Type.String({ description: "When it was archived; ISO 8601, UTC; only where it is" }),
    ),
    snoozed_until: Type.Optional(
      Type.String({
        description:
          "The item is not in the inbox until this time; after it, the item is listed by this time; ISO 8601, UTC; only where it was snoozed",
      }),
    ),
  },
  { title: "Notification" },
);
export type Notification = Static<typeof Notification>;

/** The possible changes of a notification. A call makes exactly one of them. */
export const NOTIFICATION_CHANGES = {
  read: Type.Optional(flag({ description: "false also moves the item out of the archive" })),
  archived: Type.Optional(
    flag({
      description:
        "true marks the item as read and ends a snooze; false restores its state from before it was archived",
    }),
  ),
  snoozedUntil: Type.Optional(
    orNull(
      sendAt({
        description:
          "Marks the item as unread and removes it from the inbox until this time; null or a past time returns it at once",
      }),
    ),
  ),
};
const CHANGE_NAMES = Object.keys(NOTIFICATION_CHANGES) as (keyof typeof NOTIFICATION_CHANGES)[];

/** Returns the fault of a body that does not have exactly one change. */
export function changeFault(body: Record<string, unknown>): string | undefined {
  const given = CHANGE_NAMES.filter((name) => body[name] !== undefined);
  return given.length === 1 ? undefined : `must have exactly one of ${CHANGE_NAMES.join(", ")}`;
}

export const ChangeNotificationRequest = Type.Object(NOTIFICATION_CHANGES, {
  title: "ChangeNotificationRequest",
  description: "Exactly one of these",
  oneOf: CHANGE_NAMES.map((name) => ({ required: [name], properties: { [name]: {} } })),
  [FAULT]: changeFault,
});
export type ChangeNotificationRequest = Static<typeof ChangeNotificationRequest>;

/** Shown instead of a title to people other than the notification's user. */
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

export const UnreadCountResponse = Type.Object(
  {
    success,
    data: Type.Object({
      unread: Type.Integer({
        description: "Unread items in the inbox, which are neither archived nor snoozed",
      }),
    }),
  },
  { title: "UnreadCountResponse" },
);

export const MarkAllReadResponse = Type.Object(
  { success, data: Type.Object({ marked: Type.Integer({ description: "How many were unread" }) }) },
  { title: "MarkAllReadResponse" },
);

export const ArchiveAllResponse = Type.Object(
  {
    success,
    data: Type.Object({ archived: Type.Integer({ description: "How many were in the inbox" }) }),
  },
  { title: "ArchiveAllResponse" },
);

export const InboxTabs = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        key: Type.String({ description: "The key of a category" }),
        label: Type.Record(Type.String(), Type.String(), {
          description: "Its name by language; the empty key is the default",
        }),
        unread: Type.Integer({ description: "Number of its unread items in the inbox" }),
      }),
      { description: "Categories with an item in the inbox, in their order" },
    ),
    archived: Type.Boolean({ description: "Whether an item is archived" }),
    snoozed: Type.Boolean({ description: "Whether an item is snoozed" }),
  },
  { title: "InboxTabs" },
);
export type InboxTabs = Static<typeof InboxTabs>;

export const InboxTabsResponse = Type.Object(
  { success, data: InboxTabs },
  { title: "InboxTabsResponse" },
);
