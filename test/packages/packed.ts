import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

export const ROOT = resolve(import.meta.dirname, "../..");

// biome-ignore lint/style/noProcessEnv: registries, certificates, the PATH
const CALLER = process.env;

/** The packages that tenants install. */
export const PACKAGES = ["client", "inbox"] as const;
type Packed = Record<(typeof PACKAGES)[number], string>;

/** The install command of the quick start. */
export const PACK = "npx --yes pnpm@12 packages";

/** Packs the packages as a release does. Returns the tarballs by package and the printed lines. */
export async function packAll(folder: string): Promise<{ packed: Packed; lines: string[] }> {
  const { out } = await run("sh", ["-c", `${PACK} "$1"`, "sh", folder], ROOT);
  return toldOf(out);
}

/** Parses the output of packing. */
export function toldOf(out: string): { packed: Packed; lines: string[] } {
  const lines = out.split("\n").filter((line) => line.startsWith("sha512-"));
  const paths = lines.map((line) => line.split("  ")[1] ?? "");
  const tarball = (name: string) => paths.find((path) => path.includes(`belfry-${name}-`)) ?? "";
  return { packed: { client: tarball("client"), inbox: tarball("inbox") }, lines };
}

/**
 * Installs both from where they are served into the empty folder by pnpm, whose folders let a package see only what it has declared. What
 * they depend on comes from the store of this checkout; the registry is asked for what is not there.
 */
export async function installAll(folder: string, served: Packed): Promise<void> {
  const modules = await readFile(join(ROOT, "node_modules/.modules.yaml"), "utf8");
  const [, store = ""] = /"?storeDir"?: "?([^"\n]+)/.exec(modules) ?? [];
  const settings = [
    "allowBuilds: { protobufjs: false }",
    `storeDir: ${dirname(store)}`,
    "preferOffline: true",
  ];
  await write(folder, {
    "package.json": JSON.stringify({
      name: "empty",
      private: true,
      dependencies: Object.fromEntries(PACKAGES.map((name) => [`@belfry/${name}`, served[name]])),
    }),
    "pnpm-workspace.yaml": settings.join("\n"),
  });
  await run("npx", ["--yes", "pnpm@12", "install", "--no-frozen-lockfile"], folder);
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a program to its end. It inherits the environment, which holds settings of package managers. */
export async function runAnyhow(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ended> {
  const options = { cwd, env: { ...CALLER, ...env } };
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, options);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== "number") throw error;
    return { code, out: stdout, err: stderr };
  }
}

/** The PATH with a folder in front. */
export function pathBehind(folder: string): string {
  return `${folder}${delimiter}${CALLER.PATH}`;
}

/** Like `runAnyhow`, but fails if the exit code is not 0. */
export async function run(...call: Parameters<typeof runAnyhow>): Promise<Ended> {
  const ended = await runAnyhow(...call);
  assert.equal(ended.code, 0, `${call[0]} ${call[1].join(" ")}\n${ended.out}\n${ended.err}`);
  return ended;
}

/** File contents by name. */
export async function write(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
