import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { quickStart } from "./quick-start.ts";

interface Cleanup {
  after(fn: () => Promise<void>): void;
}

interface StartProcessOptions {
  /** The program: a URL such as `new URL("./main.ts", import.meta.url)`, or a path. */
  main: string | URL;
  /** The child's environment. PATH, STOP_WITH_PARENT and, unless given, MANAGEMENT_PORT (a free port) are added. */
  env?: Record<string, string>;
  args?: string[];
  /** If false, `startProcess` does not wait for `/health/ready`. Default: true. */
  waitUntilReady?: boolean;
  readyTimeoutMs?: number;
}

/** A program in a process of its own, as in production. */
export interface TestProcess {
  pid: number;
  managementPort: number;
  /** Every line of standard output so far. */
  lines: string[];
  /** Returns the lines that are JSON, parsed. */
  logs(): Record<string, unknown>[];
  errors(): string;
  /** Resolves when the process has ended; `code` is null if a signal ended it. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  signal(name: NodeJS.Signals): void;
  /** Closes the IPC channel, as the end of the parent process would. */
  abandon(): void;
  /** Sends SIGTERM, waits for the end and returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Waits until `/health/ready` succeeds or, if `isReady` is false, until it fails with an HTTP error. */
  waitUntilReady(isReady?: boolean, timeoutMs?: number): Promise<void>;
}

/**
 * Starts a program with this Node.js and kills it after the test. The test fails if the program ended by itself after
 * it was ready, or because of an uncaught error.
 */
export async function startProcess(t: Cleanup, options: StartProcessOptions): Promise<TestProcess> {
  const managementPort = Number(options.env?.MANAGEMENT_PORT ?? (await freePort()));
  const main = options.main instanceof URL ? options.main.pathname : options.main;
  const child = spawn(process.execPath, [main, ...(options.args ?? [])], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      // biome-ignore lint/style/noProcessEnv: the child needs the PATH and nothing else of ours
      PATH: process.env.PATH,
      STOP_WITH_PARENT: "true",
      MANAGEMENT_PORT: String(managementPort),
      ...options.env,
      ...quickStart(options.env?.NODE_OPTIONS),
    },
  });
  const lines: string[] = [];
  let errors = "";
  createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
  child.stderr!.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  let isReady = false;
  let isAsked = false;
  let endedByItself = false;
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => {
      endedByItself = isReady && !isAsked;
      resolve({ code, signal });
    });
  });
  // SIGSTOP and SIGCONT do not ask the process to end.
  const signal = (name: NodeJS.Signals) => {
    isAsked ||= name !== "SIGSTOP" && name !== "SIGCONT";
    child.kill(name);
  };
  await once(child, "spawn");

  const started: TestProcess = {
    pid: child.pid!,
    managementPort,
    lines,
    logs: () => lines.flatMap(parseLine),
    errors: () => errors,
    exited,
    signal,
    abandon() {
      isAsked = true;
      child.disconnect();
    },
    async stop() {
      signal("SIGTERM");
      return (await exited).code;
    },
    async kill() {
      signal("SIGKILL");
      await exited;
    },
    waitUntilReady: (isReady = true, timeoutMs = options.readyTimeoutMs ?? 60_000) =>
      waitUntilReady(started, child, isReady, timeoutMs),
  };
  t.after(async () => {
    await started.kill();
    if (endedByItself || started.logs().some(isUncaught)) {
      throw new Error([`${main} ended by itself`, ...lastWords(started)].join("\n"));
    }
  });
  if (options.waitUntilReady !== false) {
    await started.waitUntilReady();
    isReady = true;
  }
  return started;
}

async function waitUntilReady(
  started: TestProcess,
  child: ChildProcess,
  isReady: boolean,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let last = "no answer";
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      last = "it has ended";
      break;
    }
    try {
      const response = await fetch(`http://127.0.0.1:${started.managementPort}/health/ready`);
      last = await response.text();
      if (response.ok === isReady) return;
    } catch (error) {
      last = String(error);
    }
    await sleep(100);
  }
  throw new Error(
    [
      `process ${started.pid} was not ${isReady ? "ready" : "unready"}: ${last}`,
      ...lastWords(started),
    ].join("\n"),
  );
}

/** Whether a line is the fatal one that `listenForStop` logs; `origin` is Node.js's name for the error's source. */
function isUncaught({ level, origin }: Record<string, unknown>): boolean {
  return level === "fatal" && origin !== undefined;
}

function lastWords(started: TestProcess): string[] {
  return [...started.lines.slice(-20), started.errors().slice(-4000)];
}

function parseLine(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
