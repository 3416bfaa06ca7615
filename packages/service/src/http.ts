import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Histogram } from "prom-client";
import { answerBrokenRequest, dropRest, hasHostFault, problemOf } from "./http-problems.ts";
import type { Logger } from "./logger.ts";
import { histogram } from "./metrics.ts";
import { traceIdOf } from "./trace-id.ts";
import { type Span, spanFields } from "./tracing.ts";

const SECOND_MS = 1000;
/** The timeouts in ms for a client to send its headers, and the whole request. */
const HEADERS_TIMEOUT_MS = 10 * SECOND_MS;
const REQUEST_TIMEOUT_MS = 15 * SECOND_MS;
/** The interval in ms in which the server checks for slow clients. */
const CHECK_EVERY_MS = 2 * SECOND_MS;
/** The time in ms after which a connection without traffic is closed. */
const SILENT_SOCKET_MS = 120 * SECOND_MS;
const MAX_PARAMETER_CHARACTERS = 2048;
/** The time in ms that a shutdown waits for requests that are still being received. */
const CLOSE_TIMEOUT_MS = 10 * SECOND_MS;
const CLOSE_SWEEP_MS = 50;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Set by `rejectOtherPaths`. */
    isFallback?: true;
  }
  interface FastifyRequest {
    /** More fields for the log line of this request, such as tenant and event ids. */
    logFields: Record<string, unknown> | undefined;
    /** The request's span. It ends with the answer, and gets its status and the log fields `eventId` and `outcome`. */
    span: Span | undefined;
  }
}

export interface HttpServerOptions {
  log: Logger;
  /** The maximum size of a body in bytes (`MAX_BODY_BYTES`). A longer body is answered 413. */
  maxBodyBytes: number;
  /** How handlers get a body of `application/json`: "raw" as a Buffer, or "parsed" (the default) as the JSON value. */
  jsonBody?: "parsed" | "raw";
  /** The proxies whose `X-Forwarded-For` is trusted. */
  trustProxy?: boolean | string | string[];
  /** Set by tests of slow clients. */
  timeouts?: { headersMs: number; requestMs: number; checkEveryMs: number };
}

/**
 * Creates a Fastify server. Errors have the three fields of the specification; an unknown path is answered 404, a
 * known path with another method 405 with `Allow`; every answer has `X-Trace-Id`. `request.id` is the trace id (see
 * `traceIdOf`). It logs one line per request, with nothing that the client sent except the trace id.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log } = options;
  const timeouts = options.timeouts ?? {
    headersMs: HEADERS_TIMEOUT_MS,
    requestMs: REQUEST_TIMEOUT_MS,
    checkEveryMs: CHECK_EVERY_MS,
  };
  const serverOptions: FastifyHttpOptions<Server> = {
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request would cost more than the log line. Each line has the trace id of its request.
    childLoggerFactory: (parent) => parent,
    requestIdHeader: false,
    genReqId: ({ headers }) => traceIdOf(headers),
    bodyLimit: options.maxBodyBytes,
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    requestTimeout: timeouts.requestMs,
    connectionTimeout: SILENT_SOCKET_MS,
    forceCloseConnections: "idle",
    // A request that comes in on an open connection during the shutdown is still answered.
    return503OnClosing: false,
    trustProxy: options.trustProxy ?? false,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      // Node's own refusal has no body. `onRequest` refuses instead.
      requireHostHeader: false,
    },
    frameworkErrors: (error, request, reply) => {
      reply.header(HEADERS.traceId, request.id);
      sendProblem(error, request, reply);
      logRequest(request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
  };
  const app = fastify(serverOptions);
  // Node would answer an unknown `Expect` header with a bare 417. We ignore the header.
  app.server.on("checkExpectation", (request, response) =>
    app.server.emit("request", request, response),
  );

  app.decorateRequest("logFields", undefined);
  app.decorateRequest("span", undefined);
  acceptJsonOnly(app, options.jsonBody ?? "parsed");
  const allowedMethods = collectRoutes(app);
  const unknownPathProblem = (url: string): Problem => {
    const allow = allowedMethods(url);
    if (allow === undefined) return new Problem("notFound");
    return new Problem("methodNotAllowed", { headers: { allow } });
  };

  app.addHook("onRequest", (request, reply, done) => {
    reply.header(HEADERS.traceId, request.id);
    const { headers } = request.raw;
    if (hasHostFault(request.raw)) return done(new Problem("badRequest"));
    // We answer an unknown path before the body is read.
    if (request.is404) return done(unknownPathProblem(request.url));
    // Some clients send a content type without a body.
    if (headers["content-type"] !== undefined && hasNoBody(headers)) {
      headers["content-type"] = undefined;
    }
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    logRequest(request, reply);
    if (request.span !== undefined) endSpan(request.span, request, reply);
    done();
  });
  app.addHook("onError", (request, reply, _error, done) => {
    dropRest(request, reply);
    done();
  });
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request) => {
    throw unknownPathProblem(request.url);
  });
  spareAnswersBeingSent(app.server);
  app.addHook("preClose", (done) => {
    // A connection whose last request ends after the close would otherwise stay open.
    const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSE_SWEEP_MS);
    const cutOff = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
    app.server.once("close", () => {
      clearInterval(sweep);
      clearTimeout(cutOff);
    });
    sweep.unref();
    cutOff.unref();
    done();
  });
  return app;
}

/**
 * Makes each answer close its connection once a stop has begun (`Parts.stopping`). A caller that keeps connections alive
 * then opens the next one to another replica. Otherwise it could send a request just when this process closes.
 */
