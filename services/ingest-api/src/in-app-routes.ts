import { IN_APP } from "@belfry/contracts/channels";
import { documented, id, integerText, oneOf, text } from "@belfry/contracts/fields";
import {
  HISTORY_DEFAULT_LIMIT,
  HISTORY_MAX_LIMIT,
  HISTORY_MAX_OFFSET,
  PERSONAL_CHANNEL,
  realtimeChannel,
  SYSTEM_CHANNEL,
  TENANT_ID,
  UUID,
} from "@belfry/contracts/identifiers";
import {
  ARCHIVE_ALL_PATH,
  ArchiveAllResponse,
  ChangeNotificationRequest,
  HISTORY_PATH,
  HistoryResponse,
  INBOX_TABS_PATH,
  INBOX_VIEWS,
  InboxTabsResponse,
  MARK_ALL_READ_PATH,
  MARK_READ_PATH,
  MarkAllReadResponse,
  MarkReadResponse,
  NOTIFICATION_PATH,
  UNREAD_COUNT_PATH,
  UnreadCountResponse,
} from "@belfry/contracts/notification";
import { categoryKey } from "@belfry/contracts/preferences";
import { Problem } from "@belfry/contracts/problems";
import {
  REALTIME_TOKEN_PATH,
  RealtimeTokenRequest,
  RealtimeTokenResponse,
} from "@belfry/contracts/realtime-token";
import type { Database } from "@belfry/database/connection";
import {
  archiveAllNotifications,
  changeNotification,
  changeOf,
  countUnread,
  inboxTabs,
  kindOfChange,
  kindOfMark,
  listNotifications,
  markAllNotificationsRead,
  type NotificationChange,
  type Owner,
} from "@belfry/database/notifications";
import type { Authentication } from "@belfry/http-api/authenticate";
import { ANY_QUERY, readBody } from "@belfry/http-api/read-request";
import {
  answers,
  EXAMPLE_ID,
  KEYED,
  lookOf,
  WITH_BODY,
  WITHOUT_BODY,
} from "@belfry/http-api/route-schema";
import type { TenantDirectory } from "@belfry/http-api/tenant-directory";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";

const pathOfUser = {
  tenantId: documented({
    pattern: TENANT_ID.source,
    description: "The id of the API key's tenant; any other is answered 403",
    examples: ["acme"],
  }),
  userId: text({
    description: "The user's id in your own system, percent-encoded",
    examples: ["user-1"],
  }),
};

const historySchema = {
  operationId: "listNotifications",
  ...lookOf("Notifications"),
  summary: "Fetch the notification history",
  description: `Returns one user's inbox: the in-app notifications (${IN_APP}) in the order in which their events were accepted, newest first. A snoozed one is ordered by the time at which it returns.`,
  params: Type.Object(pathOfUser),
  querystring: Type.Object({
    limit: Type.Optional(
      integerText(
        { minimum: 1, maximum: HISTORY_MAX_LIMIT, default: HISTORY_DEFAULT_LIMIT },
        { description: "Maximum number of items", examples: [20] },
      ),
    ),
    offset: Type.Optional(
      integerText(
        { minimum: 0, maximum: HISTORY_MAX_OFFSET, default: 0 },
        { description: "Number of newer items to leave out", examples: [0] },
      ),
    ),
    view: Type.Optional(
      oneOf(INBOX_VIEWS, {
        description:
          "Default: inbox, which has all items that are neither archived nor snoozed. Deleted items are in no view",
        examples: ["inbox"],
      }),
    ),
    category: Type.Optional(categoryKey()),
  }),
  response: answers(
    {
      description: "A page of the history",
      schema: HistoryResponse,
      example: {
        success: true,
        data: [
          {
            id: EXAMPLE_ID,
            type: "order.confirmed",
            title: "Order A-1001",
            body: "Thank you, Ann",
            status: "UNREAD",
            created_at: "2026-11-20T09:30:00.000Z",
            url: "/orders/A-1001",
            actions: [{ label: "Track it", url: "https://tracking.example.com/A-1001" }],
          },
        ],
      },
    },
    {
      ...KEYED,
      forbidden: {},
      validation: { message: ["limit must be an integer from 1 to 1000"] },
    },
  ),
};

const pathOfItem = {
  ...pathOfUser,
  notificationId: id({ description: "The id of an item of the history", examples: [EXAMPLE_ID] }),
};
const LONG_ID = { validation: { message: ["userId must be at most 255 characters"] } };

const unreadCountSchema = {
  operationId: "countUnread",
  ...lookOf("Notifications"),
  summary: "Count the unread notifications",
  description: "Counts one user's inbox. Archived and snoozed items do not count.",
  params: Type.Object(pathOfUser),
  response: answers(
    {
      description: "The count",
      schema: UnreadCountResponse,
      example: { success: true, data: { unread: 3 } },
    },
    { ...KEYED, forbidden: {}, ...LONG_ID },
  ),
};

