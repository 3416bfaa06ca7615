import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BelfryError } from "@belfry/client";
import { UUID } from "@belfry/contracts/identifiers";
import { createDatabase, createPool } from "@belfry/database/connection";
import { outboxMessageById, outboxOfTenant } from "@belfry/database/outbox";
import { Type } from "@sinclair/typebox";
import { Eta } from "eta";
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { LocalJson } from "../home-folder.ts";
import { curlLine, DEMO_USER } from "../settings.ts";
import {
  addDemoWebhooks,
  createDemoBackend,
  createDemoWebhooks,
  DEMO_EVENTS,
  DEMO_WEBHOOKS_PATH,
  type DemoBackend,
  TROUBLES,
  type Trouble,
} from "./demo-backend.ts";

const OUTBOX_MESSAGES = 60;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;
const SAFE_METHODS = ["GET", "HEAD"];

/** Content security policy of a mail in the page's frame: no scripts, no forms and no origin. */
const MAIL_POLICY = [
  "sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

const SendBody = Type.Object({
  eventType: Type.Union(Object.keys(DEMO_EVENTS).map((name) => Type.Literal(name))),
  order: Type.Optional(Type.String({ pattern: "^A-\\d{4}$" })),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: "^[\\w-]+$" })),
  trouble: Type.Optional(Type.Union(TROUBLES.map((name) => Type.Literal(name)))),
});

/** Maps the bare module names in the inbox's files to addresses, for a browser. */
const IMPORT_MAP = JSON.stringify({ imports: { centrifuge: "/assets/centrifuge.js" } });
const IMPORT_MAP_HASH = `sha256-${hash("sha256", IMPORT_MAP, "base64")}`;

export interface DemoServer {
  close(): Promise<void>;
}

/** Starts the server of the demo page and of its tenant's backend. The page never gets the API key. */
export async function startDemoServer(options: {
  local: LocalJson;
  port: number;
  /** The signing secret of the demo tenant's webhook endpoint: `whsec_…`. */
  signingSecret: string;
}): Promise<DemoServer> {
  const { local } = options;
  const backend = createDemoBackend(local);
  const db = createDatabase(
    createPool({ url: local.databaseUrl, applicationName: "belfry-demo", maxConnections: 2 }),
  );
  const app = fastify({
    bodyLimit: 16 * 1024,
    forceCloseConnections: true,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  app.addHook("onRequest", async (request, reply) => {
    setSecurityHeaders(reply, { wsUrl: local.wsUrl, importMapHash: IMPORT_MAP_HASH });
    const why = refusal(request);
    if (why !== undefined) await reply.code(403).send({ statusCode: 403, message: why });
  });
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const statusCode = error instanceof BelfryError ? error.status : error.statusCode;
    const message = statusCode === undefined ? "Belfry is not reachable" : error.message;
    return reply.code(statusCode ?? 502).send({ statusCode: statusCode ?? 502, message });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ statusCode: 404, message: "There is nothing here" }),
  );
  await addPage(app, local);
  addBackendRoutes(app, backend);
  await addDemoWebhooks(app, createDemoWebhooks({ secret: options.signingSecret }));

  app.get("/demo/outbox", async () => {
    const messages = await outboxOfTenant(db, local.tenant.id, { limit: OUTBOX_MESSAGES });
    return { messages: messages.map(({ html: _html, ...message }) => message) };
  });
  app.get<{ Params: { id: string } }>("/outbox/:id", async (request, reply) => {
    const { id } = request.params;
    const message = UUID.test(id) ? await outboxMessageById(db, id, local.tenant.id) : undefined;
    if (message === undefined || message.html === null) return reply.callNotFound();
    return reply
      .header("content-security-policy", MAIL_POLICY)
      .type("text/html; charset=utf-8")
      .send(message.html);
  });

  await app.listen({ host: "127.0.0.1", port: options.port });
  return {
    async close() {
      await app.close();
      await db.destroy();
    },
  };
}

