import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { createOpenGate } from "@belfry/testing/gate";
import { startProcess, type TestProcess } from "@belfry/testing/processes";

/** The replicas that run at the start. */
export const REPLICAS = {
  "ingest-api": "ingest-api",
  "ingest-api 2": "ingest-api",
  dispatcher: "dispatcher",
  "email-sender": "email-sender",
  "sms-sender": "sms-sender",
  "realtime-gateway": "realtime-gateway",
} as const;
export type ReplicaName = keyof typeof REPLICAS;

/** The source tree of this version. */
export const TREE = new URL("../../", import.meta.url);
/** A readiness probe of Kubernetes notices within this time that a replica is not ready. */
const PROBE_MS = 3_000;
const PORTS: Record<string, string> = {
  "ingest-api": "INGEST_API_PORT",
  "realtime-gateway": "REALTIME_GATEWAY_PORT",
  admin: "ADMIN_PORT",
};

/** Starts the replicas as processes, of the version in `tree`; they are found by name. */
export async function startServices(
  t: Cleanup,
  env: Record<string, string>,
  options: { tree?: URL; replicas?: Readonly<Record<string, string>> } = {},
) {
  let { tree = TREE } = options;
  const replicas = options.replicas ?? REPLICAS;
  const running = new Map<string, { service: string; process: TestProcess; port: number }>();

  const started: TestProcess[] = [];
  const start = async (service: string, port: number, more: Record<string, string> = {}) => {
    const process = await startProcess(t, {
      main: new URL(`services/${service}/src/main.ts`, tree),
      readyTimeoutMs: 240_000,
      env: {
        ...env,
        ...(PORTS[service] === undefined ? {} : { [PORTS[service]]: String(port) }),
        ...more,
      },
    });
    started.push(process);
    return process;
  };
  const find = (name: string) => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`no process ${name}`);
    return found;
  };
  await Promise.all(
    Object.entries(replicas).map(async ([name, service]) => {
      const port = await freePort();
      running.set(name, { service, port, process: await start(service, port) });
    }),
  );
  const gatewayUrl = () => `ws://127.0.0.1:${find("realtime-gateway").port}/connection/websocket`;
  const apiUrl = (port: number) => `http://127.0.0.1:${port}`;
  const gate = await createOpenGate(t, gatewayUrl());

  const services = {
    /** Later replicas are of the version in this tree. */
    startFrom(next: URL) {
      tree = next;
    },
    /** The ingest-api replicas behind the load balancer. */
    apiUrls: (["ingest-api", "ingest-api 2"] as const).map((name) => apiUrl(find(name).port)),
    /** The gateway's URL, which stays the same when its process is replaced. */
    wsUrl: gate.url,
    process: (name: string) => find(name).process,
    port: (name: string) => find(name).port,
    /** The errors that all processes have logged so far: the service, the line and the error's message. */
    errors: () =>
      started.flatMap((one) =>
        one
          .logs()
          .filter(({ level }) => level === "error" || level === "fatal")
          .map(({ service, msg, err }) => `${service}: ${msg}: ${(err as Error)?.message}`),
      ),
    /** Starts another replica, which neither gate nor balancer uses. */
    async startMore(name: string, service: string, more: Record<string, string> = {}) {
      const process = await start(service, 0, more);
      running.set(name, { service, process, port: 0 });
      return process;
    },
    /** SIGTERM, and waits for the end. */
    stop: (name: string) => stopped(name, find(name).process),
    /** SIGKILL. */
    kill: (name: string) => find(name).process.kill(),
    /** Starts a stopped or killed replica again on its old port. */
    async restart(name: string, more: Record<string, string> = {}) {
      const { service, port } = find(name);
      running.set(name, { service, port, process: await start(service, port, more) });
    },
    /**
     * Rolling update: starts a new process, then stops the old one. With SHUTDOWN_DELAY_MS the balancer sends requests
     * to the old one until a probe has seen that it is not ready.
     */
    async roll(name: string, more: Record<string, string> = {}): Promise<void> {
      const { service, ...old } = find(name);
      const port = await freePort();
      const process = await start(service, port, more);
      running.set(name, { service, port, process });
      if (name === "realtime-gateway") gate.leadTo(gatewayUrl());
      if (service !== "ingest-api") return await stopped(name, old.process);
      services.apiUrls = [...services.apiUrls, apiUrl(port)];
      const leave = () => {
        services.apiUrls = services.apiUrls.filter((url) => url !== apiUrl(old.port));
      };
      if (env.SHUTDOWN_DELAY_MS === undefined) {
        leave();
        return await stopped(name, old.process);
      }
      const noticed = () => old.process.waitUntilReady(false).then(() => sleep(PROBE_MS));
      await Promise.all([stopped(name, old.process), noticed().then(leave)]);
    },
  };
  return services;
}

async function stopped(name: string, process: TestProcess): Promise<void> {
  const code = await process.stop();
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${process.errors()}`);
}
