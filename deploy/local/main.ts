import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parentChain, watchChain } from "./process-chain.ts";
import { SMALL_HEAP } from "./supervise.ts";

/**
 * The script of `pnpm start`. A package manager that is stopped kills its script with SIGKILL. So `stack.ts` runs the
 * stack in its own session, and this process only controls `stack.ts`: it forwards signals, and stops the stack when
 * one of its parent processes ends. If this process itself is killed, `stack.ts` notices the closed IPC channel.
 */

/** How long the services of a killed stack may take to notice this and end by themselves. */
const LEFTOVER_GRACE_MS = 5_000;

const stack = spawn(
  process.execPath,
  [...SMALL_HEAP, join(import.meta.dirname, "stack.ts"), ...process.argv.slice(2)],
  {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      // Compiling takes half of the start time. Node ignores a cache folder that it cannot write to.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "compiled"),
      // glibc gives each thread its own heap and returns little of it to the system. One heap saves 100 MB in an idle
      // stack.
      MALLOC_ARENA_MAX: "1",
      // biome-ignore lint/style/noProcessEnv: what the caller sets reaches the stack and its services
      ...process.env,
    },
  },
);
const stop = () => stack.kill("SIGTERM");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);

/** The files by which other programs find a running stack. We remove them if the stack is killed. */
let files: { stackFile: string; localFile: string } | undefined;
stack.on("message", (message) => {
  files = message as typeof files;
});
stack.on("exit", async (code, signal) => {
  if (signal !== null && stack.pid !== undefined) {
    process.stderr.write(`The local stack was killed (${signal}); its services are ending.\n`);
    await endGroup(stack.pid);
    removeFiles(stack.pid);
  }
  process.exit(code ?? 1);
});
watchChain(process.pid, await parentChain(process.pid), stop);

/** Removes the files, unless another stack has claimed the home folder in the meantime. */
function removeFiles(holder: number): void {
  try {
    if (files === undefined) return;
    if (JSON.parse(readFileSync(files.stackFile, "utf8")).pid !== holder) return;
    rmSync(files.localFile, { force: true });
    rmSync(files.stackFile, { force: true });
  } catch {
    // The files are already gone, or the next start removes them as stale.
  }
}

/**
 * Waits until all services in the stack's process group have ended by themselves; after the grace period it kills them.
 */
async function endGroup(group: number): Promise<void> {
  const deadline = Date.now() + LEFTOVER_GRACE_MS;
  while (signalGroup(group, 0)) {
    if (Date.now() > deadline) signalGroup(group, "SIGKILL");
    await sleep(100);
  }
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
