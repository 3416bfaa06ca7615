import { CANCEL_PATH } from "@belfry/contracts/cancel";
import { listed } from "@belfry/contracts/channels";
import { ERASURE_PATH } from "@belfry/contracts/erasure";
import { EVENT_PATH } from "@belfry/contracts/event-report";
import { KEYS_THAT_MAY, type KeyNeed, type KeyRole, keyMay } from "@belfry/contracts/key-roles";
import { HISTORY_PATH, MARK_READ_PATH } from "@belfry/contracts/notification";
import { PREFERENCES_PATH } from "@belfry/contracts/preferences";
import { Problem } from "@belfry/contracts/problems";
import { REALTIME_TOKEN_PATH } from "@belfry/contracts/realtime-token";
import { SCHEDULED_PATH } from "@belfry/contracts/scheduled";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { USER_PATH, USERS_BATCH_PATH } from "@belfry/contracts/users";
import {
  WEBHOOK_ATTEMPTS_PATH,
  WEBHOOK_MESSAGE_PATH,
  WEBHOOK_MESSAGES_PATH,
  WEBHOOK_PATH,
  WEBHOOK_REPLAY_PATH,
  WEBHOOK_RESEND_PATH,
  WEBHOOK_SECRET_PATH,
  WEBHOOK_TEST_PATH,
  WEBHOOKS_PATH,
} from "@belfry/contracts/webhook-endpoints";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AbuseLimits } from "./abuse-limits.ts";

/** What a key must be good for, by route. A route with a key that is not here cannot be registered. */
export const KEY_ACCESS = {
  [`POST ${TRIGGER_PATH}`]: "trigger",
  [`POST ${CANCEL_PATH}`]: "trigger",
  [`PATCH ${EVENT_PATH}`]: "trigger",
  [`GET ${EVENT_PATH}`]: "read",
  [`GET ${SCHEDULED_PATH}`]: "read",

  // Whoever holds a token is the user.
  [`POST ${REALTIME_TOKEN_PATH}`]: "backend",
  [`GET ${HISTORY_PATH}`]: "read",
  [`PUT ${MARK_READ_PATH}`]: "backend",

  [`GET ${USER_PATH}`]: "read",
  [`PUT ${USER_PATH}`]: "users",
  [`DELETE ${USER_PATH}`]: "users",
  [`POST ${USERS_BATCH_PATH}`]: "users",
  [`GET ${ERASURE_PATH}`]: "read",
  [`GET ${PREFERENCES_PATH}`]: "read",
  [`PATCH ${PREFERENCES_PATH}`]: "users",

  [`GET ${WEBHOOKS_PATH}`]: "read",
  [`POST ${WEBHOOKS_PATH}`]: "endpoints",
  [`GET ${WEBHOOK_PATH}`]: "read",
  [`PATCH ${WEBHOOK_PATH}`]: "endpoints",
  [`DELETE ${WEBHOOK_PATH}`]: "endpoints",
  [`POST ${WEBHOOK_SECRET_PATH}`]: "endpoints",
  [`GET ${WEBHOOK_ATTEMPTS_PATH}`]: "read",
  [`POST ${WEBHOOK_TEST_PATH}`]: "endpoints",
  [`POST ${WEBHOOK_REPLAY_PATH}`]: "endpoints",
  [`GET ${WEBHOOK_MESSAGES_PATH}`]: "read",
  [`GET ${WEBHOOK_MESSAGE_PATH}`]: "read",
  [`POST ${WEBHOOK_RESEND_PATH}`]: "endpoints",
} as const satisfies Record<string, KeyNeed>;

const access: ReadonlyMap<string, KeyNeed> = new Map(Object.entries(KEY_ACCESS));

/**
 * Guards the routes with a key that come after it: each needs a row of the table, else it cannot be registered, and
 * each but the trigger takes its turn among its tenant's calls.
 */
export function guardKeyedRoutes(app: FastifyInstance, { inTurn }: AbuseLimits): void {
  app.addHook("onRoute", (route) => {
    const { method, url, schema, handler } = route;
    const { security = [] } = schema ?? {};
    if (!security.some((one) => "apiKey" in one)) return;
    for (const each of [method].flat()) {
      if (!access.has(routeKey(each, url))) throw new Error(`KEY_ACCESS has no ${each} ${url}`);
    }
    if (url === TRIGGER_PATH) return;
    route.handler = function (request, reply) {
      const whose = { door: "api", tenantId: request.tenant.id } as const;
      return inTurn(request, whose, async () => handler.call(this, request, reply));
    };
  });
}

/** Throws a 403 Problem that names the role. */
export function requireKeyRole(request: FastifyRequest, role: KeyRole): void {
  const { method, url = "" } = request.routeOptions;
  const need = access.get(routeKey(String(method), url));
  if (need === undefined) throw new Error(`KEY_ACCESS has no ${String(method)} ${url}`);
  if (keyMay(role, need)) return;
  request.logFields = { ...request.logFields, refused: "key's role" };
  throw new Problem("keyRole", { message: refusal(role, need) });
}

/** As the answer says it. */
export function refusal(role: KeyRole, need: KeyNeed): string {
  const roles = listed(KEYS_THAT_MAY[need], "or");
  return `This API key has the role ${role}; this call needs the role ${roles}`;
}

/** HEAD reads what GET does. */
function routeKey(method: string, url: string): string {
  return `${method === "HEAD" ? "GET" : method} ${url}`;
}
