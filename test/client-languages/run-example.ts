import { copyFile, mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "@belfry/testing/cleanup";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { type Ended, isThere, runProgram } from "../docs/shell.ts";
import { buildGo, installPython, missingLanguage } from "./installed.ts";

/** Copies an example into an empty folder and runs it there, with the client that it needs. */
export async function runExample(
  t: Cleanup,
  path: string,
  env: Record<string, string>,
): Promise<Ended> {
  const [folder, name] = [await temporaryFolder(t, "example"), basename(path)];
  await copyFile(path, join(folder, name));
  await mkdir(join(folder, "node_modules/@belfry"), { recursive: true });
  const client = fileURLToPath(new URL("../../packages/client", import.meta.url));
  await symlink(client, join(folder, "node_modules/@belfry/client"));
  const [command = "", ...args] = await RUNNERS[endingOf(name)]!(t, path);
  return await runProgram(command, [...args], { cwd: folder, env });
}

/** Returns why an example cannot run on this machine. */
export async function missingFor(name: string): Promise<string | undefined> {
  if (name.endsWith(".py")) return await missingLanguage("Python");
  if (name.endsWith(".go")) return await missingLanguage("Go");
  if (name.endsWith(".php")) return (await isThere("php")) ? undefined : "no php on this machine";
  return undefined;
}

const RUNNERS: Record<string, (t: Cleanup, path: string) => Promise<string[]> | string[]> = {
  mjs: (_, path) => [process.execPath, basename(path)],
  php: (_, path) => ["php", basename(path)],
  py: async (t, path) => [await installPython(t), basename(path)],
  go: async (t, path) => [await buildGo(t, path)],
};

const endingOf = (name: string) => name.split(".").at(-1)!;
