import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PROBLEMS, type ProblemName } from "@belfry/contracts/problems";
import { collectDefaultMetrics, register } from "prom-client";
import { answerBrokenRequest, hasHostFault } from "./http-problems.ts";
import type { Logger } from "./logger.ts";
import { gauge } from "./metrics.ts";
import { within } from "./pause.ts";

const dependencies = gauge("belfry_dependency_up", "1 if the dependency is reachable, 0 if not", [
  "dependency",
]);

const CACHE_MS = 1000;
const CHECK_TIMEOUT_MS = 1000;

type Checks = Record<string, () => boolean | Promise<boolean>>;

export interface ManagementOptions {
  host: string;
  port: number;
  /** Checks of required dependencies, by name. A dependency is away if its check throws or takes more than a second. */
  checks: Checks;
  /** Checks of optional dependencies. They are reported, but the service stays ready without them. */
  others?: Checks;
  log: Logger;
  /** `Stop.stopping`. When it is aborted, the service is no longer ready. */
  signal: AbortSignal;
}

export interface Management extends AsyncDisposable {
  port: number;
  /** Returns the names of the dependencies that are away. Checks them at most once a second. */
  away(): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts the server of health and metrics on its own port: `/health/live`, `/health/ready`, `/metrics`. */
export async function startManagement(options: ManagementOptions): Promise<Management> {
  const { log, signal } = options;
  const checks = { ...options.others, ...options.checks };
  let cached: { at: number; away: Promise<string[]> } | undefined;
  const away = () => {
    const now = performance.now();
    if (cached === undefined || now - cached.at >= CACHE_MS) {
      cached = { at: now, away: findAway(checks) };
    }
    return cached.away;
  };

  const answerReady = async (response: ServerResponse) => {
    if (signal.aborted) return sendJson(response, 503, { ready: false, away: ["shutting down"] });
    const names = await away();
    const ready = !names.some((name) => name in options.checks);
    sendJson(response, ready ? 200 : 503, { ready, away: names });
  };
  const answerMetrics = async (response: ServerResponse) => {
    startDefaultMetrics();
    const names = await away();
    for (const name of Object.keys(checks)) {
      dependencies.set({ dependency: name }, names.includes(name) ? 0 : 1);
    }
    const text = await register.metrics();
    response.writeHead(200, { "content-type": register.contentType }).end(text);
  };

  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const path = request.url?.split("?", 1)[0];
    const answer = async () => {
      if (hasHostFault(request)) return sendProblem(response, "badRequest");
      if (request.method !== "GET" && request.method !== "HEAD") {
        response.setHeader("allow", "GET, HEAD");
        return sendProblem(response, "methodNotAllowed");
      }
      if (path === "/health/live") return sendJson(response, 200, { live: true });
      if (path === "/health/ready") return answerReady(response);
      if (path === "/metrics") return answerMetrics(response);
      sendProblem(response, "notFound");
    };
    answer().catch((err) => {
      log.error({ err }, "management request failed");
      if (!response.headersSent) sendProblem(response, "internal");
      else response.destroy();
    });
  });
  server.on("clientError", answerBrokenRequest);
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

async function findAway(checks: Checks): Promise<string[]> {
  const names = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        return (await within(check(), CHECK_TIMEOUT_MS, false)) ? [] : [name];
      } catch {
        return [name];
      }
    }),
  );
  return names.flat();
}

let defaultMetricsStarted = false;
/** Starts Node's default metrics at the first scrape, because they cost a little at each garbage collection. */
function startDefaultMetrics(): void {
  if (defaultMetricsStarted) return;
  defaultMetricsStarted = true;
  collectDefaultMetrics();
}

function sendProblem(response: ServerResponse, problem: ProblemName): void {
  sendJson(response, PROBLEMS[problem].statusCode, PROBLEMS[problem]);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
    })
    .end(text);
}
