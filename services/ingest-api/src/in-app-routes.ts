import { IN_APP } from "@belfry/contracts/channels";
import { documented, id, integerText, text } from "@belfry/contracts/fields";
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
  HISTORY_PATH,
  HistoryResponse,
  MARK_READ_PATH,
  MarkReadResponse,
} from "@belfry/contracts/notification";
import { Problem } from "@belfry/contracts/problems";
import {
  REALTIME_TOKEN_PATH,
  RealtimeTokenRequest,
  RealtimeTokenResponse,
} from "@belfry/contracts/realtime-token";
import type { Database } from "@belfry/database/connection";
import { listNotifications, markNotificationRead } from "@belfry/database/notifications";
import type { Authentication } from "@belfry/http-api/authenticate";
import { readBody } from "@belfry/http-api/read-request";
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
    description: "The id of the tenant of the API key; another one is 403",
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
  description: `The in-app notifications (${IN_APP}) of one user, in the order in which their events were accepted, newest first.`,
  params: Type.Object(pathOfUser),
  querystring: Type.Object({
    limit: Type.Optional(
      integerText(
        { minimum: 1, maximum: HISTORY_MAX_LIMIT, default: HISTORY_DEFAULT_LIMIT },
        { description: "Most items to return", examples: [20] },
      ),
    ),
    offset: Type.Optional(
      integerText(
        { minimum: 0, maximum: HISTORY_MAX_OFFSET, default: 0 },
        { description: "Newer items to leave out", examples: [0] },
      ),
    ),
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

const markReadSchema = {
  operationId: "markNotificationRead",
  ...lookOf("Notifications"),
  summary: "Mark a notification as read",
  description: "Without a body. Marking what is read already changes nothing and is 200.",
  params: Type.Object({
    ...pathOfUser,
    notificationId: id({ description: "The id of an item of the history", examples: [EXAMPLE_ID] }),
  }),
  response: answers(
    { description: "It is READ", schema: MarkReadResponse, example: { success: true } },
    {
      ...KEYED,
      ...WITHOUT_BODY,
      forbidden: {},
      notFound: {},
      validation: { message: ["userId must be at most 255 characters"] },
    },
  ),
};

const tokenSchema = {
  operationId: "createRealtimeToken",
  ...lookOf("Realtime"),
  summary: "Request a realtime token",
  description:
    "A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to.",
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

/** The in-app history over HTTP: list, and mark as read. */
export function notificationRoutes(
  app: FastifyInstance,
  deps: {
    authentication: Authentication;
    db: Database;
    /** Tells the user's open pages; best effort. */
    announceMarked(tenantId: string, userId: string, notificationId: string): Promise<void>;
  },
): void {
  const hooks = { onRequest: deps.authentication.other, preValidation: requireOwnTenant };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(
    HISTORY_PATH,
    { schema: historySchema, ...hooks },
    async (request): Promise<HistoryResponse> => {
      const { limit = HISTORY_DEFAULT_LIMIT, offset = 0 } = request.query;
      const data = await listNotifications(deps.db, {
        tenantId: request.tenant.id,
        userId: request.params.userId,
        limit: Number(limit),
        offset: Number(offset),
      });
      return { success: true, data };
    },
  );

  routes.put(MARK_READ_PATH, { schema: markReadSchema, ...hooks }, async (request) => {
    const tenantId = request.tenant.id;
    const { userId, notificationId } = request.params;
    if (!UUID.test(notificationId)) throw new Problem("notFound");
    const marked = await markNotificationRead(deps.db, { tenantId, userId, notificationId });
    if (marked === "unknown") throw new Problem("notFound");
    if (marked === "marked") await deps.announceMarked(tenantId, userId, notificationId);
    return { success: true };
  });
}

/** `POST /api/v1/auth/realtime-token`: a connection token for one user, and the channels to subscribe to. */
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

function requireOwnTenant(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { tenantId } = request.params as { tenantId: string };
  if (tenantId !== request.tenant.id) throw new Problem("forbidden");
  done();
}
