import { resolve } from "node:path";
import { freePort } from "@belfry/testing/free-port";
import { readDockerfile } from "../deploy/dockerfile.ts";
import { type NodeProcess, startNode, untilOk } from "./node-process.ts";
import type { BenchServers } from "./servers.ts";

const SERVICES = resolve(import.meta.dirname, "../../services");

/** Starts a service as it is delivered, on the servers of this run, and waits until it is ready. */
export async function startService(
  name: string,
  servers: BenchServers,
  env: Record<string, string> = {},
): Promise<NodeProcess> {
  const managementPort = await freePort();
  const variables = {
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    SECRETS_KEYS: servers.secretsKeys,
    REALTIME_TOKEN_KEYS: servers.realtimeTokenKeys,
    MANAGEMENT_PORT: String(managementPort),
    // The vendor of this run is on loopback.
    ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
    NODE_ENV: "production",
    ...env,
  };
  const file = resolve(SERVICES, name, "src/main.ts");
  const started = startNode(file, variables, [], await shippedFlags());
  try {
    await untilOk(`http://127.0.0.1:${managementPort}/health/ready`);
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
  return started;
}

const DOCKERFILE = resolve(import.meta.dirname, "../../deploy/docker/Dockerfile");

/** What the image gives Node beside the file that it runs: a service is measured as it is delivered. */
export async function shippedFlags(): Promise<string[]> {
  const instructions = (await readDockerfile(DOCKERFILE)).at(-1)?.instructions ?? [];
  const entry = instructions.find(({ name }) => name === "ENTRYPOINT")?.text ?? "[]";
  const words = JSON.parse(entry) as string[];
  return words.slice(words.indexOf("node") + 1, -1);
}
