import { spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Cleanup } from "@belfry/testing/cleanup";
import { quickStart } from "@belfry/testing/quick-start";
import type { Stack } from "../end-to-end/stack.ts";

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

// biome-ignore lint/style/noProcessEnv: programs of this machine
const { PATH, HOME } = process.env;

/** Runs a program to its end with this environment, and what finds and speeds up programs. */
export async function runProgram(
  command: string,
  args: string[],
  options: { cwd: string; env: Record<string, string>; input?: string },
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { PATH, HOME, ...quickStart(), ...options.env },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

export async function isThere(command: string): Promise<boolean> {
  const { code } = await runProgram("sh", ["-c", `command -v ${command}`], { cwd: "/", env: {} });
  return code === 0;
}

/**
 * A folder for the PATH in which `npx --yes pnpm@12 --silent belfry …` is this checkout's command
 * line and `node` this Node: what pnpm does, without its seconds a call.
 */
export async function commandFolder(folder: string): Promise<string> {
  const main = new URL("../../packages/cli/src/main.ts", import.meta.url).pathname;
  const bin = join(folder, "bin");
  await mkdir(bin);
  const script = (line: string) => `#!/bin/sh\n${line}\n`;
  const wanted = '[ "$1 $2 $3 $4" = "--yes pnpm@12 --silent belfry" ] || exit 64';
  await writeFile(
    join(bin, "npx"),
    script(`${wanted}\nshift 4\nexec "${process.execPath}" "${main}" "$@"`),
  );
  await writeFile(join(bin, "node"), script(`exec "${process.execPath}" "$@"`));
  for (const name of ["npx", "node"]) await chmod(join(bin, name), 0o755);
  return bin;
}

/** What the tests of the documentation share. */
export interface Bench {
  stack: Stack;
  /** A folder of this run's own. */
  folder: string;
  cleanup: Cleanup;
}
