import {
  PERSONAL_CHANNEL,
  realtimeChannel,
  SYSTEM_CHANNEL,
  textFault,
} from "@belfry/contracts/identifiers";
import { Problem } from "@belfry/contracts/problems";
import { REALTIME_TOKEN_PATH, type RealtimeTokenResponse } from "@belfry/contracts/realtime-token";
import type { FastifyInstance } from "fastify";
import type { Authentication } from "./authenticate.ts";
import { readJson } from "./read-body.ts";
import type { TenantDirectory } from "./tenant-directory.ts";

/** `POST /api/v1/auth/realtime-token`: a connection token for one user, and the channels to subscribe to. */
export function realtimeTokenRoute(
  app: FastifyInstance,
  deps: {
    authentication: Authentication;
    directory: TenantDirectory;
    sign(claims: { sub: string; tenant: string }): Promise<string>;
  },
): void {
  const onRequest = deps.authentication.other;
  app.post(REALTIME_TOKEN_PATH, { onRequest }, async (request): Promise<RealtimeTokenResponse> => {
    const { tenant } = request;
    const body = readJson(request);
    const userId = readUserId(body);
    const names = new Set([
      SYSTEM_CHANNEL,
      PERSONAL_CHANNEL,
      ...(await deps.directory.targetChannels(tenant.id)),
    ]);
    return {
      token: await deps.sign({ sub: userId, tenant: tenant.id }),
      channels: [...names].map((name) => realtimeChannel(name, userId)),
    };
  });
}

function readUserId(body: unknown): string {
  const userId =
    typeof body === "object" && body !== null && !Array.isArray(body)
      ? (body as { userId?: unknown }).userId
      : undefined;
  const fault = typeof userId === "string" ? textFault(userId) : "must be a string";
  if (fault !== undefined) throw new Problem("validation", { message: [`userId ${fault}`] });
  return userId as string;
}
