import { PERSONAL_CHANNEL, realtimeChannel, SYSTEM_CHANNEL } from "@belfry/contracts/identifiers";
import {
  REALTIME_TOKEN_PATH,
  RealtimeTokenRequest,
  RealtimeTokenResponse,
} from "@belfry/contracts/realtime-token";
import type { Authentication } from "@belfry/http-api/authenticate";
import { readBody } from "@belfry/http-api/read-request";
import { answers, KEYED, lookOf, WITH_BODY } from "@belfry/http-api/route-schema";
import type { TenantDirectory } from "@belfry/http-api/tenant-directory";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";

const schema = {
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
    { schema, ...hooks },
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
