import { resolve } from "node:path";
import { loadConfig } from "@belfry/service/config";
import { Type } from "@sinclair/typebox";

/** The root of the workspace. */
export const WORKSPACE = resolve(import.meta.dirname, "../..");

const port = (description: string, standard: number) =>
  Type.Integer({ description, minimum: 1, maximum: 65_535, default: standard });

export const localConfig = Type.Object({
  BELFRY_HOME: Type.String({
    description: "Folder of the local stack's data, keys and logs",
    minLength: 1,
    default: resolve(WORKSPACE, ".belfry"),
  }),
  INGEST_API_PORT: port("Port of the HTTP API", 3000),
  REALTIME_GATEWAY_PORT: port("Port of the WebSocket server", 3001),
  ADMIN_PORT: port("Port of the Admin UI", 3002),
  DEMO_PORT: port("Port of the demo page", 3003),
  DATABASE_URL: Type.Optional(
    Type.String({
      description: "A Postgres to use in place of the embedded one",
      pattern: "^postgres(ql)?://",
    }),
  ),
  NATS_URL: Type.Optional(
    Type.String({
      description: "A NATS server with JetStream to use in place of one of our own",
      pattern: "^(nats|tls)://",
    }),
  ),
});

/** The ports that people type: a variable each. */
export const PORT_VARIABLES = [
  "INGEST_API_PORT",
  "REALTIME_GATEWAY_PORT",
  "ADMIN_PORT",
  "DEMO_PORT",
] as const;
export type PortVariable = (typeof PORT_VARIABLES)[number];

export interface LocalSettings {
  home: string;
  ports: Record<PortVariable, number>;
  /** Undefined: the embedded server. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
}

/** Reads the launcher's variables; throws one ConfigError that names every bad one. */
export function readSettings(env?: Record<string, string | undefined>): LocalSettings {
  const config = loadConfig(localConfig, env);
  return {
    home: resolve(WORKSPACE, config.BELFRY_HOME),
    ports: {
      INGEST_API_PORT: config.INGEST_API_PORT,
      REALTIME_GATEWAY_PORT: config.REALTIME_GATEWAY_PORT,
      ADMIN_PORT: config.ADMIN_PORT,
      DEMO_PORT: config.DEMO_PORT,
    },
    databaseUrl: config.DATABASE_URL,
    natsUrl: config.NATS_URL,
  };
}
