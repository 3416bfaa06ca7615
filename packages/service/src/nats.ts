import { readFile } from "node:fs/promises";
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  deadline,
  type NatsConnection,
} from "@nats-io/transport-node";
import { NodeTransport } from "@nats-io/transport-node/lib/node_transport.js";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

const CONNECT_TIMEOUT_MS = 3000;
const RETRY_MS = 500;
/** How often a wait is mentioned in the log. */
const MENTION_EVERY_MS = 5000;
/** A connection that died silently is noticed within two pings. */
const PING_INTERVAL_MS = 5000;
const DRAIN_TIMEOUT_MS = 3000;

// Of a try that a silent server left unanswered the client forgets the socket, which would keep the process.
const { close: closeTransport } = NodeTransport.prototype;
NodeTransport.prototype.close = async function (this: NodeTransport, err?: Error) {
  if (!this.connected) this.socket?.destroy();
  await closeTransport.call(this, err);
};

/** A connection that comes back by itself for as long as the process lives. */
export interface NatsLink extends AsyncDisposable {
  nc: NatsConnection;
  isConnected(): boolean;
  /** Sends what is buffered, then closes. */
  close(): Promise<void>;
}

/** Files by path, as the variables NATS_TLS_… and NATS_CREDENTIALS_FILE name them; empty: none. */
export interface NatsFiles {
  caFile: string;
  certFile: string;
  keyFile: string;
  credentialsFile: string;
}

/** The files that a service's configuration names. */
export function natsFiles(config: {
  NATS_TLS_CA_FILE: string;
  NATS_TLS_CERT_FILE: string;
  NATS_TLS_KEY_FILE: string;
  NATS_CREDENTIALS_FILE: string;
}): NatsFiles {
  return {
    caFile: config.NATS_TLS_CA_FILE,
    certFile: config.NATS_TLS_CERT_FILE,
    keyFile: config.NATS_TLS_KEY_FILE,
    credentialsFile: config.NATS_CREDENTIALS_FILE,
  };
}

export interface ConnectNatsOptions {
  /** Comma-separated; `user:password@` and `token@` are understood; `tls://` is TLS. */
  url: string;
  files?: NatsFiles;
  /** Shown by the server's monitoring. */
  name: string;
  log: Logger;
  /** Ends the wait for the first connection; throws its reason. */
  signal?: AbortSignal;
}

/** Waits until NATS is there, saying so every few seconds; reconnects forever after that. */
export async function connectNats(options: ConnectNatsOptions): Promise<NatsLink> {
  const { log, signal } = options;
  let mentionedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const nc = await connect({
        ...(await serverOptions(options.url, options.files)),
        name: options.name,
        timeout: CONNECT_TIMEOUT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 250,
        pingInterval: PING_INTERVAL_MS,
        maxPingOut: 2,
        // A refused password may be a rotation under way: keep trying rather than close for ever.
        ignoreAuthErrorAbort: true,
        // A stack trace for each request costs more than the request.
        noAsyncTraces: true,
      });
      log.info({ server: nc.getServer(), version: nc.info?.version }, "connected to NATS");
      return createLink(nc, log);
    } catch (err) {
      if (performance.now() - mentionedAt >= MENTION_EVERY_MS) {
        mentionedAt = performance.now();
        log.warn({ err }, "NATS is not reachable: waiting for it");
      }
      await pause(RETRY_MS, signal);
    }
  }
}

function createLink(nc: NatsConnection, log: Logger): NatsLink {
  let connected = true;
  let closing: Promise<void> | undefined;
  const watch = async () => {
    for await (const status of nc.status()) {
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
  watch().catch((err) => log.error({ err }, "NATS status ended"));
  // biome-ignore lint/nursery/noFloatingPromises: what went wrong is its value, it never rejects
  nc.closed().then((err) => {
    connected = false;
    if (closing === undefined) log.fatal({ err }, "NATS connection closed for good");
  });

  const close = () => {
    closing ??= (async () => {
      if (connected) {
        await deadline(nc.drain(), DRAIN_TIMEOUT_MS).catch((err) =>
          log.warn({ err }, "NATS connection did not drain in time"),
        );
      }
      if (!nc.isClosed()) await nc.close();
    })();
    return closing;
  };
  return {
    nc,
    isConnected: () => connected && !nc.isClosed(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The client ignores credentials in an address: take them out and hand them over. */
async function serverOptions(url: string, files?: NatsFiles): Promise<ConnectionOptions> {
  const parsed = url.split(",").map((one) => new URL(one.trim()));
  const first = parsed[0];
  const user = decodeURIComponent(first?.username ?? "");
  const password = decodeURIComponent(first?.password ?? "");
  const caFile = files?.caFile || undefined;
  const certFile = files?.certFile || undefined;
  const keyFile = files?.keyFile || undefined;
  const isTls = parsed.some(({ protocol }) => protocol === "tls:");
  const credentials = files?.credentialsFile ? await readFile(files.credentialsFile) : undefined;
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    ...(user === "" ? {} : password === "" ? { token: user } : { user, pass: password }),
    ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(credentials) }),
    // The client would go on in the clear with a server that offers no TLS, unless this is set.
    ...(isTls || caFile !== undefined || certFile !== undefined
      ? {
          tls: {
            ...(caFile === undefined ? {} : { caFile }),
            ...(certFile === undefined ? {} : { certFile }),
            ...(keyFile === undefined ? {} : { keyFile }),
          },
        }
      : {}),
  };
}
