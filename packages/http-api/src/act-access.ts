import type { Act, ActServices, Caller } from "@belfry/administration/act";
import { type ActHttp, httpOf } from "@belfry/administration/act-http";
import { findPlatformKey } from "@belfry/administration/people/platform-keys";
import { type KeyNeed, keyMay } from "@belfry/contracts/key-roles";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { Database } from "@belfry/database/connection";
import type { FastifyReply, FastifyRequest, preValidationHookHandler } from "fastify";
import type { AbuseLimits } from "./abuse-limits.ts";
import { type Authentication, type KeyAccess, requireTimedSignature } from "./authenticate.ts";

export const PLATFORM_KEY = "platform key";

/** An act that API keys may run, with its route. */
export interface KeyedAct {
  act: Act;
  http: ActHttp;
  need: KeyNeed | typeof PLATFORM_KEY;
}

/** Returns the acts below a prefix that a tenant's API key may run. */
export function keyedActs(acts: readonly Act[], prefix: string): (KeyedAct & { need: KeyNeed })[] {
  return acts.flatMap((act) => {
    const http = httpOf(act);
    const { scope, key: need } = act.access;
    if (http === undefined || need === undefined || scope !== "tenant") return [];
    return http.path.startsWith(`${prefix}/`) ? [{ act, http, need }] : [];
  });
}

export function accessOf(acts: ReturnType<typeof keyedActs>): KeyAccess {
  return Object.fromEntries(acts.map(({ http, need }) => [`${http.method} ${http.path}`, need]));
}

/** Returns the acts of operators, which a platform key may run. The path names the tenant that an act is about. */
export function platformActs(acts: readonly Act[], prefix: string): KeyedAct[] {
  return acts.flatMap((act) => {
    const http = httpOf(act);
    if (http === undefined || act.access.person !== "operator") return [];
    return http.path.startsWith(`${prefix}/`) ? [{ act, http, need: PLATFORM_KEY }] : [];
  });
}

/** How requests with one kind of key are checked, and who their caller is. */
export interface KeyChecks {
  onRequest(request: FastifyRequest): Promise<void>;
  preValidation: readonly preValidationHookHandler[];
  callerOf(request: FastifyRequest): Caller;
}

interface DoorDeps {
  db: Database;
  services: ActServices;
}

/** Returns the checks for keys of tenants. */
export function tenantKeyChecks(
  deps: DoorDeps & {
    authentication: Authentication;
    now(): Date;
  },
): KeyChecks {
  const { authentication, now } = deps;
  return {
    onRequest: (request) => authentication.other(request),
    preValidation: [requireTimedSignature(now)],
    callerOf: (request) => callerOf(request, deps),
  };
}

/** Returns the checks for platform keys. No tenant's key is a platform key, and no tenant's call accepts one. */
export function platformKeyChecks(
  deps: DoorDeps & {
    limits: Pick<AbuseLimits, "countUnknownKey" | "checkUnknownKeys" | "countOther">;
  },
): KeyChecks {
  const { db, services, limits } = deps;
  const names = new WeakMap<FastifyRequest, string>();
  return {
    async onRequest(request) {
      const key = keyOf(request);
      await limits.checkUnknownKeys(request);
      const found = await findPlatformKey(db, key);
      if (found === undefined) {
        await limits.countUnknownKey(request);
        throw new Problem("unauthorized");
      }
      await limits.countOther(request, `platform ${found.id}`);
      names.set(request, found.name);
    },
    preValidation: [],
    callerOf(request) {
      const { tenantId = "" } = request.params as { tenantId?: string };
      const person = `platform key ${names.get(request)}`;
      const actor = { personId: null, person, address: request.ip, isProgram: true };
      return { db, services, tenantId, actor, may: (access) => access.person === "operator" };
    },
  };
}

export function keyOf({ headers }: FastifyRequest): string {
  return String(headers[HEADERS.apiKey]);
}

/** Returns the caller of a request: the program that uses its key. */
export function callerOf(
  { ip, tenant: { id: tenantId, keyName, keyRole } }: FastifyRequest,
  deps: DoorDeps,
): Caller {
  return {
    ...deps,
    tenantId,
    actor: { personId: null, person: `key ${keyName}`, address: ip, isProgram: true },
    may: ({ scope, key }) => scope === "tenant" && key !== undefined && keyMay(keyRole, key),
  };
}

/** Returns a signal that is aborted if the client hangs up before the answer is complete. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const judge = () => {
    if (!raw.writableFinished) controller.abort();
  };
  if (raw.closed) judge();
  else raw.once("close", judge);
  return controller.signal;
}