const tabsSchema = {
  operationId: "listInboxTabs",
  ...lookOf("Notifications"),
  summary: "List the tabs of an inbox",
  description:
    "Returns the categories of the items in one user's inbox, each with its unread count, and whether any item is archived or snoozed. An item whose event type has no category is in none of them.",
  params: Type.Object(pathOfUser),
  response: answers(
    {
      description: "The tabs",
      schema: InboxTabsResponse,
      example: {
        success: true,
        data: {
          categories: [{ key: "orders", label: { "": "Orders", de: "Bestellungen" }, unread: 2 }],
          archived: true,
          snoozed: false,
        },
      },
    },
    { ...KEYED, forbidden: {}, ...LONG_ID },
  ),
};

const ONE_CATEGORY = { category: Type.Optional(categoryKey()) };

const archiveAllSchema = {
  operationId: "archiveAllNotifications",
  ...lookOf("Notifications"),
  summary: "Archive the whole inbox",
  description: "Takes no body. Unread items become read; snoozed items stay snoozed.",
  params: Type.Object(pathOfUser),
  querystring: Type.Object(ONE_CATEGORY),
  response: answers(
    {
      description: "The inbox, or what it has of the category, is empty",
      schema: ArchiveAllResponse,
      example: { success: true, data: { archived: 12 } },
    },
    { ...KEYED, ...WITHOUT_BODY, forbidden: {}, ...LONG_ID },
  ),
};

const markAllReadSchema = {
  operationId: "markAllNotificationsRead",
  ...lookOf("Notifications"),
  summary: "Mark the whole inbox as read",
  description: "Takes no body. Snoozed items stay unread.",
  params: Type.Object(pathOfUser),
  querystring: Type.Object(ONE_CATEGORY),
  response: answers(
    {
      description: "Nothing in it, or of the category, is unread",
      schema: MarkAllReadResponse,
      example: { success: true, data: { marked: 3 } },
    },
    { ...KEYED, ...WITHOUT_BODY, forbidden: {}, ...LONG_ID },
  ),
};

const changeSchema = {
  operationId: "changeNotification",
  ...lookOf("Notifications"),
  summary: "Archive, snooze or mark a notification",
  description:
    "Sets whether an item is read, archived or snoozed. A change that is already made is answered 200, too.",
  params: Type.Object(pathOfItem),
  body: ChangeNotificationRequest,
  "x-examples": {
    unread: { value: { read: false } },
    archive: { value: { archived: true } },
    snooze: { value: { snoozedUntil: "2026-11-21T09:00:00+01:00" } },
  },
  response: answers(
    {
      description: "The notification has this state",
      schema: MarkReadResponse,
      example: { success: true },
    },
    {
      ...KEYED,
      ...WITH_BODY,
      forbidden: {},
      notFound: {},
      validation: { message: ["body must have exactly one of read, archived, snoozedUntil"] },
    },
  ),
};

const deleteSchema = {
  operationId: "deleteNotification",
  ...lookOf("Notifications"),
  summary: "Delete a notification",
  description:
    "Takes no body. The item's texts and links are erased, and it is in no list any more; the event's timeline shows this. It counts as read.",
  params: Type.Object(pathOfItem),
  response: answers(
    {
      description: "The notification was deleted",
      schema: MarkReadResponse,
      example: { success: true },
    },
    { ...KEYED, ...WITHOUT_BODY, forbidden: {}, notFound: {}, ...LONG_ID },
  ),
};

const markReadSchema = {
  operationId: "markNotificationRead",
  ...lookOf("Notifications"),
  summary: "Mark a notification as read",
  description:
    "Takes no body. Marking an item that is already read changes nothing and is answered 200.",
  params: Type.Object(pathOfItem),
  querystring: ANY_QUERY,
  response: answers(
    {
      description: "The notification is READ",
      schema: MarkReadResponse,
      example: { success: true },
    },
    {
      ...KEYED,
      ...WITHOUT_BODY,
      forbidden: {},
      notFound: {},
      ...LONG_ID,
    },
  ),
};

const tokenSchema = {
  operationId: "createRealtimeToken",
  ...lookOf("Realtime"),
  summary: "Request a realtime token",
  description:
    "A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to.",
  querystring: ANY_QUERY,
  body: RealtimeTokenRequest,
  "x-examples": { user: { value: { userId: "user-1" } } },
  response: answers(
    {
      description: "The token",
      schema: RealtimeTokenResponse,
      example: {
        token: "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJl",
        channels: ["global_system#user-1", "personal#user-1", "orders#user-1"],
      },
    },
    { ...KEYED, ...WITH_BODY, validation: { message: ["userId must be a string"] } },
  ),
};

