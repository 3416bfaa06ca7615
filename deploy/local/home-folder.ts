import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The files of a local stack. Other programs read `local.json` and `stack.json`. */
export interface HomeFolder {
  path: string;
  /** `{pid}` of the process that holds the stack. */
  stackFile: string;
  /** Addresses and the demo tenant's key, while everything is ready. */
  localFile: string;
  keysFile: string;
  /** The demo tenant: `{id, name, apiKey, seeded}`. */
  tenantFile: string;
  /** Ports of the embedded servers. */
  portsFile: string;
  postgres: string;
  nats: string;
  logs: string;
}

/** Exactly what `local.json` holds. */
export interface LocalJson {
  apiUrl: string;
  wsUrl: string;
  adminUrl: string;
  demoUrl: string;
  databaseUrl: string;
  natsUrl: string;
  tenant: { id: string; name: string; apiKey: string };
}

export interface LocalKeys {
  /** `SECRETS_KEYS`: kid:base64. */
  secretsKeys: string;
  /** `REALTIME_TOKEN_KEYS`: kid:base64. */
  realtimeTokenKeys: string;
  /** `LINK_KEYS`: kid:base64. */
  linkKeys: string;
}

export function homeFolder(path: string): HomeFolder {
  return {
    path,
    stackFile: join(path, "stack.json"),
    localFile: join(path, "local.json"),
    keysFile: join(path, "keys.json"),
    tenantFile: join(path, "tenant.json"),
    portsFile: join(path, "ports.json"),
    postgres: join(path, "postgres"),
    nats: join(path, "nats"),
    logs: join(path, "logs"),
  };
}

/** Makes the folder, for its owner's eyes only. */
export async function makeHomeFolder(home: HomeFolder): Promise<void> {
  await mkdir(home.path, { recursive: true });
  await chmod(home.path, 0o700);
  await mkdir(home.logs, { recursive: true });
}

/** The keys of this home, made at the first call; never replaced: data at rest depends on them. */
export async function localKeys(home: HomeFolder): Promise<LocalKeys> {
  const found = await readJson<Partial<LocalKeys>>(home.keysFile);
  const key = () => `k1:${randomBytes(32).toString("base64")}`;
  const { secretsKeys = key(), realtimeTokenKeys = key(), linkKeys = key() } = found ?? {};
  const keys: LocalKeys = { secretsKeys, realtimeTokenKeys, linkKeys };
  // One that was added since is there from now on.
  if (found?.linkKeys === undefined) await writeJson(home.keysFile, keys);
  return keys;
}

/** Writes the whole file or nothing, readable by its owner alone. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  const temporary = await writeTemporary(file, value);
  await rename(temporary, file);
}

/** As writeJson, but false when the file exists already. */
export async function createJson(file: string, value: unknown): Promise<boolean> {
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

/** Undefined when there is no such file; throws, naming the file, when it is not JSON. */
export async function readJson<T>(file: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Error(`${file} is not JSON: mend it or remove it`, { cause });
  }
}

export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true });
}

async function writeTemporary(file: string, value: unknown): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  return temporary;
}
