import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SMALL_HEAP } from "./small-heap.ts";
import type { Run } from "./supervise.ts";

const POLL_MS = 50;
/** Longer than the grace that the stack gives its services. */
const STOP_TIMEOUT_MS = 12_000;

export interface ServiceProcess {
  /** Path of `main.ts`. */
  file: string;
  env: Record<string, string | undefined>;
  managementPort: number;
  /** Where clients connect; a service may be healthy a moment before it listens there. */
  port: number | undefined;
  /** Appended to. */
  logFile: string;
}

/** Starts a service, in our process group: it ends when we are gone. */
export async function startService(service: ServiceProcess): Promise<Run> {
  const log = openSync(service.logFile, "a", 0o600);
  const child = spawn(process.execPath, [...SMALL_HEAP, service.file], {
    // The channel is how the service notices that we are gone.
    stdio: ["ignore", log, log, "ipc"],
    env: {
      ...service.env,
      MANAGEMENT_PORT: String(service.managementPort),
      STOP_WITH_PARENT: "true",
    },
  });
  closeSync(log);
  let running = true;
  const ended = new Promise<string>((resolve) => {
    const settle = (why: string) => {
      running = false;
      resolve(why);
    };
    child.once("error", (error) => settle(error.message));
    child.once("exit", (code, killedBy) => settle(killedBy ?? `exit code ${code}`));
  });
  const becomeReady = async () => {
    while (running && !(await isReady(service))) await sleep(POLL_MS);
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

async function isReady(service: ServiceProcess): Promise<boolean> {
  if (!(await saysReady(service.managementPort))) return false;
  return service.port === undefined || (await accepts(service.port));
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

/** Whether `/health/ready` of the port answers 200. */
function saysReady(port: number): Promise<boolean> {
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
