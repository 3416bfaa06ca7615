import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "@belfry/testing/cleanup";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { type Ended, isThere, runProgram } from "../docs/shell.ts";

// biome-ignore lint/style/noProcessEnv: the settings of the tools of this machine
const ENV = process.env as Record<string, string>;

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
export const PYTHON_PACKAGE = at("../../packages/client-python");
export const GO_PACKAGE = at("../../packages/client-go");

/** Returns why the tests of a language are left out, or undefined if they run. */
export async function missingLanguage(language: "Python" | "Go"): Promise<string | undefined> {
  const [command, variable] =
    language === "Go" ? ["go", "BELFRY_WITHOUT_GO"] : ["python3", "BELFRY_WITHOUT_PYTHON"];
  if (ENV[variable!]) return `${variable} is set`;
  return (await isThere(command!)) ? undefined : `no ${command} on this machine`;
}

export async function run(command: string, args: string[], cwd = "/"): Promise<Ended> {
  const ended = await runProgram(command, args, { cwd, env: ENV });
  if (ended.code !== 0) throw new Error(`${command} ${args}: ${ended.out}\n${ended.err}`);
  return ended;
}

const pythons = new WeakMap<Cleanup, Promise<string>>();

/** Installs the client for Python into a clean virtual environment, once for each `t`. Returns its Python. */
export function installPython(t: Cleanup): Promise<string> {
  const python = pythons.get(t) ?? install(t);
  pythons.set(t, python);
  return python;
}

async function install(t: Cleanup): Promise<string> {
  const folder = await temporaryFolder(t, "python");
  await run("python3", ["-m", "venv", folder]);
  const python = join(folder, "bin/python");
  await run(python, ["-m", "pip", "install", "-q", PYTHON_PACKAGE]);
  return python;
}

/** Builds a program of one file with the client for Go, which it gets by a replacement. Returns the program. */
export async function buildGo(t: Cleanup, file: string): Promise<string> {
  const folder = await temporaryFolder(t, "go");
  await copyFile(file, join(folder, "main.go"));
  await run("go", ["mod", "init", "example"], folder);
  const version = "belfry.dev/client-go@v0.1.0";
  await run("go", ["mod", "edit", `-replace=${version}=${GO_PACKAGE}`], folder);
  await run("go", ["get", version], folder);
  await run("go", ["build", "-o", "program", "."], folder);
  return join(folder, "program");
}

export interface DriverCommand {
  client: "tenant" | "management";
  /** The operation's id, or a method of the façade. */
  call: string;
  args: unknown[];
  key?: string;
  options: { base_url: string; api_key: string; webhook_secret?: string };
}

export interface DriverResult {
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any answer
  answer?: any;
  error?: {
    kind: string;
    text: string;
    status: number;
    error: string;
    messages: string[];
    retry_after: number | null;
    trace_id: string;
  };
}

/** A program that makes calls with one of the clients. */
export interface Driver {
  call(command: DriverCommand): Promise<DriverResult>;
  cancel(): void;
}

export const DRIVERS: Record<
  string,
  { language: "Python" | "Go"; canCancel: boolean; start(t: Cleanup): Promise<Driver> }
> = {
  Python: {
    language: "Python",
    canCancel: false,
    start: async (t) => startDriver(t, [await installPython(t), DRIVER_PY, "sync"], snakeCase),
  },
  "Python with await": {
    language: "Python",
    canCancel: true,
    start: async (t) => startDriver(t, [await installPython(t), DRIVER_PY, "async"], snakeCase),
  },
  Go: {
    language: "Go",
    canCancel: true,
    start: async (t) => startDriver(t, [await buildGo(t, at("programs/driver.go"))], capital),
  },
};
const DRIVER_PY = at("programs/driver.py");

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function startDriver(
  t: Cleanup,
  [command = "", ...args]: string[],
  named: (name: string) => string,
): Driver {
  const child = spawn(command, args, { env: ENV, stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = (line: unknown) => child.stdin.write(`${JSON.stringify(line)}\n`);
  return {
    async call(given) {
      tell({ ...given, call: named(given.call) });
      const { value } = await lines.next();
      return JSON.parse(value ?? '{"error":{"kind":"the program ended"}}');
    },
    cancel: () => void tell("cancel"),
  };
}
