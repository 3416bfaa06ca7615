import { MAX_ATTACHMENT_BYTES } from "@belfry/contracts/attachments";
import { MAX_BROADCAST_USERS } from "@belfry/contracts/broadcasts";
import { MAX_CANCEL_NAMES } from "@belfry/contracts/cancel";
import { MAX_PREFERENCES } from "@belfry/contracts/preferences";
import { MAX_MEMBERS_OF_CHANGE } from "@belfry/contracts/topics";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { MAX_EVENTS_OF_BATCH } from "@belfry/contracts/trigger-batch";
import { MAX_USERS_OF_BATCH } from "@belfry/contracts/users";
import { document } from "../openapi/document.ts";

export const USER = "user-1";

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`.padEnd(200, "x"));
const LONG_AGO = new Date(Date.now() - 20 * 86_400_000).toISOString();

const EVENTS_OF_BATCH = Array.from({ length: MAX_EVENTS_OF_BATCH }, (_, n) => ({
  eventType: "nothing.listens",
  payload: { userId: `user-${n}` },
  variables: { text: "x".repeat(9_000) },
}));

/** The dearest input that each call but the trigger allows: a query, a body. A new call needs a row. */
export const DEAREST: Readonly<
  Record<string, { query?: string; body?: unknown; headers?: Record<string, string> }>
> = {
  "POST /api/v1/events/trigger-batch": { body: { events: EVENTS_OF_BATCH } },
  "POST /api/v1/attachments": {
    body: "x".repeat(MAX_ATTACHMENT_BYTES / 16),
    headers: { "content-type": "application/pdf", "x-file-name": "a.pdf" },
  },
  "POST /api/v1/events/cancel": {
    body: {
      cancelKeys: names(MAX_CANCEL_NAMES, "key"),
      userIds: names(MAX_CANCEL_NAMES, "user"),
    },
  },
  "PATCH /api/v1/events/{eventId}": { body: { sendAt: "2099-01-01T00:00:00Z" } },
  "GET /api/v1/events/{eventId}": {},
  "POST /api/v1/broadcasts": {
    body: {
      userIds: names(MAX_BROADCAST_USERS, "for"),
      exceptUserIds: names(MAX_BROADCAST_USERS, "not"),
      eventType: "product.news",
      variables: { text: "x".repeat(60_000) },
    },
  },
  "GET /api/v1/broadcasts": { query: "limit=200" },
  "GET /api/v1/broadcasts/{broadcastId}": {},
  "POST /api/v1/broadcasts/{broadcastId}/pause": {},
  "POST /api/v1/broadcasts/{broadcastId}/resume": {},
  "POST /api/v1/broadcasts/{broadcastId}/cancel": {},
  "GET /api/v1/events/scheduled": { query: "limit=1000" },
  "POST /api/v1/auth/realtime-token": { body: { userId: USER } },
  "GET /api/v1/notifications/{tenantId}/{userId}": { query: "limit=1000&offset=1000000" },
  "PUT /api/v1/notifications/{tenantId}/{userId}/{notificationId}/read": {},
  "PUT /api/v1/notifications/{tenantId}/{userId}/read": {},
  "PUT /api/v1/notifications/{tenantId}/{userId}/archived": {},
  "GET /api/v1/notifications/{tenantId}/{userId}/tabs": {},
  "GET /api/v1/notifications/{tenantId}/{userId}/unread-count": {},
  "PATCH /api/v1/notifications/{tenantId}/{userId}/{notificationId}": { body: { archived: true } },
  "DELETE /api/v1/notifications/{tenantId}/{userId}/{notificationId}": {},
  "PUT /api/v1/users/{userId}": { body: { email: "ann@example.com", timezone: "Europe/Berlin" } },
  "GET /api/v1/users/{userId}": {},
  "DELETE /api/v1/users/{userId}": {},
  "POST /api/v1/users/batch": {
    body: {
      users: names(MAX_USERS_OF_BATCH, "user").map((userId) => ({
        userId,
        email: "ann@example.com",
        phone: "+12025550123",
        locale: "de-AT",
        timezone: "Europe/Vienna",
        quietHours: { from: "22:00", to: "06:00" },
      })),
    },
  },
  "PUT /api/v1/users/{userId}/devices/{deviceId}": { body: { kind: "fcm", token: "a-token" } },
  "GET /api/v1/users/{userId}/devices": {},
  "DELETE /api/v1/users/{userId}/devices/{deviceId}": {},
  "GET /api/v1/erasures/{erasureId}": {},
  "GET /api/v1/users/{userId}/preferences": {},
  "PATCH /api/v1/users/{userId}/preferences": {
    body: {
      preferences: Array.from({ length: MAX_PREFERENCES }, (_, n) => ({
        category: "*",
        channel: "EMAIL",
        enabled: n % 2 === 0,
      })),
    },
  },
  "GET /api/v1/topics": { query: "limit=1000" },
  "PATCH /api/v1/topics/{key}/members": {
    body: {
      add: names(MAX_MEMBERS_OF_CHANGE / 2, "in"),
      remove: names(MAX_MEMBERS_OF_CHANGE / 2, "out"),
    },
  },
  "GET /api/v1/topics/{key}/members": { query: "limit=1000&search=in" },
  "DELETE /api/v1/topics/{key}": {},
  "GET /api/v1/webhooks": {},
  "POST /api/v1/webhooks": { body: { url: "https://hooks.example.com/a", types: [] } },
  "GET /api/v1/webhooks/{webhookId}": {},
  "PATCH /api/v1/webhooks/{webhookId}": { body: { description: "x".repeat(255) } },
  "DELETE /api/v1/webhooks/{webhookId}": {},
  "POST /api/v1/webhooks/{webhookId}/rotate-secret": {},
  "GET /api/v1/webhooks/{webhookId}/attempts": { query: "limit=500" },
  "POST /api/v1/webhooks/{webhookId}/test": {},
  "POST /api/v1/webhooks/{webhookId}/replay": { body: { since: LONG_AGO, all: true } },
  "GET /api/v1/webhooks/{webhookId}/messages": { query: "limit=500" },
  "GET /api/v1/webhooks/{webhookId}/messages/{messageId}": {},
  "POST /api/v1/webhooks/{webhookId}/messages/{messageId}/resend": {},
};

/** All calls but the trigger that need a key, as `POST /api/v1/webhooks`. */
export const CALLS = Object.entries(document.paths)
  .flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security.length > 0)
        .map(([method]) => `${method.toUpperCase()} ${path}`)
        .filter((call) => call !== `POST ${TRIGGER_PATH}`),
    // Deletions come last: the other calls need what they delete.
  )
  .toSorted((a, b) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE")));
