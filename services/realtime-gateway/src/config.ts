import { MAX_REALTIME_CHANNEL_BYTES } from "@belfry/contracts/identifiers";
import { parseSecretKeys } from "@belfry/database/secrets";
import { commonConfig, listenConfig } from "@belfry/service/config";
import { parseTokenKeys } from "@belfry/service/realtime-token";
import { type Static, Type } from "@sinclair/typebox";

const MIB = 1024 * 1024;
const MAX_BYTES = 2 ** 31 - 1;
/** Longest wait for a client's answer to a close. The socket is then dropped. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** The environment variables of realtime-gateway. Default limits are those of the protocol's reference server. */
export const configSchema = Type.Object({
  ...commonConfig,
  ...listenConfig("REALTIME_GATEWAY", "the WebSocket server", 3001),
  REALTIME_TOKEN_KEYS: Type.String({
    description:
      "Keys for realtime tokens, each as kid:base64, comma-separated; the first one signs, all verify",
    minLength: 1,
    secret: true,
    parse: parseTokenKeys,
  }),
  SECRETS_KEYS: Type.String({
    description:
      "Keys that encrypt what is secret, as in the other services; for browsers that register for device push",
    minLength: 1,
    secret: true,
    parse: parseSecretKeys,
  }),
  ALLOWED_ORIGINS: Type.String({
    description:
      "Origins of pages that may connect, comma-separated, such as https://app.example.com or https://*.example.com; empty: any. It is a second protection: a connection needs a token in any case, and cookies are not used",
    default: "",
    parse: parseOrigins,
  }),
  MAX_FRAME_BYTES: Type.Integer({
    description: "Maximum bytes of a client's frame; a larger one closes the connection with 1009",
    minimum: 1024,
    maximum: 16 * 1024 * 1024,
    default: 65_536,
  }),
  MAX_QUEUE_BYTES: Type.Integer({
    description:
      "Maximum bytes that wait for a client that does not read, in addition to one reply that it asked for; more close the connection with 3008",
    minimum: 1024,
    maximum: MAX_BYTES,
    default: MIB,
  }),
  MAX_QUEUE_BYTES_PER_USER: Type.Integer({
    description:
      "Maximum bytes that wait on all connections of one user, in both directions; above it, the connection with the most is closed with 3008, and no more large answers are started (error 111)",
    minimum: 1024,
    maximum: MAX_BYTES,
    default: 32 * MIB,
  }),
  MAX_QUEUE_BYTES_IN_ALL: Type.Integer({
    description:
      "Maximum bytes that wait on all connections of this gateway, in both directions; above it, connections with the most bytes of users with the most bytes are closed with 3008. The process needs three times as much memory",
    minimum: 1024,
    maximum: MAX_BYTES,
    default: 128 * MIB,
  }),
  MAX_CHANNELS_PER_CONNECTION: Type.Integer({
    description:
      "Maximum number of subscriptions of one connection; more are answered with error 106",
    minimum: 1,
    default: 128,
  }),
  MAX_CHANNEL_NAME_BYTES: Type.Integer({
    description:
      "Maximum length of a channel name including its user id; a longer one is answered with error 107",
    minimum: 16,
    maximum: MAX_REALTIME_CHANNEL_BYTES,
    default: MAX_REALTIME_CHANNEL_BYTES,
  }),
  MAX_CONNECTIONS: Type.Integer({
    description: "Maximum number of connections of this gateway; more are answered HTTP 503",
    minimum: 1,
    default: 50_000,
  }),
  MAX_CONNECTIONS_PER_USER: Type.Integer({
    description:
      "Maximum number of connections of one user to this gateway; more are closed with 3504",
    minimum: 1,
    default: 100,
  }),
  CONNECTIONS_PER_SECOND: Type.Integer({
    description:
      "Maximum number of new connections per second on average, with bursts of twice as many; more are answered HTTP 503",
    minimum: 1,
    default: 2000,
  }),
  COMMANDS_PER_SECOND: Type.Integer({
    description:
      "Maximum number of commands of one connection per second on average; more are answered with error 111, and a client that continues is closed with 3013",
    minimum: 1,
    default: 50,
  }),
  COMMAND_BURST: Type.Integer({
    description: "Maximum number of commands that one connection may send at once",
    minimum: 1,
    default: 300,
  }),
  CONNECT_TIMEOUT_MS: Type.Integer({
    description:
      "Maximum milliseconds between the handshake and a valid connect; a slower client is closed with 3502",
    minimum: 100,
    maximum: 600_000,
    default: 10_000,
  }),
  PING_INTERVAL_MS: Type.Integer({
    description: "Milliseconds between pings, in whole seconds",
    minimum: 1000,
    maximum: 600_000,
    multipleOf: 1000,
    default: 25_000,
  }),
  PONG_TIMEOUT_MS: Type.Integer({
    description:
      "Maximum milliseconds between a ping and its pong; a slower client is closed with 3012",
    minimum: 100,
    maximum: 600_000,
    default: 8_000,
  }),
  POSITION_CHECK_MS: Type.Integer({
    description:
      "Milliseconds between checks of all positions against Postgres, which find a lost last publication",
    minimum: 100,
    maximum: 600_000,
    default: 15_000,
  }),
  SHUTDOWN_SPREAD_MS: Type.Integer({
    description: "Milliseconds over which the connections are closed at a shutdown",
    minimum: 0,
    maximum: 300_000,
    default: 5_000,
  }),
});
export type Config = Static<typeof configSchema>;

