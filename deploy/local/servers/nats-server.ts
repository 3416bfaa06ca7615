import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, constants, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type GuardedProcess, startGuarded } from "./guarded-process.ts";

const run = promisify(execFile);
const READY_TIMEOUT_MS = 60_000;
/** Folders with daemons that are not on an ordinary user's PATH. */
const MORE_PLACES = ["/usr/local/bin", "/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin"];

/** A running nats-server. `stop` sends SIGTERM, so that the server writes its state before it ends. */
export interface NatsServer extends GuardedProcess {
  url: string;
  version: string;
}

export interface NatsServerOptions {
  /** Folder of JetStream's files, which stay over restarts. */
  storeDir: string;
  port: number;
  log: (line: string) => void;
  /** Whether every message is on disk before it is acknowledged, if the server supports this (2.10 or newer). */
  durable?: boolean;
  /** Path of the program; if absent, `findNatsServer` finds it. */
  program?: string;
  /** Whether the program may be installed by Go or the platform's package manager. */
  mayInstall?: boolean;
  /** Makes the server a member of a cluster, whose servers keep copies of each other's streams. */
  cluster?: NatsClusterNode;
}

export interface NatsClusterNode {
  /** The server's name, unique in the cluster. NATS assigns copies of streams to this name. */
  name: string;
  /** The port at which the other servers reach this one. */
  port: number;
  /** The addresses of all servers, such as `nats://127.0.0.1:<port>`. */
  routes: string[];
  /** A user of the system account, who may remove a server from the cluster. */
  systemUser: { user: string; password: string };
}

/** Starts a nats-server with JetStream on loopback. It ends with this process. */
export async function startNats(options: NatsServerOptions): Promise<NatsServer> {
  const program =
    options.program ??
    (await findNatsServer({ mayInstall: options.mayInstall ?? false, log: options.log }));
  const version = await versionOf(program);
  await mkdir(options.storeDir, { recursive: true });
  const configFile = join(options.storeDir, "nats-server.conf");
  const name = options.cluster?.name ?? `belfry-${randomUUID()}`;
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
  const knowsSyncInterval = isAtLeast(version, "2.10.0");
  return [
    `server_name: ${name}`,
    `host: "127.0.0.1"`,
    `port: ${options.port}`,
    "jetstream {",
    `  store_dir: ${JSON.stringify(options.storeDir)}`,
    // The default, three quarters of the free disk, would reject streams on a small machine.
    "  max_file_store: 64GB",
    ...(options.durable && knowsSyncInterval ? ["  sync_interval: always"] : []),
    "}",
    ...(options.cluster === undefined ? [] : clusterConfiguration(options.cluster)),
    "",
  ].join("\n");
}

function clusterConfiguration({ port, routes, systemUser }: NatsClusterNode): string[] {
  return [
    "cluster {",
    "  name: belfry",
    `  listen: "127.0.0.1:${port}"`,
    `  routes: ${JSON.stringify(routes)}`,
    "}",
    "accounts {",
    `  $SYS: { users: [${JSON.stringify(systemUser)}] }`,
    '  belfry: { jetstream: enabled, users: [{ user: "belfry", password: "belfry" }] }',
    "}",
    "no_auth_user: belfry",
  ];
}

function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, "en", { numeric: true }) >= 0;
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ["--version"]);
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} --version answered ${stdout.trim()}`);
  return version;
}

/**
 * Whether our server accepts clients. It then sends its INFO line, whose name distinguishes it from another server on
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

/** The version that deploy/compose.yaml runs and that the benchmarks measure. */
export const NATS_VERSION = "2.15.0";

/**
 * Finds the program, in this order: on the PATH, if it is not older than `NATS_VERSION`; that version, built through
 * Go's module proxy; any version on the PATH; the one that the platform's package manager installs.
 */
export async function findNatsServer(options: {
  mayInstall: boolean;
  log: (line: string) => void;
  /** The environment to use instead of this process's, for tests. */
  env?: NodeJS.ProcessEnv;
}): Promise<string> {
  // biome-ignore lint/style/noProcessEnv: installers need the whole environment (PATH, proxies, caches)
  const { env = process.env } = options;
  const found = await findExecutable("nats-server", env);
  if (found !== undefined && isAtLeast(await versionOf(found), NATS_VERSION)) return found;
  const built = await builtNatsServer({ ...options, env });
  if (built !== undefined) return built;
  if (found !== undefined) return found;
  if (options.mayInstall) await installByPackageManager(env, options.log);
  const installed = await findExecutable("nats-server", env);
  if (installed === undefined) throw new Error(HOW_TO_INSTALL);
  return installed;
}

/**
 * Returns the program that Go built earlier, or builds it now if allowed. Returns undefined without Go or if the build
 * fails.
 */
async function builtNatsServer(options: {
  mayInstall: boolean;
  log: (line: string) => void;
  env: NodeJS.ProcessEnv;
}) {
  const { env, log } = options;
  const caches = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const directory = join(caches, "belfry", `nats-server-${NATS_VERSION}`);
  const program = join(directory, "nats-server");
  if (await isExecutable(program)) return program;
  const go = options.mayInstall ? await findExecutable("go", env) : undefined;
  if (go === undefined) return undefined;
  const module = `github.com/nats-io/nats-server/v2@v${NATS_VERSION}`;
  log(`installing nats-server: go install ${module}`);
  try {
    await mkdir(directory, { recursive: true });
    const folder = await mkdtemp(join(directory, "build-"));
    try {
      await run(go, ["install", module], { env: { ...env, GOBIN: folder } });
      // Other processes may build the program at the same time, so each renames a complete file into place.
      await rename(join(folder, "nats-server"), program);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return program;
  } catch (cause) {
    log(`go install failed: ${cause instanceof Error ? cause.message : cause}`);
    return undefined;
  }
}

async function installByPackageManager(
  env: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  for (const installer of INSTALLERS) {
    if (installer.asRoot && !isRoot) continue;
    if ((await findExecutable(installer.manager, env)) === undefined) continue;
    for (const [command = "", ...args] of installer.commands) {
      log(`installing nats-server: ${command} ${args.join(" ")}`);
      try {
        await run(command, args, {
          env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
          maxBuffer: 64 * 1024 * 1024,
        });
      } catch (cause) {
        log(`${command} failed: ${cause instanceof Error ? cause.message : cause}`);
      }
    }
    if ((await findExecutable("nats-server", env)) !== undefined) return;
  }
}

/** Returns the path of a program on the PATH or in the folders of daemons, or undefined. */
export async function findExecutable(
  name: string,
  // biome-ignore lint/style/noProcessEnv: the PATH is the question, not a setting
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const places = [...(env.PATH ?? "").split(delimiter), ...MORE_PLACES];
  for (const place of places) {
    if (place === "") continue;
    const file = join(place, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
