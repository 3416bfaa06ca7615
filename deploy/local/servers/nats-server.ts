import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, constants, mkdir, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";

const run = promisify(execFile);
const READY_TIMEOUT_MS = 60_000;
/** Folders of daemons that an ordinary user's PATH lacks. */
const MORE_PLACES = ["/usr/local/bin", "/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin"];

/** `stop` sends SIGTERM, at which the server writes its state and ends. */
export interface NatsServer extends GuardedProcess {
  url: string;
  version: string;
}

export interface NatsServerOptions {
  /** JetStream's files; kept over restarts. */
  storeDir: string;
  port: number;
  log: (line: string) => void;
  /** Every acknowledged message is on the disk first, where the server (2.10 or newer) can do it. */
  durable?: boolean;
  /** Path of the program; without it, the one on the PATH. */
  program?: string;
  /** May install the program by the platform's package manager. */
  mayInstall?: boolean;
}

/** Starts a nats-server with JetStream on loopback. It ends with this process. */
export async function startNats(options: NatsServerOptions): Promise<NatsServer> {
  const program =
    options.program ??
    (await findNatsServer({ mayInstall: options.mayInstall ?? false, log: options.log }));
  const version = await versionOf(program);
  await mkdir(options.storeDir, { recursive: true });
  const configFile = join(options.storeDir, "nats-server.conf");
  const name = `belfry-${randomUUID()}`;
  await writeFile(configFile, configuration(options, version, name));

  const url = `nats://127.0.0.1:${options.port}`;
  const lastLines: string[] = [];
  const server = startGuarded({
    command: program,
    args: ["-c", configFile],
    env: {},
    stopSignal: "TERM",
    onLine(line) {
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      options.log(line);
    },
  });
  let ended = false;
  // biome-ignore lint/nursery/noFloatingPromises: never rejects
  server.exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers(options.port, name))) {
    if (ended || Date.now() > deadline) {
      await server.kill();
      throw new Error(
        `nats-server did not start on port ${options.port}:\n${lastLines.join("\n")}`,
      );
    }
    await sleep(25);
  }
  return { ...server, url, version };
}

function configuration(options: NatsServerOptions, version: string, name: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const knowsSyncInterval = major > 2 || (major === 2 && minor >= 10);
  return [
    `server_name: ${name}`,
    `host: "127.0.0.1"`,
    `port: ${options.port}`,
    "jetstream {",
    `  store_dir: ${JSON.stringify(options.storeDir)}`,
    // The default, three quarters of the free disk, refuses streams on a small machine.
    "  max_file_store: 64GB",
    ...(options.durable && knowsSyncInterval ? ["  sync_interval: always"] : []),
    "}",
    "",
  ].join("\n");
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ["--version"]);
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} --version answered ${stdout.trim()}`);
  return version;
}

/**
 * The server sends its INFO line as soon as it accepts clients. The name in it tells ours from another server on
 * the port.
 */
function answers(port: number, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1", timeout: 500 });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (data) => settle(data.toString("latin1").includes(`"${name}"`)));
    socket.once("error", () => settle(false));
    socket.once("timeout", () => settle(false));
  });
}

const INSTALLERS: { manager: string; commands: string[][]; asRoot: boolean }[] = [
  {
    manager: "apt-get",
    commands: [
      ["apt-get", "update"],
      ["apt-get", "install", "-y", "--no-install-recommends", "nats-server"],
    ],
    asRoot: true,
  },
  { manager: "apk", commands: [["apk", "add", "nats-server"]], asRoot: true },
  { manager: "dnf", commands: [["dnf", "install", "-y", "nats-server"]], asRoot: true },
  { manager: "brew", commands: [["brew", "install", "nats-server"]], asRoot: false },
];

const HOW_TO_INSTALL =
  "nats-server is not on the PATH. Install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server; otherwise https://github.com/nats-io/nats-server/releases), or set NATS_URL to a running server with JetStream.";

/** Finds the program on the PATH, or installs it. */
export async function findNatsServer(options: {
  mayInstall: boolean;
  log: (line: string) => void;
}): Promise<string> {
  const found = await findExecutable("nats-server");
  if (found !== undefined) return found;
  const isRoot = process.getuid?.() === 0;
  for (const installer of options.mayInstall ? INSTALLERS : []) {
    if (installer.asRoot && !isRoot) continue;
    if ((await findExecutable(installer.manager)) === undefined) continue;
    for (const [command = "", ...args] of installer.commands) {
      options.log(`installing nats-server: ${command} ${args.join(" ")}`);
      try {
        await run(command, args, {
          // biome-ignore lint/style/noProcessEnv: a package manager needs the whole environment (proxies, PATH)
          env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
          maxBuffer: 64 * 1024 * 1024,
        });
      } catch (cause) {
        options.log(`${command} failed: ${cause instanceof Error ? cause.message : cause}`);
      }
    }
    const installed = await findExecutable("nats-server");
    if (installed !== undefined) return installed;
  }
  throw new Error(HOW_TO_INSTALL);
}

/** The path of a program, from the PATH or the folders of daemons. */
export async function findExecutable(name: string): Promise<string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the PATH is the question, not a setting
  const places = [...(process.env.PATH ?? "").split(delimiter), ...MORE_PLACES];
  for (const place of places) {
    if (place === "") continue;
    const file = join(place, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}
