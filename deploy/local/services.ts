import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROVIDER_CHANNELS, senderService, sentRow, WEBHOOK } from "@belfry/contracts/channels";
import type { HomeFolder, LocalKeys } from "./home-folder.ts";
import { addresses, type LocalSettings, WORKSPACE } from "./settings.ts";
import { type Run, SMALL_HEAP, type Supervised } from "./supervise.ts";

const POLL_MS = 50;
/** Timeout in ms for a service to become ready; long enough for a loaded machine. */
const READY_TIMEOUT_MS = 120_000;
/** Shutdown times in ms for the services. A local stack stops faster than services in a cluster. */
const LOCAL_SHUTDOWN = { SHUTDOWN_GRACE_MS: "10000", SHUTDOWN_SPREAD_MS: "1000" };
/** Timeout in ms after which a service is killed; longer than the grace period above. */
const STOP_TIMEOUT_MS = 12_000;

export interface ServiceEntry {
  /** The service's folder in `services/`. */
  name: string;
  /** The variables that the service needs in addition to the environment of `pnpm start`. */
  env: Record<string, string>;
  /** The port for clients. A service may report that it is ready a moment before it listens on this port. */
  port?: number;
}

/** Returns all services of the stack. */
export function serviceTable(
  { home, ports }: LocalSettings,
  servers: { databaseUrl: string; natsUrl: string },
  keys: LocalKeys,
): ServiceEntry[] {
  const common = {
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    BELFRY_HOME: home,
  };
  const secrets = { ...common, SECRETS_KEYS: keys.secretsKeys };
  const tokens = { REALTIME_TOKEN_KEYS: keys.realtimeTokenKeys };
  const { apiUrl, wsUrl, adminUrl } = addresses(ports);
  const links = { LINK_KEYS: keys.linkKeys, PUBLIC_URL: apiUrl };
  const privateProviders = { ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true" };
  const privateWebhooks = { ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true" };
  return [
    {
      name: "ingest-api",
      port: ports.INGEST_API_PORT,
      env: {
        ...secrets,
        ...tokens,
        ...links,
        ...privateWebhooks,
        INGEST_API_PORT: String(ports.INGEST_API_PORT),
        MANAGE_URL: adminUrl,
      },
    },
    { name: "dispatcher", env: { ...secrets, SEARCH_TERMS: "true" } },
    ...PROVIDER_CHANNELS.map((channel) => ({
      name: sentRow(channel).sender.service,
      env: { ...secrets, ...links, ...privateProviders },
    })),
    { name: senderService(WEBHOOK), env: { ...secrets, ...privateWebhooks } },
    {
      name: "realtime-gateway",
      port: ports.REALTIME_GATEWAY_PORT,
      env: { ...secrets, ...tokens, REALTIME_GATEWAY_PORT: String(ports.REALTIME_GATEWAY_PORT) },
    },
    {
      name: "admin",
      port: ports.ADMIN_PORT,
      env: {
        ...secrets,
        ...tokens,
        ...privateProviders,
        ...privateWebhooks,
        ADMIN_PORT: String(ports.ADMIN_PORT),
        ADMIN_BASE_URL: adminUrl,
        API_URL: apiUrl,
        WS_URL: wsUrl,
      },
    },
  ];
}

/** Starts a service in our process group. The service ends when this process has ended. */
export function startService(service: ServiceEntry, home: HomeFolder): Run {
  const log = openSync(logFile(service.name, home), "a", 0o600);
  const main = join(WORKSPACE, "services", service.name, "src/main.ts");
  const child = spawn(process.execPath, [...SMALL_HEAP, main], {
    // Over this IPC channel the service reports its management port and notices that its parent has ended.
    stdio: ["ignore", log, log, "ipc"],
    env: {
      ...LOCAL_SHUTDOWN,
      // biome-ignore lint/style/noProcessEnv: what the caller sets for a service reaches it
      ...process.env,
      ...service.env,
      // The system chooses a free port.
      MANAGEMENT_PORT: "0",
      STOP_WITH_PARENT: "true",
    },
  });
  closeSync(log);
  let running = true;
  let managementPort: number | undefined;
  child.once("message", (report: { managementPort: number }) => {
    managementPort = report.managementPort;
  });
  const ended = new Promise<string>((resolve) => {
    const settle = (why: string) => {
      running = false;
      resolve(why);
    };
    child.once("error", (error) => settle(error.message));
    child.once("exit", (code, killedBy) => settle(killedBy ?? `exit code ${code}`));
  });
  const isReady = async () =>
    managementPort !== undefined &&
    (await answersReady(managementPort)) &&
    (service.port === undefined || (await accepts(service.port)));
  const becomeReady = async () => {
    while (running && !(await isReady())) await sleep(POLL_MS);
    return running;
  };
  return {
    ready: becomeReady(),
    ended,
    async stop(hurry) {
      if (!running) return;
      const kill = () => child.kill("SIGKILL");
      const timer = setTimeout(kill, STOP_TIMEOUT_MS);
      hurry.addEventListener("abort", kill, { once: true });
      child.kill(hurry.aborted ? "SIGKILL" : "SIGTERM");
      await ended;
      clearTimeout(timer);
      hurry.removeEventListener("abort", kill);
    },
  };
}

/**
 * Waits for the first run of a service to become ready, and reports it with `say`. If the service ends before that or
 * takes too long, rejects with the last lines of its log. Resolves without a report if the stack is stopping.
 */
export async function firstReady(
  { name, first }: Supervised,
  home: HomeFolder,
  say: (line: string) => void,
  stopping: AbortSignal,
): Promise<void> {
  const late = sleep(READY_TIMEOUT_MS, "late" as const, { signal: stopping, ref: false });
  const outcome = await Promise.race([first.ready, late.catch(() => "stopped" as const)]);
  if (outcome === "stopped") return;
  if (outcome === true) return say(`${name} is ready`);
  const why =
    outcome === "late"
      ? `was not ready within ${READY_TIMEOUT_MS / 1000} s`
      : `ended while starting (${await first.ended})`;
  const log = logFile(name, home);
  const text = await readFile(log, "utf8").catch(() => "");
  const lastLines = text.trimEnd().split("\n").slice(-12).join("\n");
  throw new Error(`${name} ${why}; the end of ${log}:\n${lastLines}`);
}

function logFile(name: string, home: HomeFolder): string {
  return join(home.logs, `${name}.log`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

/** Whether `/health/ready` on this port responds with 200. */
function answersReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(
      { host: "127.0.0.1", port, path: "/health/ready", agent: false, timeout: 2_000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(false));
    asked.end();
  });
}
