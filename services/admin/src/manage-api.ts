import type { ActServices } from "@belfry/administration/act";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import { allActs, NOUNS } from "@belfry/administration/acts";
import type { Database } from "@belfry/database/connection";
import { createAbuseLimits } from "@belfry/http-api/abuse-limits";
import {
  accessOf,
  keyedActs,
  platformActs,
  platformKeyChecks,
  tenantKeyChecks,
} from "@belfry/http-api/act-access";
import { actRoutes } from "@belfry/http-api/act-routes";
import { createAuthentication } from "@belfry/http-api/authenticate";
import { documentRoutes } from "@belfry/http-api/openapi";
import { disableSchemaValidation } from "@belfry/http-api/read-request";
import type { KeyUses, TenantDirectory } from "@belfry/http-api/tenant-directory";
import { acceptJsonOnly, rejectOtherPaths } from "@belfry/service/http";
import type { FastifyInstance } from "fastify";
import { MCP_ACCESS, mcpRoute } from "./mcp.ts";

/** The most calls that use the database at the same time. The other connections are for the pages. */
const CALLS_AT_A_TIME = 4;

/** The most bytes of bodies in memory: one bundle of the largest size, which needs most of a container's 768 MiB. */
const HELD_BODY_BYTES = 16 * 1024 * 1024;

const DESCRIPTION = [
  "Manages what a tenant's notifications are made of, as the Admin UI and the command line do.",
  "Each call needs an API key with the role manage or provision.",
  "Every error has the fields statusCode, error and message.",
].join(" ");

export interface ManageApiDeps {
  config: {
    baseUrl: string;
    apiUrl: string;
    limits: { unknownKeysPerMinute: number; otherPerMinute: number };
  };
  db: Database;
  services: ActServices;
  directory: TenantDirectory;
  keyUses: Pick<KeyUses, "note">;
  nowMs(): number;
}

/**
 * Registers the management API below `/api/v1/manage`: a route for each act that an API key may run. It has its own
 * Fastify scope, so that the cookies, forms and error handler of the pages do not apply.
 */
export async function manageApi(app: FastifyInstance, deps: ManageApiDeps): Promise<void> {
  const { config, db, services, directory, keyUses, nowMs } = deps;
  const now = () => new Date(nowMs());
  const all = await allActs();
  const acts = keyedActs(all, MANAGE_PATH);
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits it
  await app.register(async (scope) => {
    disableSchemaValidation(scope);
    acceptJsonOnly(scope, "raw");
    rejectOtherPaths(scope, MANAGE_PATH);
    scope.decorateRequest("bodyText", "");
    await documentRoutes(scope, {
      path: `${MANAGE_PATH}/openapi.json`,
      operationId: "managementOpenapi",
      title: "Belfry management",
      description: DESCRIPTION,
      server: config.baseUrl,
      tags: [
        ...Object.entries(NOUNS).map(([name, { summary }]) => ({ name, description: summary })),
        { name: "Documentation", description: "This interface, for tools and for people" },
      ],
    });
    const limits = await createAbuseLimits(scope, {
      ...config.limits,
      otherAtATime: CALLS_AT_A_TIME,
      heldBodyBytes: HELD_BODY_BYTES,
    });
    const authentication = createAuthentication(scope, {
      access: { ...accessOf(acts), ...MCP_ACCESS },
      directory,
      keyUses,
      limits,
      now,
      callerOf: ({ keyId }) => keyId,
    });
    actRoutes(scope, acts, tenantKeyChecks({ authentication, db, services, now }));
    actRoutes(scope, platformActs(all, MANAGE_PATH), platformKeyChecks({ db, services, limits }));
    mcpRoute(scope, {
      acts: all.filter(({ tool }) => tool === true),
      hosts: [config.baseUrl, config.apiUrl].map((url) => URL.parse(url)?.host ?? ""),
      authentication,
      db,
      services,
    });
  });
}
