import { hash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import scalar from "@scalar/fastify-api-reference";
import fastify from "fastify";

/** The parts of the page `/docs`. */
export interface Reference {
  page: string;
  policy: string;
  /** Compressed by gzip. */
  script: Buffer;
}

/** An empty icon, so that browsers do not request one. */
const ICON = '<head><link rel="icon" href="data:,">';

/** The address of the management API; "" if it is not configured. */
const { manageUrl } = workerData as { manageUrl: string };

const app = fastify();
await app.register(scalar, {
  routePrefix: "/docs",
  configuration: {
    sources: [
      { title: "Events and users", slug: "api", url: "/openapi.json" },
      { title: "Management", slug: "manage", url: `${manageUrl}${MANAGE_PATH}/openapi.json` },
    ].slice(0, manageUrl === "" ? 1 : 2),
    cdn: "/docs/reference.js",
    pageTitle: "Belfry: the HTTP interface",
    _integration: "html",
    // The page neither loads from nor sends to other servers.
    authentication: { preferredSecurityScheme: "apiKey" },
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: "",
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
  },
});
const { body } = await app.inject("/docs/");
const page = body.replace("<html>", '<html lang="en">').replace("<head>", ICON);
const script = gzipSync((await app.inject("/docs/js/scalar.js")).rawPayload);
const inline = [...page.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map(
  ([, text]) => `'sha256-${hash("sha256", text ?? "", "base64")}'`,
);
const policy = [
  "default-src 'none'",
  `script-src 'self' ${inline.join(" ")}`,
  // The script creates its styles at run time.
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  `connect-src 'self' ${manageUrl}`.trim(),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
parentPort?.postMessage({ page, policy, script } satisfies Reference);
