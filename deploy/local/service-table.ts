import { join } from "node:path";
import type { LocalKeys } from "./home-folder.ts";
import { type PortVariable, WORKSPACE } from "./settings.ts";

export interface StackFacts {
  databaseUrl: string;
  natsUrl: string;
  keys: LocalKeys;
  ports: Record<PortVariable, number>;
  home: string;
}

export interface ServiceEntry {
  name: string;
  file: string;
  env: Record<string, string>;
}

/** Every service of the stack with the variables that it needs beside its caller's environment. */
export function serviceTable(facts: StackFacts): ServiceEntry[] {
  const common = {
    DATABASE_URL: facts.databaseUrl,
    NATS_URL: facts.natsUrl,
    BELFRY_HOME: facts.home,
  };
  const secrets = { SECRETS_KEYS: facts.keys.secretsKeys };
  const tokens = { REALTIME_TOKEN_KEYS: facts.keys.realtimeTokenKeys };
  const demo = facts.ports.DEMO_PORT;
  const own: Record<string, Record<string, string>> = {
    "ingest-api": {
      ...secrets,
      ...tokens,
      INGEST_API_PORT: String(facts.ports.INGEST_API_PORT),
    },
    dispatcher: {},
    "email-sender": { ...secrets, ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true" },
    "sms-sender": { ...secrets, ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true" },
    "realtime-gateway": {
      ...tokens,
      REALTIME_GATEWAY_PORT: String(facts.ports.REALTIME_GATEWAY_PORT),
      ALLOWED_ORIGINS: `http://127.0.0.1:${demo},http://localhost:${demo}`,
    },
  };
  return Object.entries(own).map(([name, variables]) => ({
    name,
    file: join(WORKSPACE, "services", name, "main.ts"),
    env: { ...common, ...variables },
  }));
}
