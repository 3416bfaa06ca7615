import type { IncomingMessage, ServerResponse } from "node:http";
import { Problem } from "@belfry/contracts/problems";
import { createHttpServer } from "@belfry/service/http";
import { answerBrokenRequest } from "@belfry/service/http-problems";
import type { Logger } from "@belfry/service/logger";
import websocket from "@fastify/websocket";
import type { FastifyInstance } from "fastify";
import type { WebSocket } from "ws";
import { jsonCodec } from "./codec.ts";
import { CLOSE_TIMEOUT_MS } from "./config.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";
import { countClose, countRefusal } from "./gateway-metrics.ts";
import { protobufCodec } from "./protobuf-codec.ts";
import { DISCONNECTS } from "./protocol.ts";
import { TokenBucket } from "./token-bucket.ts";

/** The path to which the client library connects (specification, 4.3). */
export const WEBSOCKET_PATH = "/connection/websocket";
/** The subprotocols that the gateway supports. The JSON client of the JavaScript library offers none by default. */
const SUBPROTOCOLS = ["centrifuge-json", "centrifuge-protobuf"] as const;
/** Most parts of an incomplete message. Each part costs memory in addition to its bytes. */
const MAX_PARTS = 256;

export interface AppOptions {
  connection: ConnectionDeps;
  /** All open connections. */
  connections: Set<Connection>;
  /** Whether new connections are admitted. */
  isOpen(): boolean;
  isAllowedOrigin(origin: string | undefined): boolean;
  maxConnections: number;
  connectionsPerSecond: number;
  maxFrameBytes: number;
  log: Logger;
}

const owner = Symbol("connection");
type OwnedSocket = WebSocket & { [owner]: Connection };

declare module "fastify" {
  interface FastifyRequest {
    response: ServerResponse | undefined;
  }
}

/** Builds the gateway's HTTP server. Its only route is the WebSocket. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { connections, log } = options;
  const { nowMs } = options.connection;
  const { connectionsPerSecond } = options;
  const admissions = new TokenBucket(connectionsPerSecond, connectionsPerSecond * 2, nowMs());
  const app = createHttpServer({ log, maxBodyBytes: 1024 });
  const socketOptions = {
    maxPayload: options.maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
    maxBufferedChunks: MAX_PARTS,
    maxFragments: MAX_PARTS,
    // The library's default accepts the first protocol that the client offers, even an unknown one.
    handleProtocols: (offered: Set<string>) =>
      SUBPROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  };
  function onError(this: WebSocket, error: Error): void {
    log.debug({ err: error }, "a client broke the WebSocket protocol");
    // If the frame was too large or malformed, the library has already begun to close with a fitting code.
    this.close(DISCONNECTS.internal.code, DISCONNECTS.internal.reason);
  }
  await app.register(websocket, {
    options: socketOptions,
    errorHandler: (error, socket) => onError.call(socket, error),
    preClose: (done) => done(),
  });
  app.decorateRequest("response");
  // Closes the socket of a refused upgrade, because the HTTP server no longer tracks this socket.
  app.addHook("onResponse", (request, _reply, done) => {
    if (request.headers.upgrade !== undefined) request.raw.socket.destroySoon();
    done();
  });
  // The library's own refusals get the same answer as every other broken request.
  app.websocketServer.on("wsClientError", answerBrokenRequest);

  app.route({
    method: "GET",
    url: WEBSOCKET_PATH,
    onRequest: (request, reply, done) => {
      request.response = reply.raw;
      const { origin } = request.headers;
      const fault = handshakeFault(request.raw);
      if (request.ws && fault !== undefined) return done(fault);
      if (!options.isAllowedOrigin(origin)) {
        countRefusal("origin");
        request.logFields = { refusedOrigin: String(origin).slice(0, 255) };
        return done(new Problem("forbidden", { message: "This origin is not allowed" }));
      }
      const isFull = connections.size >= options.maxConnections;
      if (!options.isOpen() || isFull || !admissions.take(nowMs())) {
        countRefusal(!options.isOpen() ? "stopping" : isFull ? "full" : "rate");
        return done(new Problem("unavailable", { headers: { "retry-after": "1" } }));
      }
      done();
    },
    handler: () => {
      throw new Problem("badRequest", { message: "This address speaks WebSocket" });
    },
    wsHandler: (socket, request) => {
      const owned = socket as OwnedSocket;
      const stream = request.raw.socket;
      // Otherwise a connection would keep about 3 KB of memory: the request, response and headers of its handshake.
      request.response?.detachSocket(stream);
      owned.removeAllListeners("error").on("error", onError);
      const isProtobuf = speaksProtobuf(socket, request.query as Record<string, unknown>);
      const codec = isProtobuf ? protobufCodec : jsonCodec;
      const connection = new Connection(socket, stream, codec, options.connection);
      owned[owner] = connection;
      connections.add(connection);
      owned.on("message", onMessage);
      stream.on("data", (chunk) => connection.arrived(chunk.length));
      owned.on("close", function onClose(this: WebSocket, code: number) {
        countClose(code);
        connections.delete(connection);
        connection.gone();
      });
    },
  });
  return app;
}

/** Returns whether a client uses Protobuf: by subprotocol, or else by the query, as with the reference server. */
function speaksProtobuf({ protocol }: WebSocket, query: Record<string, unknown>): boolean {
  if (protocol !== "") return protocol === "centrifuge-protobuf";
  return query.cf_protocol === "protobuf" || query.format === "protobuf";
}

/** Handles a message of any socket. All sockets share this function, so that a connection needs no closure. */
function onMessage(this: WebSocket, data: WebSocket.RawData, isBinary: boolean): void {
  const connection = (this as OwnedSocket)[owner];
  try {
    connection.receive(data as Buffer, isBinary);
  } catch (error) {
    connection.session.fault(error);
  }
}

/** Form of Sec-WebSocket-Key: 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSIONS = ["13", "8"];

/** Returns why a request cannot become a WebSocket; undefined if it can. */
function handshakeFault({ headers }: IncomingMessage): Problem | undefined {
  if (headers.upgrade?.toLowerCase() !== "websocket") {
    return new Problem("badRequest", { message: "Upgrade must be websocket" });
  }
  if (!KEY.test(headers["sec-websocket-key"] ?? "")) {
    return new Problem("badRequest", { message: "Sec-WebSocket-Key is missing or invalid" });
  }
  if (!VERSIONS.includes(headers["sec-websocket-version"] ?? "")) {
    return new Problem("badRequest", {
      message: "Sec-WebSocket-Version is missing or not supported",
      headers: { "sec-websocket-version": VERSIONS.join(", ") },
    });
  }
  return undefined;
}
