import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";

/**
 * Programs around the client libraries of other languages. Each gets `{url, protocol, token, channels}` as its argument,
 * connects, subscribes, and prints its events, one JSON object a line. It reads commands, a line each:
 * `{command: "token", token}` answers the event `token`, and `{command: "rpc", id, method, data}` makes a call, whose end
 * is the event `answer`. It ends with its standard input.
 */
export interface ClientSettings {
  url: string;
  protocol: "json" | "protobuf";
  token: string;
  channels: string[];
}

export type ClientEvent =
  | { event: "connected"; client: string }
  | { event: "connecting"; code: number }
  | { event: "disconnected"; code: number; reason: string }
  | { event: "subscribed"; channel: string; wasRecovering: boolean; recovered: boolean }
  | { event: "unsubscribed"; channel: string; code: number }
  | {
      event: "publication";
      channel: string;
      offset: number;
      data: Record<string, string>;
      tags: Record<string, string>;
    }
  | { event: "message"; data: unknown }
  | { event: "token" }
  | { event: "answer"; id: number; data?: unknown; code?: number; message?: string }
  | { event: "error"; message: string };

export interface ClientUnderTest {
  events: readonly ClientEvent[];
  /** Answers the event `token`. */
  giveToken(token: string): void;
  call(method: string, data: unknown): Promise<{ data?: unknown; code?: number; message?: string }>;
}

export type StartClient = (t: Cleanup, settings: ClientSettings) => Promise<ClientUnderTest>;

const run = promisify(execFile);
const FOLDER = import.meta.dirname;
/** A first build downloads its libraries. */
const BUILD_TIMEOUT_MS = 240_000;

/** Builds a program in a temporary folder; returns how to start it. */
type Build = (folder: string) => Promise<[command: string, ...args: string[]]>;

export const PROGRAMS: Record<
  "java" | "go" | "python",
  { protocols: ClientSettings["protocol"][]; hasMessages: boolean; build: Build }
> = {
  java: {
    protocols: ["protobuf"],
    hasMessages: true,
    async build(folder) {
      const copied = ["dependency:copy-dependencies", "-DoutputDirectory=libraries"];
      await build("mvn", ["-q", "-B", ...copied], folder);
      const jars = await readdir(join(folder, "libraries"));
      const path = [folder, ...jars.map((jar) => join(folder, "libraries", jar))].join(":");
      await build("javac", ["-cp", path, "Client.java"], folder);
      return ["java", "-cp", path, "Client"];
    },
  },
  go: {
    protocols: ["json", "protobuf"],
    hasMessages: true,
    async build(folder) {
      await build("go", ["build", "-o", "client", "."], folder);
      return [join(folder, "client")];
    },
  },
  python: {
    protocols: ["json", "protobuf"],
    hasMessages: false,
    async build(folder) {
      await build("python3", ["-m", "venv", "venv"], folder);
      const python = join(folder, "venv/bin/python");
      await build(python, ["-m", "pip", "install", "-q", "-r", "requirements.txt"], folder);
      return [python, join(folder, "client.py")];
    },
  },
};

async function build(command: string, args: string[], cwd: string): Promise<void> {
  try {
    await run(command, args, { cwd, timeout: BUILD_TIMEOUT_MS });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Builds a program once; each start is a process of its own, which ends with its test. */
export async function buildProgram(t: Cleanup, name: keyof typeof PROGRAMS): Promise<StartClient> {
  const folder = await mkdtemp(join(tmpdir(), `belfry-${name}-client-`));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(join(FOLDER, name), folder, { recursive: true });
  const [command, ...args] = await PROGRAMS[name].build(folder);
  return async (t, settings) => {
    const child = spawn(command, [...args, JSON.stringify(settings)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    t.after(() => ended(child));
    return listenTo(child);
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

function listenTo(child: ChildProcess): ClientUnderTest {
  const events: ClientEvent[] = [];
  let errors = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  // What it says beside its events is in the events' message, so that a failed test shows it.
  child.once("exit", (code) => events.push({ event: "error", message: `exit ${code}: ${errors}` }));
  createInterface({ input: child.stdout! }).on("line", (line) => events.push(JSON.parse(line)));
  let calls = 0;
  const tell = (command: object) => child.stdin!.write(`${JSON.stringify(command)}\n`);
  return {
    events,
    giveToken: (token) => void tell({ command: "token", token }),
    async call(method, data) {
      calls += 1;
      const id = calls;
      tell({ command: "rpc", id, method, data });
      return await eventually(() => {
        const answer = events.find((one) => one.event === "answer" && one.id === id);
        if (answer?.event !== "answer") throw new Error(`no answer: ${JSON.stringify(events)}`);
        const { event: _, id: __, ...rest } = answer;
        return rest;
      });
    },
  };
}
