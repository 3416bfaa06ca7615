/**
 * The yardsticks of the realtime benchmark. `KIND=fastify`: a bare @fastify/websocket server that holds
 * connections. `KIND=ws`: a bare `ws` server that writes one text to its connections in turn, as fast as
 * they are read: at most `window` texts are under way.
 */
import { createServer } from "node:http";
import websocket from "@fastify/websocket";
import fastify from "fastify";
import { type WebSocket, WebSocketServer } from "ws";

export interface Flood {
  type: "flood";
  text: string;
  window: number;
  /** How long, and what the clients have read so far. */
  seconds: number;
}

// biome-ignore lint/style/noProcessEnv: the benchmark's own process has no configuration schema
const { KIND, PORT } = process.env;
const sockets: WebSocket[] = [];
const HOST = "127.0.0.1";

if (KIND === "fastify") {
  const app = fastify();
  await app.register(websocket, { options: { perMessageDeflate: false } });
  app.get("/", { websocket: true }, () => undefined);
  await app.listen({ host: HOST, port: Number(PORT) });
} else {
  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  server.on("connection", (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => http.listen(Number(PORT), HOST, resolve));
}

let delivered = 0;
process.on("message", (message: Flood | { type: "delivered"; count: number }) => {
  if (message.type === "delivered") delivered += message.count;
  else flood(message);
});
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => process.exit());
process.send?.("ready");

function flood({ text, window, seconds }: Flood): void {
  const until = performance.now() + seconds * 1000;
  let sent = 0;
  delivered = 0;
  const turn = () => {
    for (let room = window - (sent - delivered); room > 0; room -= 1) {
      sockets[sent % sockets.length]?.send(text);
      sent += 1;
    }
    if (performance.now() < until) setImmediate(turn);
    else process.send?.({ type: "flooded", sent });
  };
  turn();
}
