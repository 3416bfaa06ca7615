import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startChain, watchChain } from "./process-chain.ts";
import { SMALL_HEAP } from "./supervise.ts";

/**
 * `pnpm start`. Package managers end their script by SIGKILL when they are ended themselves. So a process in a
 * session of its own (`stack.ts`) holds the stack, and this one stops it in order: it passes signals on and
 * notices when a process above it is gone. When this process dies, `stack.ts` sees a broken pipe.
 */

/** How long the services of a killed stack have to notice and end by themselves. */
const LEFTOVER_GRACE_MS = 5_000;

const stack = spawn(
  process.execPath,
  [...SMALL_HEAP, join(import.meta.dirname, "stack.ts"), ...process.argv.slice(2)],
  {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      // Compiling takes half of a start. Node ignores a folder that it cannot write to.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "compiled"),
      // glibc gives each of a process's threads a heap of its own, and little of it back: 100 MB over an idle stack.
      MALLOC_ARENA_MAX: "1",
      // biome-ignore lint/style/noProcessEnv: what the caller sets reaches the stack and its services
      ...process.env,
    },
  },
);
const stop = () => stack.kill("SIGTERM");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);

/** The files in which a running stack names itself. We remove them when it is killed. */
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
watchChain(process.pid, await startChain(process.pid), stop);

/** Does nothing when the next stack has taken the home folder meanwhile. */
function removeFiles(holder: number): void {
  try {
    if (files === undefined) return;
    if (JSON.parse(readFileSync(files.stackFile, "utf8")).pid !== holder) return;
    rmSync(files.localFile, { force: true });
    rmSync(files.stackFile, { force: true });
  } catch {
    // They are gone already, or the next start removes them as stale.
  }
}

/** The services are in the stack's process group. They end when it has ended; after the grace we kill them. */
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
