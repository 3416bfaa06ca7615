import { MAX_BODY_BYTES } from "@belfry/contracts/bounds";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { type AbuseBounds, createAbuseLimits } from "@belfry/http-api/abuse-limits";
import { createAuthentication } from "@belfry/http-api/authenticate";
import { documentRoutes } from "@belfry/http-api/openapi";
import { checkRoutes } from "@belfry/http-api/read-request";
import type { KeyUses, TenantDirectory } from "@belfry/http-api/tenant-directory";
import { createHttpServer } from "@belfry/service/http";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Acceptor } from "./accept.ts";
import { createActRoutes } from "./act-route.ts";
import { apiDocument } from "./api-document.ts";
import { docsRoutes } from "./docs-page.ts";
import { eventRoutes } from "./event-routes.ts";
import { type InboundDeps, inboundRoute } from "./inbound-route.ts";
import { KEY_ACCESS } from "./key-access.ts";
import { notificationRoutes } from "./notification-routes.ts";
import { packageRoutes } from "./package-routes.ts";
import { type LinkPageDeps, linkRoutes } from "./pages/link-routes.ts";
import { realtimeTokenRoute } from "./realtime-token-route.ts";
import type { KnownRefusals } from "./tenant-limits.ts";
import { triggerRoute } from "./trigger-route.ts";
import { userRoutes } from "./user-routes.ts";
import { type WebhookDeps, webhookRoute } from "./webhook-route.ts";
import { webhookMessageRoutes, webhookRoutes } from "./webhook-routes.ts";

export interface AppDeps
  extends Omit<WebhookDeps, "limits">,
    Omit<InboundDeps, "limits">,
    Omit<LinkPageDeps, "limits"> {
  config: AbuseBounds & { trustProxy: string; packagesFolder: string; manageUrl: string };
  acceptor(rests: boolean): Acceptor | undefined;
  refusals: KnownRefusals;
  directory: TenantDirectory;
  keyUses: KeyUses;
  db: Database;
  secretKeys: SecretKeys;
  /** Local stack and tests only. */
  allowPrivateWebhooks: boolean;
  signToken(claims: { sub: string; tenant: string }): Promise<string>;
  /** These two tell the user's open pages; best effort. */
  announceMarked(tenantId: string, userId: string, notificationId: string): Promise<void>;
  announcePreferences(owner: { tenantId: string; userId: string }): void;
  now(): Date;
  log: Logger;
}

/** The HTTP interface of section 4 of the specification, not yet listening. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config } = deps;
  const app = createHttpServer({
    log: deps.log,
    maxBodyBytes: MAX_BODY_BYTES,
    jsonBody: "raw",
    trustProxy:
      config.trustProxy === "" ? false : config.trustProxy.split(",").map((s) => s.trim()),
  });
  app.decorateRequest("bodyText", "");
  checkRoutes(app);
  await documentRoutes(app, apiDocument());
  const limits = await createAbuseLimits(app, config);
  const authentication = createAuthentication(app, { ...deps, access: KEY_ACCESS, limits });
  triggerRoute(app, { ...deps, authentication });
  realtimeTokenRoute(app, { ...deps, authentication, sign: deps.signToken });
  notificationRoutes(app, { ...deps, authentication });
  const addActRoute = createActRoutes(app, {
    authentication,
    db: deps.db,
    services: {
      keys: async () => deps.secretKeys,
      allowPrivateWebhooks: async () => deps.allowPrivateWebhooks,
      announcePreferences: deps.announcePreferences,
    },
  });
  eventRoutes(addActRoute);
  userRoutes(addActRoute);
  webhookRoutes(addActRoute);
  webhookMessageRoutes(addActRoute);
  webhookRoute(app, { ...deps, limits });
  inboundRoute(app, { ...deps, limits });
  linkRoutes(app, { ...deps, limits });
  packageRoutes(app, config);
  docsRoutes(app, config);
  return app;
}
