import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { GO_PACKAGE, PYTHON_PACKAGE } from "../client-languages/installed.ts";

const SAMPLES = new URL("../../examples/", import.meta.url);
const BRINGING_TIMEOUT_MS = 120_000;

/** A sample of the guide: how its library comes into an empty folder, and how it is started there. */
export interface SampleReceiver {
  language: string;
  file: string;
  /** What must be on the PATH. */
  tools: string[];
  /** Each is run in the folder; one that fails is why the sample is not run. */
  bring: string[][];
  command(port: number): string[];
  env?: Record<string, string>;
}

export const RECEIVERS: SampleReceiver[] = [
  {
    language: "Node",
    file: "receiver.mjs",
    tools: [],
    bring: [],
    command: () => [process.execPath, "receiver.mjs"],
  },
  {
    language: "Python",
    file: "receiver.py",
    tools: ["python3"],
    bring: [
      [
        "python3",
        "-m",
        "pip",
        "install",
        "-q",
        "--target",
        "brought",
        "flask==3.*",
        PYTHON_PACKAGE,
      ],
    ],
    command: (port) => ["python3", "-m", "flask", "--app", "receiver", "run", "--port", `${port}`],
    env: { PYTHONPATH: "brought" },
  },
  {
    language: "Go",
    file: "receiver.go",
    tools: ["go"],
    bring: [
      ["go", "mod", "init", "receiver"],
      ["go", "mod", "edit", `-replace=belfry.dev/client-go@v0.1.0=${GO_PACKAGE}`],
      ["go", "get", "belfry.dev/client-go@v0.1.0"],
      ["go", "build", "-o", "receiver", "."],
    ],
    command: () => ["./receiver"],
  },
  {
    language: "PHP",
    file: "receiver.php",
    tools: ["php", "composer"],
    bring: [["composer", "require", "-q", "-n", "standard-webhooks/standard-webhooks"]],
    command: (port) => ["php", "-S", `127.0.0.1:${port}`, "receiver.php"],
  },
  {
    language: "Ruby",
    file: "receiver.ru",
    tools: ["ruby", "gem"],
    bring: [["gem", "install", "-q", "-i", "brought", "rackup", "webrick", "standardwebhooks"]],
    command: (port) => [
      "ruby",
      "brought/bin/rackup",
      "-q",
      "-o",
      "127.0.0.1",
      "-p",
      `${port}`,
      "receiver.ru",
    ],
    env: { GEM_HOME: "brought" },
  },
];

// biome-ignore lint/style/noProcessEnv: the languages' own tools and settings of this machine
const MACHINE = process.env;

/** Puts the sample and its library into an empty folder. Returns why not, where that cannot be. */
export async function bringReceiver({ file, tools, bring }: SampleReceiver, folder: string) {
  await copyFile(new URL(file, SAMPLES), join(folder, file));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await mkdir(join(folder, "node_modules"));
  const library = new URL("../node_modules/standardwebhooks", import.meta.url).pathname;
  await symlink(library, join(folder, "node_modules/standardwebhooks"));
  for (const tool of tools) {
    if (!(await isOnPath(tool))) return `no ${tool} on this machine`;
  }
  for (const [command = "", ...args] of bring) {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...MACHINE, COMPOSER_ALLOW_SUPERUSER: "1" },
      stdio: ["ignore", "ignore", "pipe"],
      signal: AbortSignal.timeout(BRINGING_TIMEOUT_MS),
    });
    const ended = once(child, "close").then(
      ([code]) => code as number | null,
      (error: Error) => error.message,
    );
    const errors = await text(child.stderr);
    const end = await ended;
    if (end !== 0) return `${command} did not bring it: ${end} ${errors.trim().slice(-300)}`;
  }
  return undefined;
}

export interface RunningReceiver {
  url: string;
  inbox: string;
  /** Its standard error so far. */
  errors(): string;
}

/** Starts it and waits for its port; undefined, when it ended before. It ends with the test. */
export async function startReceiver(
  t: Cleanup,
  receiver: SampleReceiver,
  folder: string,
  secret: string,
): Promise<RunningReceiver | undefined> {
  const port = await freePort();
  const inbox = join(folder, `inbox-${port}`);
  const [command = "", ...args] = receiver.command(port);
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      ...MACHINE,
      ...receiver.env,
      BELFRY_SIGNING_SECRET: secret,
      INBOX: inbox,
      PORT: String(port),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  while (child.exitCode === null && child.signalCode === null) {
    if (await answers(port))
      return { url: `http://127.0.0.1:${port}/`, inbox, errors: () => errors };
    await sleep(50);
  }
  return undefined;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isOnPath(command: string): Promise<boolean> {
  const folders = (MACHINE.PATH ?? "").split(":").filter((folder) => folder !== "");
  const found = await Promise.allSettled(folders.map((folder) => access(join(folder, command))));
  return found.some(({ status }) => status === "fulfilled");
}
