import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { UUID } from "@belfry/contracts/identifiers";
import { createDatabase, createPool } from "@belfry/database/connection";
import { outboxMessageById, outboxOfTenant } from "@belfry/database/outbox";
import { Type } from "@sinclair/typebox";
import { Eta } from "eta";
import fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { curlLine, DEMO_USER } from "../addresses.ts";
import type { LocalJson } from "../home-folder.ts";
import {
  ApiRefusal,
  createDemoBackend,
  DEMO_EVENTS,
  type DemoBackend,
  TROUBLES,
  type Trouble,
} from "./demo-backend.ts";
import { MAIL_POLICY, refusal, setSecurityHeaders } from "./demo-guard.ts";
import { addDemoWebhooks, createDemoWebhooks } from "./demo-webhooks.ts";

const PAGE = join(import.meta.dirname, "demo-page");
const OUTBOX_MESSAGES = 60;

const SendBody = Type.Object({
  eventType: Type.Union(Object.keys(DEMO_EVENTS).map((name) => Type.Literal(name))),
  order: Type.Optional(Type.String({ pattern: "^A-\\d{4}$" })),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: "^[\\w-]+$" })),
  trouble: Type.Optional(Type.Union(TROUBLES.map((name) => Type.Literal(name)))),
});

/** Where the bare names in the inbox's files are, for a browser. */
const IMPORT_MAP = JSON.stringify({ imports: { centrifuge: "/assets/centrifuge.js" } });
const IMPORT_MAP_HASH = `sha256-${hash("sha256", IMPORT_MAP, "base64")}`;

export interface DemoServer {
  close(): Promise<void>;
}

/** The demo page and what it needs of a tenant's backend. The API key stays here. */
export async function startDemoServer(options: {
  local: LocalJson;
  port: number;
  /** Of the demo tenant's endpoint: `whsec_…`. */
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
    if (why !== undefined) throw new ApiRefusal(403, why);
  });
  app.setErrorHandler<FastifyError | ApiRefusal>((error, _request, reply) => {
    const statusCode = error.statusCode ?? 502;
    const message = error.statusCode === undefined ? "Belfry is not reachable" : error.message;
    return reply.code(statusCode).send({ statusCode, message });
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
      await Promise.all([backend.close(), db.destroy()]);
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
}

async function addPage(app: FastifyInstance, local: LocalJson): Promise<void> {
  const eta = new Eta({ autoEscape: true });
  const page = eta.renderString(await readFile(join(PAGE, "page.eta"), "utf8"), {
    tenantName: local.tenant.name,
    user: DEMO_USER,
    wsUrl: local.wsUrl,
    importMap: IMPORT_MAP,
    curl: curlLine(local.apiUrl, "$BELFRY_API_KEY"),
  });
  app.get("/", (_request, reply) => reply.type("text/html; charset=utf-8").send(page));
  const inbox = dirname(fileURLToPath(import.meta.resolve("@belfry/inbox/belfry-inbox")));
  const inboxFiles = (await readdir(inbox)).filter((name) => name.endsWith(".js"));
  const assets: Record<string, [type: string, file: string]> = {
    "page.css": ["text/css", join(PAGE, "page.css")],
    "page.js": ["text/javascript", join(PAGE, "page.js")],
    "view.js": ["text/javascript", join(PAGE, "view.js")],
    "icon.svg": ["image/svg+xml", join(PAGE, "icon.svg")],
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
