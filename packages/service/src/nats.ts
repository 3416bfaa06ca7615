import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { addressedMessage, type RealtimeMessage } from "@belfry/contracts/realtime-message";
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  deadline,
  type NatsConnection,
  type NatsConnectionImpl,
} from "@nats-io/transport-node";
import type { CommonConfig } from "./config.ts";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

const CONNECT_TIMEOUT_MS = 3000;
const RETRY_MS = 500;
/** The interval in ms in which a wait is logged. */
const MENTION_EVERY_MS = 5000;
/** The interval of pings in ms. A connection ends after two unanswered ones. */
const PING_INTERVAL_MS = 5000;
const DRAIN_TIMEOUT_MS = 3000;

/** A connection that reconnects by itself for as long as the process lives. */
export interface NatsLink extends AsyncDisposable {
  /** Throws before the first connection. */
  readonly nc: NatsConnection;
  /** Also false before the first connection. */
  isConnected(): boolean;
  /** Sends what is buffered, then closes. */
  close(): Promise<void>;
}

/** Paths of files from the configuration; empty if there is no file. */
export type NatsFiles = Pick<
  CommonConfig,
  "NATS_TLS_CA_FILE" | "NATS_TLS_CERT_FILE" | "NATS_TLS_KEY_FILE" | "NATS_CREDENTIALS_FILE"
>;

export interface ConnectNatsOptions {
  /** The servers' URLs, comma-separated, optionally with `user:password@` or `token@`; `tls://` turns on TLS. */
  url: string;
  files?: NatsFiles;
  /** The name that the server's monitoring shows. */
  name: string;
  log: Logger;
  /** Ends the wait for the first connection, which then throws the signal's reason. */
  signal?: AbortSignal;
}

/** Connects to NATS. Waits until it is reachable, and logs the wait. The link then reconnects for ever. */
export async function connectNats(options: ConnectNatsOptions): Promise<NatsLink> {
  const link = createNatsLink(options);
  await link.connect();
  return link;
}

/** Connects as soon as NATS is reachable, and logs the wait. */
async function firstConnection(options: ConnectNatsOptions): Promise<NatsConnection> {
  const { log, signal } = options;
  let mentionedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const nc = await connectOnce({
        ...(await serverOptions(options.url, options.files)),
        name: options.name,
        timeout: CONNECT_TIMEOUT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 250,
        pingInterval: PING_INTERVAL_MS,
        maxPingOut: 2,
        // A refused password may be due to a rotation under way, so keep trying.
        ignoreAuthErrorAbort: true,
        // A stack trace per request would cost more than the request.
        noAsyncTraces: true,
      });
      log.info({ server: nc.getServer(), version: nc.info?.version }, "connected to NATS");
      return nc;
    } catch (err) {
      if (performance.now() - mentionedAt >= MENTION_EVERY_MS) {
        mentionedAt = performance.now();
        log.warn({ err }, "NATS is not reachable: waiting for it");
      }
      await pause(RETRY_MS, signal);
    }
  }
}

/** The sockets that the client opens during an attempt to connect; undefined after its end. */
const dialled = new AsyncLocalStorage<{ sockets: Socket[] | undefined }>();
subscribe("net.client.socket", (message) => {
  dialled.getStore()?.sockets?.push((message as { socket: Socket }).socket);
});

/**
 * Connects once, and destroys the sockets of a failed attempt. If a server accepts a socket and then sends nothing, the
 * client leaves the socket open, which would keep the process alive.
 */
async function connectOnce(options: ConnectionOptions): Promise<NatsConnection> {
  const attempt: { sockets: Socket[] | undefined } = { sockets: [] };
  try {
    return await dialled.run(attempt, () => connect(options));
  } catch (err) {
    for (const socket of attempt.sockets ?? []) socket.destroy();
    throw err;
  } finally {
    attempt.sockets = undefined;
  }
}

