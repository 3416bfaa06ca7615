import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Cleanup } from "@belfry/testing/cleanup";
import type { BuiltImage } from "./build-images.ts";

const run = promisify(execFile);

/** The parts of an OCI runtime's `config.json` that are changed here. */
interface RuntimeConfig {
  root: { path: string; readonly: boolean };
  process: {
    terminal: boolean;
    user: { uid: number; gid: number };
    args: string[];
    env: string[];
    cwd: string;
    capabilities: Record<string, string[]>;
    noNewPrivileges: boolean;
    rlimits: unknown[];
  };
  mounts: { destination: string; type: string; source: string; options: string[] }[];
  linux: { namespaces: { type: string }[] };
}

export interface Container {
  /** What it has written. */
  output(): string;
  hasEnded(): boolean;
  /** Resolves with the exit code; a signal's is 128 and its number. */
  exited: Promise<number>;
  /** SIGTERM to the first process, and waits for the end. */
  stop(): Promise<number>;
  /** The entries of `/proc/<pid>/status` of its Node process, its program, and how `/` is mounted for it. */
  inspect(): Promise<{ program: string; status: Record<string, string>; rootMount: string }>;
}

interface ContainerOptions {
  env: Record<string, string>;
  args: string[];
  /** The user as `uid:gid`. The default is the image's user. */
  user?: string | undefined;
}

/**
 * Runs an image with runc as Kubernetes does: the image's user unless another is given, entry point and variables, no capability, a root
 * file system that is read-only, and a `/tmp` in memory. Its network is this machine's.
 */
export async function startContainer(
  t: Cleanup,
  folder: string,
  image: BuiltImage,
  options: ContainerOptions,
): Promise<Container> {
  const id = `belfry-${process.pid}-${image.name}`;
  const bundle = join(folder, "bundles", id);
  const runc = ["--root", join(folder, "runc")];
  await mkdir(bundle, { recursive: true });
  await run("runc", ["spec", "--bundle", bundle]);
  const file = join(bundle, "config.json");
  const config: RuntimeConfig = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify(runtimeConfig(config, image, options)));

  const child = spawn("runc", [...runc, "run", "--bundle", bundle, id], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const exited = once(child, "close").then(([code]) => code as number);
  t.after(async () => {
    if (child.exitCode === null) await run("runc", [...runc, "delete", "--force", id]);
    await exited;
  });
  return {
    output: () => output,
    hasEnded: () => child.exitCode !== null,
    exited,
    async stop() {
      await run("runc", [...runc, "kill", id, "TERM"]);
      return await exited;
    },
    async inspect() {
      const { pid } = JSON.parse((await run("runc", [...runc, "state", id])).stdout);
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
      const node = `/proc/${children.trim().split(" ")[0]}`;
      const status = (await readFile(`${node}/status`, "utf8")).trim().split("\n");
      const mounts = (await readFile(`${node}/mounts`, "utf8")).trim().split("\n");
      return {
        program: await readlink(`${node}/exe`),
        status: Object.fromEntries(status.map((line) => line.split(/:\s+/, 2))),
        rootMount: mounts.find((line) => line.split(" ")[1] === "/") ?? "",
      };
    },
  };
}

function runtimeConfig(
  config: RuntimeConfig,
  { root, config: image }: BuiltImage,
  { env, args, user = image.User ?? "0:0" }: ContainerOptions,
): RuntimeConfig {
  const [uid = 0, gid = 0] = user.split(":").map(Number);
  config.root = { path: root, readonly: true };
  config.process = {
    terminal: false,
    user: { uid, gid },
    args: [...image.Entrypoint, ...args],
    // A variable that is there twice would have its first value.
    env: Object.entries({ ...variablesOf(image.Env), ...env }).map((entry) => entry.join("=")),
    cwd: image.WorkingDir,
    capabilities: {},
    noNewPrivileges: true,
    rlimits: [],
  };
  config.mounts.push({
    ...{ destination: "/tmp", type: "tmpfs", source: "tmpfs" },
    options: ["nosuid", "nodev", "mode=1777", "size=32m"],
  });
  config.linux.namespaces = config.linux.namespaces.filter(({ type }) => type !== "network");
  return config;
}

function variablesOf(env: readonly string[]): Record<string, string> {
  return Object.fromEntries(env.map((one) => one.split(/=(.*)/s, 2)));
}
