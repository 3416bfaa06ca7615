import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandOf } from "./process-chain.ts";

/** The files of a local stack. Other programs read `local.json` and `stack.json`. */
export type HomeFolder = ReturnType<typeof homeFolder>;

/** The exact content of `local.json`. */
export interface LocalJson {
  apiUrl: string;
  wsUrl: string;
  adminUrl: string;
  demoUrl: string;
  databaseUrl: string;
  natsUrl: string;
  tenant: { id: string; name: string; apiKey: string };
}

/** Each value has the form `kid:base64`, as in the environment variable of the same name. */
export interface LocalKeys {
  secretsKeys: string;
  realtimeTokenKeys: string;
  linkKeys: string;
}

export function homeFolder(path: string) {
  return {
    path,
    /** The process id of the running stack: `{pid}`. */
    stackFile: join(path, "stack.json"),
    /** Addresses and the demo tenant's key. The file exists only while the whole stack is ready. */
    localFile: join(path, "local.json"),
    keysFile: join(path, "keys.json"),
    /** The demo tenant: `{id, name, apiKey, seeded}`. */
    tenantFile: join(path, "tenant.json"),
    /** Ports of the embedded servers. */
    portsFile: join(path, "ports.json"),
    postgres: join(path, "postgres"),
    nats: join(path, "nats"),
    logs: join(path, "logs"),
  };
}

/** Creates the folder so that only its owner can read it. */
export async function makeHomeFolder(home: HomeFolder): Promise<void> {
  await mkdir(home.path, { recursive: true });
  await chmod(home.path, 0o700);
  await mkdir(home.logs, { recursive: true });
}

/**
 * Returns the keys of this home. The first call creates them. They are never replaced, because stored data depends on
 * them.
 */
export async function localKeys(home: HomeFolder): Promise<LocalKeys> {
  const found = await readJson<LocalKeys>(home.keysFile);
  if (found !== undefined) return found;
  const key = () => `k1:${randomBytes(32).toString("base64")}`;
  const keys = { secretsKeys: key(), realtimeTokenKeys: key(), linkKeys: key() };
  await writeJson(home.keysFile, keys);
  return keys;
}

/** Another stack is running in the home folder. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning";
  constructor(pid: number, home: string, local: LocalJson | undefined) {
    const state =
      local === undefined
        ? "  It is still starting, or stopping."
        : [
            `  API        ${local.apiUrl}`,
            `  WebSocket  ${local.wsUrl}`,
            `  demo page  ${local.demoUrl}`,
            `  Admin UI   ${local.adminUrl}`,
          ].join("\n");
    super(
      `A local stack is running already (process ${pid}, ${home}):\n${state}\nStop it by: npx --yes pnpm@12 belfry stop`,
    );
  }
}

export interface Claim {
  /** Whether the last stack here ended without removing its files: its servers may still be ending. */
  foundStale: boolean;
  release(): Promise<void>;
}

/** Claims the home folder for this process by creating `stack.json`. Throws `AlreadyRunning`. */
export async function claimHome(home: HomeFolder, pid: number): Promise<Claim> {
  let foundStale = false;
  while (!(await createJson(home.stackFile, { pid }))) {
    const holder = await readJson<{ pid: number }>(home.stackFile);
    if (holder !== undefined && (await isStack(holder.pid))) {
      throw new AlreadyRunning(holder.pid, home.path, await readJson<LocalJson>(home.localFile));
    }
    foundStale = true;
    await rm(home.stackFile, { force: true });
    await rm(home.localFile, { force: true });
  }
  return { foundStale, release: () => rm(home.stackFile, { force: true }) };
}

/** Checks the command, because the system may have given the process id to another program. */
async function isStack(pid: number): Promise<boolean> {
  return /deploy[/\\]local[/\\]stack\.ts/.test((await commandOf(pid)) ?? "");
}

/** Writes the whole file or nothing. Only its owner can read it. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  await rename(await writeTemporary(file, value), file);
}

/** Like `writeJson`, but returns false if the file exists already. */
async function createJson(file: string, value: unknown): Promise<boolean> {
  const temporary = await writeTemporary(file, value);
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Returns undefined if the file does not exist. Throws an error with the file's name if it is not JSON. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Error(`${file} is not JSON: mend it or remove it`, { cause });
  }
}

async function writeTemporary(file: string, value: unknown): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  return temporary;
}