/** Registers the routes of the inbox: list, count, mark as read, archive, snooze and delete. */
export function notificationRoutes(
  app: FastifyInstance,
  deps: {
    authentication: Authentication;
    db: Database;
    /** Notifies the user's open pages of a change; best effort. */
    announceInbox(owner: Owner, kind: "marked" | "changed", notificationId: string): Promise<void>;
  },
): void {
  const hooks = { onRequest: deps.authentication.other, preValidation: requireOwnTenant };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(
    HISTORY_PATH,
    { schema: historySchema, ...hooks },
    async (request): Promise<HistoryResponse> => {
      const { limit = HISTORY_DEFAULT_LIMIT, offset = 0, view, category } = request.query;
      const data = await listNotifications(deps.db, {
        ...ownerOf(request),
        limit: Number(limit),
        offset: Number(offset),
        view,
        category,
      });
      return { success: true, data };
    },
  );

  routes.get(UNREAD_COUNT_PATH, { schema: unreadCountSchema, ...hooks }, async (request) => ({
    success: true,
    data: { unread: await countUnread(deps.db, ownerOf(request)) },
  }));

  routes.get(INBOX_TABS_PATH, { schema: tabsSchema, ...hooks }, async (request) => ({
    success: true,
    data: await inboxTabs(deps.db, ownerOf(request)),
  }));

  routes.put(MARK_ALL_READ_PATH, { schema: markAllReadSchema, ...hooks }, async (request) => {
    const owner = ownerOf(request);
    const { category } = request.query;
    const marked = await markAllNotificationsRead(deps.db, { ...owner, category });
    if (marked > 0) await deps.announceInbox(owner, kindOfMark(category), "all");
    return { success: true, data: { marked } };
  });

  routes.put(ARCHIVE_ALL_PATH, { schema: archiveAllSchema, ...hooks }, async (request) => {
    const owner = ownerOf(request);
    const { category } = request.query;
    const archived = await archiveAllNotifications(deps.db, { ...owner, category });
    if (archived > 0) await deps.announceInbox(owner, "changed", "all");
    return { success: true, data: { archived } };
  });

  const changed = async (request: ItemRequest, change: NotificationChange) => {
    const owner = ownerOf(request);
    const notificationId = request.params.notificationId.toLowerCase();
    if (!UUID.test(notificationId)) throw new Problem("notFound");
    const status = await changeNotification(deps.db, { ...owner, notificationId }, change);
    if (status === "unknown") throw new Problem("notFound");
    if (status === "changed") {
      await deps.announceInbox(owner, kindOfChange(change), notificationId);
    }
    return { success: true };
  };
  routes.put(MARK_READ_PATH, { schema: markReadSchema, ...hooks }, (request) =>
    changed(request, { read: true }),
  );
  routes.delete(NOTIFICATION_PATH, { schema: deleteSchema, ...hooks }, (request) =>
    changed(request, { deleted: true }),
  );
  routes.patch(
    NOTIFICATION_PATH,
    { schema: changeSchema, ...hooks, preValidation: [requireOwnTenant, readBody] },
    (request) => changed(request, changeOf(request.body)),
  );
}

/**
 * Registers `POST /api/v1/auth/realtime-token`, which returns a connection token for one user and the channels to
 * subscribe to.
 */
export function realtimeTokenRoute(
  app: FastifyInstance,
  deps: {
    authentication: Authentication;
    directory: TenantDirectory;
    sign(claims: { sub: string; tenant: string }): Promise<string>;
  },
): void {
  const hooks = { onRequest: deps.authentication.other, preValidation: readBody };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.post(
    REALTIME_TOKEN_PATH,
    { schema: tokenSchema, ...hooks },
    async (request): Promise<RealtimeTokenResponse> => {
      const { tenant } = request;
      const { userId } = request.body;
      const names = new Set([
        SYSTEM_CHANNEL,
        PERSONAL_CHANNEL,
        ...(await deps.directory.targetChannels(tenant.id)),
      ]);
      return {
        token: await deps.sign({ sub: userId, tenant: tenant.id }),
        channels: [...names].map((name) => realtimeChannel(name, userId)),
      };
    },
  );
}

interface ItemRequest extends Pick<FastifyRequest, "tenant"> {
  params: { userId: string; notificationId: string };
}

function ownerOf({
  tenant,
  params,
}: Pick<ItemRequest, "tenant"> & { params: { userId: string } }): Owner {
  return { tenantId: tenant.id, userId: params.userId };
}

function requireOwnTenant(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { tenantId } = request.params as { tenantId: string };
  if (tenantId !== request.tenant.id) throw new Problem("forbidden");
  done();
}
