import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, register } from "prom-client";
import type { Logger } from "./logger.ts";
import { gauge } from "./metrics.ts";

const dependencies = gauge(
  "belfry_dependency_up",
  "1 where what the service needs is there, 0 where it is away",
  ["dependency"],
);

const CACHE_MS = 1000;
const CHECK_TIMEOUT_MS = 1000;

export interface ManagementOptions {
  host: string;
  port: number;
  /** What the service needs: name → whether it is there. A throw or a second without an answer is a no. */
  checks: Record<string, () => boolean | Promise<boolean>>;
  log: Logger;
  /** `stopping` of the stop signal: from here on the service is not ready. */
  signal: AbortSignal;
}

export interface Management extends AsyncDisposable {
  port: number;
  /** Names of what is away; asked for at most once a second. */
  away(): Promise<string[]>;
  close(): Promise<void>;
}

/** Health and metrics on a port of their own: `/health/live`, `/health/ready`, `/metrics`. */
export async function startManagement(options: ManagementOptions): Promise<Management> {
  const { log, signal } = options;
  let cached: { at: number; away: Promise<string[]> } | undefined;
  const away = () => {
    const now = performance.now();
    if (cached === undefined || now - cached.at >= CACHE_MS) {
      cached = { at: now, away: findAway(options.checks) };
    }
    return cached.away;
  };

  const answerReady = async (response: ServerResponse) => {
    if (signal.aborted) return sendJson(response, 503, { ready: false, away: ["shutting down"] });
    const names = await away();
    sendJson(response, names.length === 0 ? 200 : 503, { ready: names.length === 0, away: names });
  };
  const answerMetrics = async (response: ServerResponse) => {
    startDefaultMetrics();
    const names = await away();
    for (const name of Object.keys(options.checks)) {
      dependencies.set({ dependency: name }, names.includes(name) ? 0 : 1);
    }
    const text = await register.metrics();
    response.writeHead(200, { "content-type": register.contentType }).end(text);
  };

  const server = createServer((request, response) => {
    const path = request.url?.split("?", 1)[0];
    const answer = async () => {
      if (request.method !== "GET" && request.method !== "HEAD") {
        response.setHeader("allow", "GET, HEAD");
        return sendJson(response, 405, { error: "Method Not Allowed" });
      }
      if (path === "/health/live") return sendJson(response, 200, { live: true });
      if (path === "/health/ready") return answerReady(response);
      if (path === "/metrics") return answerMetrics(response);
      sendJson(response, 404, { error: "Not Found" });
    };
    answer().catch((err) => {
      log.error({ err }, "management request failed");
      if (!response.headersSent) sendJson(response, 500, { error: "Internal Server Error" });
      else response.destroy();
    });
  });
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  log.info({ host: options.host, port }, "health and metrics are up");

  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, away, close, [Symbol.asyncDispose]: close };
}

async function findAway(checks: ManagementOptions["checks"]): Promise<string[]> {
  const names = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false);
      });
      try {
        return (await Promise.race([check(), late])) ? [] : [name];
      } catch {
        return [name];
      } finally {
        clearTimeout(timer);
      }
    }),
  );
  return names.flat();
}

let defaultMetricsStarted = false;
/** Only for a process that is scraped: they cost a little on every garbage collection. */
function startDefaultMetrics(): void {
  if (defaultMetricsStarted) return;
  defaultMetricsStarted = true;
  collectDefaultMetrics();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(body));
}