function addBackendRoutes(app: FastifyInstance, backend: DemoBackend): void {
  app.post("/demo/token", () => backend.token());
  app.get<{ Params: { id: string } }>("/demo/events/:id", async (request, reply) => {
    const { id } = request.params;
    return UUID.test(id) ? await backend.event(id) : reply.callNotFound();
  });
  app.post<{ Body: { eventType: string; order?: string; key?: string; trouble?: Trouble } }>(
    "/demo/events",
    { schema: { body: SendBody } },
    (request) => backend.send(request.body),
  );
  app.get("/demo/devices", () => backend.devices("GET"));
  app.route<{ Params: { id: string } }>({
    method: ["PUT", "DELETE"],
    url: "/demo/devices/:id",
    schema: { params: Type.Object({ id: Type.String({ pattern: "^[\\w-]{22}$" }) }) },
    handler: ({ method, params, body }) =>
      backend.devices(method, params.id, body ? JSON.stringify(body) : undefined),
  });
}

async function addPage(app: FastifyInstance, local: LocalJson): Promise<void> {
  const eta = new Eta({ autoEscape: true });
  const page = eta.renderString(await readFile(join(import.meta.dirname, "page.eta"), "utf8"), {
    tenantName: local.tenant.name,
    user: DEMO_USER.userId,
    wsUrl: local.wsUrl,
    importMap: IMPORT_MAP,
    curl: curlLine(local.apiUrl, "$BELFRY_API_KEY"),
  });
  app.get("/", (_request, reply) => reply.type("text/html; charset=utf-8").send(page));
  const inbox = dirname(fileURLToPath(import.meta.resolve("@belfry/inbox/belfry-inbox")));
  const inboxFiles = (await readdir(inbox)).filter((name) => name.endsWith(".js"));
  const assets: Record<string, [type: string, file: string]> = {
    "page.css": ["text/css", join(import.meta.dirname, "page.css")],
    "page.js": ["text/javascript", join(import.meta.dirname, "page.js")],
    "page-push.js": ["text/javascript", join(import.meta.dirname, "page-push.js")],
    "icon.svg": ["image/svg+xml", join(import.meta.dirname, "icon.svg")],
    "centrifuge.js": ["text/javascript", fileURLToPath(import.meta.resolve("centrifuge"))],
    ...Object.fromEntries(
      inboxFiles.map((name) => [`inbox/${name}`, ["text/javascript", join(inbox, name)]]),
    ),
  };
  for (const [name, [type, file]] of Object.entries(assets)) {
    const content = await readFile(file);
    app.get(`/assets/${name}`, (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).send(content),
    );
  }
}

/**
 * Returns why a request is refused, or undefined. The demo server uses the tenant's key for every caller, so it accepts
 * only this machine's own pages. A Host that is not a loopback name means DNS rebinding; a change from another origin
 * means request forgery.
 */
export function refusal(request: FastifyRequest): string | undefined {
  const { host, origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (host === undefined || !LOOPBACK.test(host)) {
    return "open this page by http://127.0.0.1 or http://localhost";
  }
  if (SAFE_METHODS.includes(request.method)) return undefined;
  // Belfry's sender is not a browser, so it sends no origin. The webhook's signature is verified instead.
  if (request.url === DEMO_WEBHOOKS_PATH && origin === undefined && site === undefined) {
    return undefined;
  }
  const ownOrigin = origin === undefined ? site === "same-origin" : origin === `http://${host}`;
  const ownSite = site === undefined || site === "same-origin";
  return ownOrigin && ownSite ? undefined : "only the demo page itself may ask for this";
}

/** Sets the headers of every response. A mail is HTML from outside and gets its own policy in its route. */
function setSecurityHeaders(
  reply: FastifyReply,
  options: { wsUrl: string; importMapHash: string },
): void {
  reply.headers({
    "content-security-policy": [
      "default-src 'none'",
      // An import map must be inline, so the policy allows it by its hash.
      `script-src 'self' '${options.importMapHash}'`,
      "style-src 'self'",
      "img-src 'self'",
      "frame-src 'self'",
      `connect-src 'self' ${new URL(options.wsUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
  });
}
