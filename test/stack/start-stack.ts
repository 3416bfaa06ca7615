import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalJson } from "@belfry/local/home-folder";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";

const ROOT = resolve(import.meta.dirname, "../..");
/** Later than any machine is slow: a start may follow a crash of Postgres. */
const PATIENCE_MS = 240_000;
/** A look at every process of the machine is no small thing. */
const LOOK_EVERY_MS = 200;

/** How the command is typed: by itself, or through the chain of a newcomer's machine. */
export const LAUNCHER = [process.execPath, "deploy/local/main.ts"] as const;
export const NPX = ["npx", "--yes", "pnpm@12", "start"] as const;

export interface Home {
  path: string;
  env: Record<string, string>;
}

export interface RunningStack extends BegunStack {
  local: LocalJson;
  startedInMs: number;
}

interface BegunStack {
  /** The process of the typed command. */
  child: ChildProcess;
  /** All that it wrote. */
  output(): string;
}

/** A home folder and ports of this test's own; removed, whatever runs there killed, after it. */
export async function newHome(t: Cleanup, env: Record<string, string> = {}): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), "belfry-stack-"));
  const home: Home = {
    path,
    env: {
      BELFRY_HOME: path,
      INGEST_API_PORT: String(await freePort()),
      REALTIME_GATEWAY_PORT: String(await freePort()),
      ADMIN_PORT: String(await freePort()),
      DEMO_PORT: String(await freePort()),
      ...env,
    },
  };
  t.after(async () => {
    const elsewhere = await placesOf(home);
    for (const { pid } of await processesOf(home)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself meanwhile.
      }
    }
    for (const place of elsewhere) {
      await rm(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  });
  return home;
}

/** Starts the stack and waits for its `local.json`. Throws with the output when it ends before. */
export async function startStack(
  home: Home,
  command: readonly string[] = LAUNCHER,
): Promise<RunningStack> {
  const startedAt = performance.now();
  const { child, output } = launch(home, command);
  for (;;) {
    const local = await readJson<LocalJson>(join(home.path, "local.json"));
    const startedInMs = performance.now() - startedAt;
    // Written before the last lines are printed.
    if (local !== undefined && output().includes("Ctrl-C stops")) {
      return { local, child, output, startedInMs };
    }
    if (child.exitCode !== null || startedInMs > PATIENCE_MS) {
      throw new Error(`the stack did not start:\n${output()}`);
    }
    await sleep(50);
  }
}

/** Starts the stack, and waits until it has its home folder and has begun to start a service. */
export async function beginStack(home: Home, command: readonly string[]): Promise<BegunStack> {
  const begun = launch(home, command);
  const isService = ({ command }: { command: string }) => /services\/\S+\/main\.ts/.test(command);
  while (!(await processesOf(home)).some(isService)) {
    if (begun.child.exitCode !== null) throw new Error(`no stack:\n${begun.output()}`);
    await sleep(LOOK_EVERY_MS);
  }
  return begun;
}

/** Runs the command to its end. */
export async function runToEnd(home: Home): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(home, LAUNCHER);
  const [code] = await once(child, "close");
  return { code, output: output() };
}

function launch(home: Home, command: readonly string[]) {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    // biome-ignore lint/style/noProcessEnv: as a newcomer's shell would
    env: { ...process.env, ...home.env },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
    });
  }
  return { child, output: () => text };
}

/** The process that holds the stack, and those above it up to the typed command. */
export async function chainOf(home: Home, stack: BegunStack): Promise<number[]> {
  const holder = await readJson<{ pid: number }>(join(home.path, "stack.json"));
  const chain: number[] = [];
  let at = holder?.pid ?? 0;
  while (at > 1) {
    chain.push(at);
    if (at === stack.child.pid) return chain;
    const stat = await readFile(`/proc/${at}/stat`, "latin1");
    at = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  }
  throw new Error(`the stack is not below the typed command: ${chain}`);
}

/** Every process that carries the home folder in its environment, arguments or working directory. */
export async function processesOf(home: Home): Promise<{ pid: number; command: string }[]> {
  const places = await placesOf(home);
  const found: { pid: number; command: string }[] = [];
  const isHere = (mark: string) => places.some((place) => mark.includes(place));
  // Nothing of this waits for a disk, and asked one by one it takes a tenth of the time.
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    try {
      const read = (name: string) => readFileSync(`/proc/${entry}/${name}`, "utf8");
      const command = read("cmdline");
      if (
        isHere(command) ||
        isHere(read("environ")) ||
        isHere(readlinkSync(`/proc/${entry}/cwd`))
      ) {
        found.push({ pid: Number(entry), command: command.replaceAll("\0", " ").trim() });
      }
    } catch {
      // It has ended meanwhile, or is another user's.
    }
  }
  return found;
}

/** Waits until nothing of the stack is left; what stays all the same is the answer. */
export async function leftovers(home: Home): Promise<string[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = await processesOf(home);
    if (left.length === 0 || performance.now() > deadline)
      return left.map(({ command }) => command);
    await sleep(LOOK_EVERY_MS);
  }
}

/** The home folder, and where root's Postgres keeps its files instead. */
async function placesOf(home: Home): Promise<string[]> {
  const location = await readFile(join(home.path, "postgres", "location"), "utf8").catch(() => "");
  return [home.path, ...(location.trim() === "" ? [] : [location.trim()])];
}

async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}
