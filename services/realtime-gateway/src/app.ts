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
/** The JSON client of the JavaScript library offers none by default. */
const SUBPROTOCOLS = ["centrifuge-json", "centrifuge-protobuf"] as const;
/** Parts of one message that wait for the rest; each costs memory beside its bytes. */
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

/** The HTTP server of the gateway, with one route, which speaks WebSocket. */
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
    // After a frame that is too large or malformed, the library is closing already with a fitting code.
    this.close(DISCONNECTS.internal.code, DISCONNECTS.internal.reason);
  }
  await app.register(websocket, {
    options: socketOptions,
    errorHandler: (error, socket) => onError.call(socket, error),
    preClose: (done) => done(),
  });
  app.decorateRequest("response");
  // Nothing else closes the socket of a refused upgrade: the HTTP server no longer tracks it.
  app.addHook("onResponse", (request, _reply, done) => {
    if (request.headers.upgrade !== undefined) request.raw.socket.destroySoon();
    done();
  });
  // The library's own refusals are answered as every other broken request.
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
      // Otherwise a connection would keep some 3 KB: request, response and headers of its handshake.
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

/** A client that has agreed on no subprotocol may ask by the address, as with the protocol's reference server. */
function speaksProtobuf({ protocol }: WebSocket, query: Record<string, unknown>): boolean {
  if (protocol !== "") return protocol === "centrifuge-protobuf";
  return query.cf_protocol === "protobuf" || query.format === "protobuf";
}

/** The same function for all sockets, so that a connection costs no closure. */
function onMessage(this: WebSocket, data: WebSocket.RawData, isBinary: boolean): void {
  const connection = (this as OwnedSocket)[owner];
  try {
    connection.receive(data as Buffer, isBinary);
  } catch (error) {
    connection.session.fault(error);
  }
}

/** 16 bytes in base64 (RFC 6455, 4.1). */
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
