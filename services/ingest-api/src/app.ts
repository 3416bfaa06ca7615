import { MAX_BODY_BYTES } from "@belfry/contracts/identifiers";
import type { Database, Pool } from "@belfry/database/connection";
import type { Owner } from "@belfry/database/notifications";
import type { SecretKeys } from "@belfry/database/secrets";
import { type AbuseBounds, createAbuseLimits } from "@belfry/http-api/abuse-limits";
import { createAuthentication } from "@belfry/http-api/authenticate";
import { type DocumentParts, documentRoutes } from "@belfry/http-api/openapi";
import { checkRoutes } from "@belfry/http-api/read-request";
import type { KeyUses, TenantDirectory } from "@belfry/http-api/tenant-directory";
import { createHttpServer } from "@belfry/service/http";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createActRoutes } from "./act-route.ts";
import { attachmentRoute } from "./attachment-route.ts";
import { broadcastRoutes } from "./broadcast-routes.ts";
import { docsRoutes } from "./docs-page.ts";
import { eventRoutes } from "./event-routes.ts";
import { type Images, imageRoute } from "./image-route.ts";
import { notificationRoutes, realtimeTokenRoute } from "./in-app-routes.ts";
import { KEY_ACCESS } from "./key-access.ts";
import { packageRoutes } from "./package-routes.ts";
import { type LinkPageDeps, linkRoutes } from "./pages/link-routes.ts";
import type { KnownRefusals } from "./tenant-limits.ts";
import { topicRoutes } from "./topic-routes.ts";
import { triggerBatchRoute } from "./trigger-batch-route.ts";
import { type TriggerDeps, triggerRoute } from "./trigger-route.ts";
import type { EventTypes } from "./trigger-warnings.ts";
import { userRoutes } from "./user-routes.ts";
import {
  type InboundDeps,
  inboundRoute,
  type ReceiptDeps,
  receiptRoute,
} from "./vendor-webhooks.ts";
import { webhookDocuments, webhookMessageRoutes, webhookRoutes } from "./webhook-routes.ts";

export interface AppDeps
  extends Omit<ReceiptDeps, "limits">,
    Omit<InboundDeps, "limits">,
    Omit<LinkPageDeps, "limits"> {
  config: AbuseBounds & {
    trustProxy: string;
    trustTraceSampling: boolean;
    packagesFolder: string;
    manageUrl: string;
  };
  acceptor: TriggerDeps["acceptor"];
  nats: TriggerDeps["nats"];
  /** The pool of the triggers' connections. */
  attachmentPool: Pool;
  refusals: KnownRefusals;
  eventTypes: EventTypes;
  images: Images;
  directory: TenantDirectory;
  keyUses: KeyUses;
  db: Database;
  /** The pool of the connections of all other calls. */
  pool: Pool;
  secretKeys: SecretKeys;
  /** Allows endpoints on private addresses; only for the local stack and tests. */
  allowPrivateWebhooks: boolean;
  signToken(claims: { sub: string; tenant: string }): Promise<string>;
  /** This and `announcePreferences` notify the user's open pages of a change; best effort. */
  announceInbox(owner: Owner, kind: "marked" | "changed", notificationId: string): Promise<void>;
  announcePreferences(owner: { tenantId: string; userId: string }): void;
  now(): Date;
  log: Logger;
}

/** Builds the HTTP server for section 4 of the specification. It does not listen yet. */
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
  const { trustTraceSampling } = config;
  const triggerDeps = { ...deps, authentication, trustTraceSampling };
  triggerRoute(app, triggerDeps);
  triggerBatchRoute(app, triggerDeps);
  await attachmentRoute(app, { ...deps, authentication, limits });
  realtimeTokenRoute(app, { ...deps, authentication, sign: deps.signToken });
  notificationRoutes(app, { ...deps, authentication });
  const actRoutes = createActRoutes(app, {
    authentication,
    db: deps.db,
    services: {
      keys: async () => deps.secretKeys,
      allowPrivateWebhooks: async () => deps.allowPrivateWebhooks,
      announcePreferences: deps.announcePreferences,
    },
  });
  eventRoutes(actRoutes("Events"));
  broadcastRoutes(actRoutes("Broadcasts"));
  userRoutes(actRoutes("Users"));
  topicRoutes(actRoutes("Topics"));
  webhookRoutes(actRoutes("Webhooks"));
  webhookMessageRoutes(actRoutes("Webhooks"));
  receiptRoute(app, { ...deps, limits });
  inboundRoute(app, { ...deps, limits });
  linkRoutes(app, { ...deps, limits });
  imageRoute(app, { ...deps, limits });
  packageRoutes(app, config);
  docsRoutes(app, config);
  return app;
}

/** Returns the general parts of the OpenAPI document. */
function apiDocument(): DocumentParts {
  return {
    path: "/openapi.json",
    operationId: "openapi",
    title: "Belfry",
    description: [
      "Accepts events from your backend and dispatches them over email, SMS and realtime push.",
      "Every error has the fields statusCode, error and message; a path that is not below is 404, a method that a path does not know 405 with the header Allow.",
      "GET paths answer HEAD too. Every answer has X-Trace-Id.",
    ].join(" "),
    tags: [
      { name: "Events", description: "Send an event, and see what became of it" },
      { name: "Broadcasts", description: "Send one event to many people" },
      { name: "Users", description: "The people you notify, and their preferences" },
      { name: "Topics", description: "Named sets of your users" },
      { name: "Realtime", description: "Let a user's browser connect" },
      { name: "Notifications", description: "The in-app history of a user" },
      { name: "Webhooks", description: "Be told what became of your events" },
      { name: "Packages", description: "Packages for your developers, served from here" },
      { name: "Documentation", description: "This interface, for tools and for people" },
    ],
    webhooks: webhookDocuments(),
  };
}