export function closeAfterAnswers(server: Server, stopping: AbortSignal): void {
  const close = (_request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  stopping.addEventListener("abort", () => server.prependListener("request", close), {
    once: true,
  });
}

/**
 * Keeps idle connections open while an answer is being sent. Node counts a connection as idle as soon as its answer is
 * complete in memory, so that it would cut off a large answer to a slow client.
 */
function spareAnswersBeingSent(server: Server): void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const closeIdleConnections = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (![...sockets].some(({ writableLength }) => writableLength > 0)) closeIdleConnections();
  };
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error);
  if (problem.body.statusCode >= 500 && error !== problem) {
    request.log.error({ traceId: request.id, err: error }, "request failed");
  }
  // The content type may be set for the handler's own answer.
  reply.removeHeader("content-type");
  reply.code(problem.body.statusCode).headers(problem.headers).send(problem.body);
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { elapsedTime: durationMs, statusCode } = reply;
  observeRequest(request.method, request.routeOptions.url, statusCode, durationMs);
  request.log.info(
    {
      traceId: request.id,
      method: request.method,
      // We log the pattern, because the path may contain user ids.
      route: request.routeOptions.url,
      status: statusCode,
      ms: Math.round(durationMs * 100) / 100,
      ...request.logFields,
      ...spanFields(request.span),
    },
    "request",
  );
}

function endSpan(
  span: Span,
  { logFields = {} }: FastifyRequest,
  { statusCode }: FastifyReply,
): void {
  const { eventId, outcome } = logFields as Record<string, string | undefined>;
  const attributes = {
    "http.response.status_code": statusCode,
    "belfry.event.id": eventId,
    "belfry.outcome": outcome,
  };
  // For a server's span, OpenTelemetry does not count the client's faults (4xx) as errors.
  span.end(attributes, statusCode >= 500 ? String(statusCode) : undefined);
}

/** Makes the routes of an app or a scope accept JSON bodies, and no other content type. */
export function acceptJsonOnly(app: FastifyInstance, mode: "parsed" | "raw"): void {
  app.removeAllContentTypeParsers();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    (_request, body, done) => {
      if (mode === "raw") return done(null, body);
      if (body.length === 0) return done(null, undefined);
      try {
        done(null, JSON.parse(decoder.decode(body)));
      } catch (cause) {
        done(new Problem("unparsable", { cause }));
      }
    },
  );
}

/**
 * Answers unknown paths below the prefix (such as `/api/v1/manage`) with 404, and unknown methods with 405, even if a
 * wildcard route outside of the prefix matches every path.
 */
export function rejectOtherPaths(app: FastifyInstance, prefix: string): void {
  const config = { isFallback: true } as const;
  app.all(
    `${prefix}/*`,
    { config, onRequest: (_request, reply) => reply.callNotFound() },
    () => "",
  );
}

function hasNoBody(headers: IncomingMessage["headers"]): boolean {
  if (headers["transfer-encoding"] !== undefined) return false;
  const length = headers["content-length"];
  return length === undefined || length === "0";
}

/** Returns a function that returns the methods of a path for `Allow`, or undefined for an unknown path. */
function collectRoutes(app: FastifyInstance): (url: string) => string | undefined {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  /** The prefixes of `rejectOtherPaths`, each with a `/` at its end. Routes from outside do not count below them. */
  const closedPrefixes: string[] = [];
  app.addHook("onRoute", ({ url, method, config }) => {
    if (config?.isFallback === true) {
      closedPrefixes.push(url.slice(0, -1));
      return;
    }
    let route = routes.get(url);
    if (route === undefined) {
      route = { pattern: patternOf(url), methods: new Set() };
      routes.set(url, route);
    }
    for (const one of [method].flat()) route.methods.add(one);
  });
  return (url) => {
    const path = url.split("?", 1)[0] ?? "";
    const methods = new Set(routes.get(path)?.methods);
    // A literal path wins over a pattern with parameters.
    if (methods.size > 0) return [...methods].sort().join(", ");
    const prefix = closedPrefixes.find((one) => path.startsWith(one)) ?? "";
    for (const [url, route] of routes) {
      if (url.startsWith(prefix) && route.pattern.test(path))
        for (const one of route.methods) methods.add(one);
    }
    return methods.size === 0 ? undefined : [...methods].sort().join(", ");
  };
}

function patternOf(url: string): RegExp {
  const source = url
    .split("/")
    .map((part) => {
      if (part.startsWith(":")) return "[^/]*";
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === "*" ? ".*" : `\\${sign}`));
    })
    .join("/");
  return new RegExp(`^${source}$`);
}

const requests = histogram(
  "belfry_http_request_seconds",
  "Seconds from the last byte of a request's head to the end of its response",
  ["method", "route", "status"],
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
);
/** A cache of labelled series, because their look-up costs more than counting. It is small, as routes are patterns. */
const series = new Map<string, Histogram.Internal<"method" | "route" | "status">>();

/** Adds a request to the histogram. `route` is the pattern; undefined for an unknown path. */
export function observeRequest(
  method: string,
  route: string | undefined,
  status: number,
  durationMs: number,
): void {
  const key = `${status} ${method} ${route}`;
  let one = series.get(key);
  if (one === undefined) {
    one = requests.labels({ method, route: route ?? "none", status: String(status) });
    series.set(key, one);
  }
  one.observe(durationMs / 1000);
}
