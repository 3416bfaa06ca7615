/**
 * The clients of the realtime benchmark, in a process of its own: many connections that speak as much of
 * the protocol as they need. Counts what arrives, in order and once, and how long it was under way.
 */
import { parseTokenKeys, signRealtimeToken } from "@belfry/service/realtime-token";
import { encodeCommands, readFrame } from "@belfry/testing/centrifuge-proto";
import { WebSocket } from "ws";
import type { LoadCommand, LoadReport, WireProtocol } from "./realtime-clients.ts";

const REPORT_MS = 5;
/** As the client library waits before it comes back. */
const MIN_BACK_MS = 500;
const MAX_BACK_MS = 20_000;

interface Client {
  user: string;
  protocol: WireProtocol;
  socket: WebSocket | undefined;
  epoch: string;
  offset: number;
  isLive: boolean;
  attempts: number;
}

// biome-ignore lint/style/noProcessEnv: the benchmark's own process has no configuration schema
const { REALTIME_TOKEN_KEYS = "" } = process.env;
const keys = REALTIME_TOKEN_KEYS === "" ? undefined : parseTokenKeys(REALTIME_TOKEN_KEYS);
const clients: Client[] = [];
let url = "";
let tenant = "";
let delivered = 0;
let reported = 0;
let latencies: number[] = [];
let faults = 0;
let unrecovered = 0;
let live = 0;
let comesBack = false;

const send = (report: LoadReport) => process.send?.(report);

setInterval(() => {
  if (delivered === reported) return;
  send({ type: "delivered", count: delivered - reported });
  reported = delivered;
}, REPORT_MS);

process.on("message", async (command: LoadCommand) => {
  switch (command.type) {
    case "connect": {
      url = command.url;
      tenant = command.tenant;
      const queue = command.users.map((user) => {
        const client = {
          user,
          protocol: command.protocol,
          socket: undefined,
          epoch: "",
          offset: 0,
          isLive: false,
          attempts: 0,
        };
        clients.push(client);
        return client;
      });
      const work = async () => {
        for (let client = queue.shift(); client !== undefined; client = queue.shift()) {
          await open(client);
        }
      };
      await Promise.all(Array.from({ length: command.atOnce }, work));
      send({ type: "connected" });
      break;
    }
    case "measure":
      latencies = [];
      send({ type: "measuring" });
      break;
    case "result":
      send({ type: "result", latencies, faults, unrecovered, live });
      break;
    case "come-back":
      comesBack = true;
      send({ type: "measuring" });
      break;
  }
});
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => process.exit());
process.send?.("ready");

/** Resolves when it is subscribed, or with bare servers open. */
async function open(client: Client): Promise<void> {
  const token =
    keys === undefined ? "" : await signRealtimeToken(keys, { sub: client.user, tenant });
  await new Promise<void>((resolve) => {
    const isProtobuf = client.protocol === "protobuf";
    const subprotocols = isProtobuf ? ["centrifuge-protobuf"] : [];
    const socket = new WebSocket(url, subprotocols, { perMessageDeflate: false });
    client.socket = socket;
    const ready = () => {
      if (client.isLive) return;
      client.isLive = true;
      client.attempts = 0;
      live += 1;
      resolve();
    };
    socket.on("open", () => {
      if (keys === undefined) return ready();
      const channel = `personal#${client.user}`;
      const { epoch, offset } = client;
      const recover = epoch === "" ? {} : { recover: true, epoch, offset };
      const commands = [
        { connect: { token }, id: 1 },
        { subscribe: { channel, ...recover }, id: 2 },
      ];
      socket.send(
        isProtobuf
          ? encodeCommands(...commands)
          : commands.map((one) => JSON.stringify(one)).join("\n"),
      );
    });
    socket.on("message", (data) => {
      const onOther = (message: object) => onMessage(client, message, ready);
      if (isProtobuf) {
        readFrame(data as Buffer, (publication) => onPublication(client, publication), onOther);
      } else for (const line of data.toString().split("\n")) onOther(JSON.parse(line));
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (client.isLive) live -= 1;
      client.isLive = false;
      if (!comesBack || client.socket !== socket) return resolve();
      const most = Math.min(MAX_BACK_MS, MIN_BACK_MS * 2 ** client.attempts);
      client.attempts += 1;
      const delayMs = MIN_BACK_MS + Math.random() * (most - MIN_BACK_MS);
      setTimeout(() => resolve(open(client)), delayMs);
    });
  });
}

interface Publication {
  offset: number;
  /** In Protobuf the bytes of its JSON. */
  data: { body: string } | Buffer;
}

interface Message {
  id?: number;
  error?: { code: number };
  connect?: object;
  subscribe?: {
    epoch: string;
    offset?: number;
    was_recovering?: boolean;
    recovered?: boolean;
    publications?: Publication[];
  };
  push?: { pub?: Publication };
}

function onMessage(client: Client, message: Message, ready: () => void): void {
  if (message.push?.pub !== undefined) {
    onPublication(client, message.push.pub);
    return;
  }
  if (message.subscribe !== undefined) {
    const { epoch, offset = 0, was_recovering, recovered, publications = [] } = message.subscribe;
    client.epoch = epoch;
    if (was_recovering === true && recovered !== true) unrecovered += 1;
    if (recovered !== true) client.offset = offset;
    for (const publication of publications) onPublication(client, publication);
    ready();
    return;
  }
  if (message.error !== undefined) client.socket?.close();
  else if (message.id === undefined && message.push === undefined) pong(client);
}

function pong({ socket, protocol }: Client): void {
  socket?.send(protocol === "json" ? "{}" : encodeCommands({}));
}

function onPublication(client: Client, { offset, data }: Publication): void {
  delivered += 1;
  // A bare loop sends one text again and again: its reading costs the same, its order is none.
  if (keys !== undefined && offset !== client.offset + 1) faults += 1;
  client.offset = offset;
  const { body } = Buffer.isBuffer(data) ? JSON.parse(data.toString()) : data;
  const [, sentAt] = /@(\d+)$/.exec(body) ?? [];
  if (sentAt !== undefined) {
    latencies.push(Number(process.hrtime.bigint() - BigInt(sentAt)) / 1e6);
  }
}
