import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { access, link, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "./import-graph.ts";
import { startServers, type TestServers } from "./test-servers.ts";

/**
 * Servers that stay between runs (`--keep-servers`). A background process, `node test/runner/kept-servers.ts`, owns
 * them. It stops them and exits when its state file is removed (`--stop-servers`).
 */
interface KeptServers extends TestServers {
  pid: number;
  /** The servers' data and the compiled modules. */
  folder: string;
}

const LOOK_EVERY_MS = 200;

/** The state file: one for each user and each clone of the repository. */
function keptServersFile(): string {
  const clone = hash("sha256", ROOT, "hex").slice(0, 12);
  return join(tmpdir(), `belfry-test-servers-${userInfo().uid}-${clone}.json`);
}

/** Returns the servers that an earlier run kept, or starts new ones. */
export async function keepServers(): Promise<KeptServers> {
  const kept = await readKept();
  if (kept !== undefined) return kept;
  const child = spawn(process.execPath, [import.meta.filename], {
    cwd: ROOT,
    detached: true,
    // If it inherited our output, a reader of this run's output would never see its end.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const [failure] = await once(child, "message");
  child.disconnect();
  child.unref();
  const started = await readKept();
  if (started === undefined) throw new Error(`no servers to keep: ${failure}`);
  return started;
}

/** Stops the kept servers and removes their files. Returns false if there are none. */
export async function stopKeptServers(): Promise<boolean> {
  const kept = await readKept();
  if (kept === undefined) return false;
  await rm(keptServersFile(), { force: true });
  while ((await exists(kept.folder)) && isAlive(kept.pid)) await sleep(LOOK_EVERY_MS);
  await rm(kept.folder, { recursive: true, force: true });
  return true;
}

/** Also removes the files of a background process that was killed. */
async function readKept(): Promise<KeptServers | undefined> {
  const text = await readFile(keptServersFile(), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const kept: KeptServers = JSON.parse(text);
  if (isAlive(kept.pid) && (await answers(kept.databaseUrl))) return kept;
  await rm(keptServersFile(), { force: true });
  await rm(kept.folder, { recursive: true, force: true });
  return undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function answers(serverUrl: string): Promise<boolean> {
  const { hostname, port } = new URL(serverUrl);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function holdServers(): Promise<void> {
  const file = keptServersFile();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stop.abort());
  }
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(file.replace(/json$/, ""));
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const servers = await startServers(cleanup, folder);
  const kept: KeptServers = { ...servers, pid: process.pid, folder };
  const written = join(folder, "servers.json");
  await writeFile(written, JSON.stringify(kept));
  try {
    // Of two runs that start at the same time, both use the servers that were ready first.
    await link(written, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    process.send?.("");
    return;
  }
  cleanup.defer(() => rm(file, { force: true }));
  process.send?.("");
  while (!stop.signal.aborted && (await exists(file))) await sleep(LOOK_EVERY_MS);
}

if (process.argv[1] === import.meta.filename) {
  await holdServers().catch((error: Error) => process.send?.(error.stack));
}
