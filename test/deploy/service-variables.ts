import { oidcFaults } from "@belfry/admin/auth/oidc-settings";
import { configSchema as adminConfig } from "@belfry/admin/config";
import { PROVIDER_CHANNELS, senderService, sentRow, WEBHOOK } from "@belfry/contracts/channels";
import { crossCheck as crossCheckSender, senderConfig } from "@belfry/sending/sender-config";
import { ConfigError, loadConfig } from "@belfry/service/config";
import type { TObject } from "@sinclair/typebox";
import { DispatcherConfig } from "../../services/dispatcher/src/config.ts";
import { configSchema as ingestConfig } from "../../services/ingest-api/src/config.ts";
import {
  crossCheck,
  configSchema as gatewayConfig,
} from "../../services/realtime-gateway/src/config.ts";
import {
  crossCheck as crossCheckWebhooks,
  configSchema as webhooksConfig,
} from "../../services/webhook-sender/src/config.ts";

interface Variables {
  schema: TObject;
  /** Faults of combinations of variables. */
  // biome-ignore lint/suspicious/noExplicitAny: what the schema next to it makes
  crossCheck?: (config: any) => readonly string[];
}

const sender: Variables = { schema: senderConfig, crossCheck: crossCheckSender };

/** Every service with its variables. */
export const SERVICE_VARIABLES: Record<string, Variables> = {
  "ingest-api": { schema: ingestConfig },
  dispatcher: { schema: DispatcherConfig },
  ...Object.fromEntries(PROVIDER_CHANNELS.map((one) => [sentRow(one).sender.service, sender])),
  [senderService(WEBHOOK)]: { schema: webhooksConfig, crossCheck: crossCheckWebhooks },
  "realtime-gateway": { schema: gatewayConfig, crossCheck },
  admin: { schema: adminConfig, crossCheck: oidcFaults },
};

const SECRETS: Record<string, string> = {
  DATABASE_URL: "postgres://belfry:secret@postgres:5432/belfry",
  NATS_URL: "tls://belfry:secret@nats:4222",
  SECRETS_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
  REALTIME_TOKEN_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
  LINK_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
};

const READ_BY_NODE = ["NODE_EXTRA_CA_CERTS"];

/** The errors that a start with these variables would report, and unknown variables. */
export function variableFaults(service: string, env: Readonly<Record<string, string | undefined>>) {
  const variables = SERVICE_VARIABLES[service];
  if (variables === undefined) return [`${service}: no such service`];
  const known = variables.schema.properties;
  const faults = Object.keys(env)
    .filter((name) => known[name] === undefined && !READ_BY_NODE.includes(name))
    .map((name) => `${name}: is not read`);
  const filled = { ...env };
  for (const name of Object.keys(env)) {
    // Every secret must be given by reference.
    if (known[name]?.secret === true) {
      if (env[name] !== undefined) faults.push(`${name}: a secret stands in the open`);
      filled[name] = SECRETS[name] ?? "secret";
    }
  }
  try {
    loadConfig(variables.schema, filled, variables.crossCheck);
  } catch (error) {
    faults.push(...(error instanceof ConfigError ? error.faults : [String(error)]));
  }
  return faults.map((fault) => `${service}: ${fault}`);
}
