import { join } from "node:path";
import { PROVIDER_CHANNELS, senderService, sentRow, WEBHOOK } from "@belfry/contracts/channels";
import { addresses } from "../addresses.ts";
import type { LocalKeys } from "../home-folder.ts";
import { type PortVariable, WORKSPACE } from "../settings.ts";

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
  /** Where clients connect. */
  port: number | undefined;
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
  const { apiUrl, wsUrl, adminUrl } = addresses(facts.ports);
  const links = { LINK_KEYS: facts.keys.linkKeys, PUBLIC_URL: apiUrl };
  const clientPorts: Record<string, number> = {
    "ingest-api": facts.ports.INGEST_API_PORT,
    "realtime-gateway": facts.ports.REALTIME_GATEWAY_PORT,
    admin: facts.ports.ADMIN_PORT,
  };
  const own: Record<string, Record<string, string>> = {
    "ingest-api": {
      ...secrets,
      ...tokens,
      ...links,
      INGEST_API_PORT: String(facts.ports.INGEST_API_PORT),
      MANAGE_URL: adminUrl,
      ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true",
    },
    dispatcher: { ...secrets, SEARCH_TERMS: "true" },
    ...Object.fromEntries(
      PROVIDER_CHANNELS.map((channel) => [
        sentRow(channel).sender.service,
        { ...secrets, ...links, ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true" },
      ]),
    ),
    [senderService(WEBHOOK)]: { ...secrets, ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true" },
    "realtime-gateway": {
      ...tokens,
      REALTIME_GATEWAY_PORT: String(facts.ports.REALTIME_GATEWAY_PORT),
    },
    admin: {
      ...secrets,
      ...tokens,
      ADMIN_PORT: String(facts.ports.ADMIN_PORT),
      ADMIN_BASE_URL: adminUrl,
      API_URL: apiUrl,
      WS_URL: wsUrl,
      ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
      ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true",
    },
  };
  return Object.entries(own).map(([name, variables]) => ({
    name,
    file: join(WORKSPACE, "services", name, "main.ts"),
    env: { ...common, ...variables },
    port: clientPorts[name],
  }));
}
