import { resolve } from "node:path";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { loadConfig, requireServerUrl } from "@belfry/service/config";
import { Type } from "@sinclair/typebox";
import { isFree } from "./servers/ports.ts";

/** The root folder of the workspace. */
export const WORKSPACE = resolve(import.meta.dirname, "../..");

const port = (description: string, standard: number) =>
  Type.Integer({ description, minimum: 1, maximum: 65_535, default: standard });

/** The ports that users see, each with its variable. */
const PORTS = {
  INGEST_API_PORT: port("Port of the HTTP API", 3000),
  REALTIME_GATEWAY_PORT: port("Port of the WebSocket server", 3001),
  ADMIN_PORT: port("Port of the Admin UI", 3002),
  DEMO_PORT: port("Port of the demo page", 3003),
};
export type PortVariable = keyof typeof PORTS;
const PORT_VARIABLES = Object.keys(PORTS) as PortVariable[];

const LocalConfig = Type.Object({
  ...PORTS,
  BELFRY_HOME: Type.String({
    description: "Folder of the local stack's data, keys and logs",
    minLength: 1,
    default: resolve(WORKSPACE, ".belfry"),
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      description: "A Postgres to use in place of the embedded one",
      pattern: "^postgres(ql)?://",
      parse: requireServerUrl,
    }),
  ),
  NATS_URL: Type.Optional(
    Type.String({
      description: "A NATS server with JetStream to use in place of one of our own",
      pattern: "^(nats|tls)://",
      parse: requireServerUrl,
    }),
  ),
});

export interface LocalSettings {
  home: string;
  ports: Record<PortVariable, number>;
  /** The URL of a Postgres server; undefined: the stack starts the embedded one. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
}

/** Reads the launcher's variables. Throws one `ConfigError` that names all invalid ones. */
export function readSettings(): LocalSettings {
  const { BELFRY_HOME, DATABASE_URL, NATS_URL, ...ports } = loadConfig(LocalConfig);
  return {
    home: resolve(WORKSPACE, BELFRY_HOME),
    ports,
    databaseUrl: DATABASE_URL,
    natsUrl: NATS_URL,
  };
}

/** Returns one line for each port that cannot be used, with its variable. The list is empty if all ports are free. */
export async function portFaults(ports: Record<PortVariable, number>): Promise<string[]> {
  const faults: string[] = [];
  const taken = new Map<number, PortVariable>();
  for (const variable of PORT_VARIABLES) {
    const port = ports[variable];
    const other = taken.get(port);
    taken.set(port, variable);
    if (other !== undefined) {
      faults.push(`${variable} and ${other} are both ${port}: give each a port of its own`);
    } else if (!(await isFree(port))) {
      const example = port + 1000 > 65_535 ? port - 1000 : port + 1000;
      faults.push(
        `port ${port} is taken by another program: set ${variable} to a free one, as ${variable}=${example} npx --yes pnpm@12 start`,
      );
    }
  }
  return faults;
}

/** Returns the addresses that people and programs use. */
export function addresses(ports: Record<PortVariable, number>) {
  return {
    apiUrl: `http://127.0.0.1:${ports.INGEST_API_PORT}`,
    wsUrl: `ws://127.0.0.1:${ports.REALTIME_GATEWAY_PORT}/connection/websocket`,
    adminUrl: `http://127.0.0.1:${ports.ADMIN_PORT}`,
    demoUrl: `http://127.0.0.1:${ports.DEMO_PORT}`,
  };
}

/** The user of the demo page and of the printed curl command, who gets every message. */
export const DEMO_USER = {
  userId: "demo-user",
  recipientEmail: "ada@example.com",
  recipientPhone: "+12025550123",
};

/**
 * Returns a trigger call as one line for bash and zsh. It can be pasted many times, because each call has a new
 * idempotency key. `apiKey` may be a shell variable.
 */
export function curlLine(apiUrl: string, apiKey: string): string {
  const body = {
    eventType: "order.confirmed",
    payload: DEMO_USER,
    variables: { name: "Ada", order: "A-1001", total: "49.90 EUR", delivery: "on Thursday" },
  };
  return [
    `curl -sS ${apiUrl}${TRIGGER_PATH}`,
    `-H 'Content-Type: application/json'`,
    `-H "x-api-key: ${apiKey}"`,
    `-H "X-Idempotency-Key: $(date +%s%N)-$RANDOM"`,
    `-d '${JSON.stringify(body)}'`,
  ].join(" ");
}