/** Creates a link that is not connected before `connect`, which waits until NATS is reachable. */
export function createNatsLink(
  options: ConnectNatsOptions,
): NatsLink & { connect(): Promise<void> } {
  const { log } = options;
  let nc: NatsConnection | undefined;
  let connected = false;
  let closing: Promise<void> | undefined;
  const watch = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      switch (status.type) {
        case "disconnect":
        case "staleConnection":
          if (connected) log.warn({ status: status.type }, "NATS connection lost: reconnecting");
          connected = false;
          break;
        case "reconnect":
          connected = true;
          log.info({ server: status.server }, "NATS connection is back");
          break;
        case "error":
          log.error({ err: status.error }, "NATS reported an error");
          break;
        case "ldm":
          log.info({ server: status.server }, "NATS server is about to stop: moving");
          break;
        default:
      }
    }
  };
  const end = async () => {
    if (nc === undefined) return;
    if (connected) {
      await deadline(nc.drain(), DRAIN_TIMEOUT_MS).catch((err) =>
        log.warn({ err }, "NATS connection did not drain in time"),
      );
    }
    if (!nc.isClosed()) await nc.close();
    // If the connection is closed during a reconnect, the client leaves the new socket open.
    (nc as NatsConnectionImpl).protocol.transport.discard();
  };
  const close = () => {
    closing ??= end();
    return closing;
  };
  return {
    get nc() {
      if (nc === undefined) throw new Error("NATS is not connected");
      return nc;
    },
    isConnected: () => connected && nc?.isClosed() === false,
    async connect() {
      nc = await firstConnection(options);
      connected = true;
      watch(nc).catch((err) => log.error({ err }, "NATS status ended"));
      // biome-ignore lint/nursery/noFloatingPromises: never rejects, resolves to the error
      nc.closed().then((err) => {
        connected = false;
        if (closing === undefined) log.fatal({ err }, "NATS connection closed for good");
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function serverOptions(url: string, files?: NatsFiles): Promise<ConnectionOptions> {
  const parsed = url.split(",").map((one) => new URL(one.trim()));
  const servers = parsed.map(({ hostname, port }) => `${hostname}:${port || 4222}`);
  const options: ConnectionOptions = { servers, ...credentialsOf(parsed[0]) };
  const caFile = files?.NATS_TLS_CA_FILE ?? "";
  const certFile = files?.NATS_TLS_CERT_FILE ?? "";
  const keyFile = files?.NATS_TLS_KEY_FILE ?? "";
  const isTls = parsed.some(({ protocol }) => protocol === "tls:");
  // If this option is absent, the client accepts a server that offers no TLS. It ignores empty paths.
  if (isTls || caFile !== "" || certFile !== "") options.tls = { caFile, certFile, keyFile };
  if (files?.NATS_CREDENTIALS_FILE) {
    options.authenticator = credsAuthenticator(await readFile(files.NATS_CREDENTIALS_FILE));
  }
  return options;
}

/** Returns the credentials in a URL as options, because the client ignores them in URLs. */
function credentialsOf(address: URL | undefined): ConnectionOptions {
  const user = decodeURIComponent(address?.username ?? "");
  const pass = decodeURIComponent(address?.password ?? "");
  if (user === "") return {};
  return pass === "" ? { token: user } : { user, pass };
}

/** Sends a message to a user's open pages on every gateway, as `publishNow` does. */
export function announce(
  nats: Pick<NatsLink, "nc" | "isConnected"> | undefined,
  prefix: string,
  tenantId: string,
  what: RealtimeMessage,
): boolean {
  if (nats === undefined) return false;
  const { subject, message } = addressedMessage(prefix, tenantId, what);
  return publishNow(nats, subject, message);
}

/**
 * Publishes a message without confirmation. Never throws. Publishes nothing and returns false while NATS is away,
 * because a buffered message could arrive minutes late.
 */
export function publishNow(
  nats: Pick<NatsLink, "nc" | "isConnected">,
  subject: string,
  message: string | Uint8Array = "",
): boolean {
  if (!nats.isConnected()) return false;
  try {
    nats.nc.publish(subject, message);
    return true;
  } catch {
    // The connection is being closed.
    return false;
  }
}

const FLUSH_TIMEOUT_MS = 2000;

/**
 * Publishes messages that no stream stores. Resolves when the server has received all; throws if that is not certain.
 * Publishes nothing while NATS is away, because a buffered message could arrive minutes late.
 */
export async function publishAll(
  nats: Pick<NatsLink, "nc" | "isConnected">,
  messages: readonly { subject: string; message: string | Uint8Array }[],
): Promise<void> {
  if (!nats.isConnected()) throw new Error("NATS is not connected");
  for (const { subject, message } of messages) nats.nc.publish(subject, message);
  await deadline(nats.nc.flush(), FLUSH_TIMEOUT_MS);
}
