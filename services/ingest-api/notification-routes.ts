import {
  HISTORY_DEFAULT_LIMIT,
  HISTORY_MAX_LIMIT,
  HISTORY_MAX_OFFSET,
} from "@belfry/contracts/bounds";
import { textFault, UUID } from "@belfry/contracts/identifiers";
import { HISTORY_PATH, type HistoryResponse, MARK_READ_PATH } from "@belfry/contracts/notification";
import { Problem } from "@belfry/contracts/problems";
import type { Database } from "@belfry/database/connection";
import { listNotifications, markNotificationRead } from "@belfry/database/notifications";
import type { FastifyInstance } from "fastify";
import type { Authentication } from "./authenticate.ts";
import type { Tenant } from "./tenant-directory.ts";

interface PathOfUser {
  tenantId: string;
  userId: string;
}

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
  const onRequest = deps.authentication.other;
  app.get<{ Params: PathOfUser; Querystring: Record<string, unknown> }>(
    HISTORY_PATH,
    { onRequest },
    async (request): Promise<HistoryResponse> => {
      const { tenant } = request;
      const faults: string[] = [];
      const userId = readPath(tenant, request.params, faults);
      const limit = readInteger(
        request.query,
        "limit",
        HISTORY_DEFAULT_LIMIT,
        1,
        HISTORY_MAX_LIMIT,
        faults,
      );
      const offset = readInteger(request.query, "offset", 0, 0, HISTORY_MAX_OFFSET, faults);
      if (faults.length > 0) throw new Problem("validation", { message: faults });
      const data = await listNotifications(deps.db, { tenantId: tenant.id, userId, limit, offset });
      return { success: true, data };
    },
  );

  app.put<{ Params: PathOfUser & { notificationId: string } }>(
    MARK_READ_PATH,
    { onRequest },
    async (request) => {
      const { tenant } = request;
      const faults: string[] = [];
      const userId = readPath(tenant, request.params, faults);
      if (faults.length > 0) throw new Problem("validation", { message: faults });
      const { notificationId } = request.params;
      if (!UUID.test(notificationId)) throw new Problem("notFound");
      const marked = await markNotificationRead(deps.db, {
        tenantId: tenant.id,
        userId,
        notificationId,
      });
      if (marked === "unknown") throw new Problem("notFound");
      if (marked === "marked") await deps.announceMarked(tenant.id, userId, notificationId);
      return { success: true };
    },
  );
}

function readPath(tenant: Tenant, path: PathOfUser, faults: string[]): string {
  if (path.tenantId !== tenant.id) throw new Problem("forbidden");
  const fault = textFault(path.userId);
  if (fault !== undefined) faults.push(`userId ${fault}`);
  return path.userId;
}

function readInteger(
  query: Record<string, unknown>,
  name: string,
  ifAbsent: number,
  minimum: number,
  maximum: number,
  faults: string[],
): number {
  const value = query[name];
  if (value === undefined) return ifAbsent;
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  faults.push(`${name} must be an integer from ${minimum} to ${maximum}`);
  return ifAbsent;
}