/** Returns faults in the combination of variables. */
export function crossCheck(config: Config): string[] {
  const faults: string[] = [];
  if (config.PONG_TIMEOUT_MS >= config.PING_INTERVAL_MS) {
    faults.push("PONG_TIMEOUT_MS: must be shorter than PING_INTERVAL_MS");
  }
  if (config.MAX_QUEUE_BYTES > config.MAX_QUEUE_BYTES_PER_USER) {
    faults.push("MAX_QUEUE_BYTES: must not be more than MAX_QUEUE_BYTES_PER_USER");
  }
  if (config.MAX_QUEUE_BYTES_PER_USER > config.MAX_QUEUE_BYTES_IN_ALL) {
    faults.push("MAX_QUEUE_BYTES_PER_USER: must not be more than MAX_QUEUE_BYTES_IN_ALL");
  }
  if (config.SHUTDOWN_SPREAD_MS + CLOSE_TIMEOUT_MS >= config.SHUTDOWN_GRACE_MS) {
    faults.push(
      `SHUTDOWN_SPREAD_MS: must be more than ${CLOSE_TIMEOUT_MS} ms shorter than SHUTDOWN_GRACE_MS`,
    );
  }
  return faults;
}

/**
 * Parses a list such as `https://app.example.com,https://*.example.com`, in which `*` means one or more labels. Returns
 * a function that checks a request's Origin. An empty list allows any origin. A request without Origin is allowed,
 * because it does not come from a browser. Throws if an entry is not an origin.
 */
export function parseOrigins(list: string): (origin: string | undefined) => boolean {
  const entries = list.split(",").map((entry) => entry.trim().toLowerCase());
  const patterns = entries.filter((entry) => entry !== "").map(patternOf);
  if (patterns.length === 0) return () => true;
  return (origin) =>
    origin === undefined || patterns.some((pattern) => pattern.test(origin.toLowerCase()));
}

function patternOf(entry: string, index: number): RegExp {
  if (!/^[a-z][a-z0-9+.-]*:\/\/(\*\.)?[a-z0-9._:[\]-]+$/.test(entry)) {
    throw new Error(`origin ${index + 1} is not of the form https://app.example.com`);
  }
  const source = entry.replaceAll(/[.+[\]]/g, "\\$&").replace("://*\\.", "://([a-z0-9-]+\\.)+");
  return new RegExp(`^${source}$`);
}
