import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startChain, watchChain } from "./process-chain.ts";

/**
 * `pnpm start`. Package managers end their script by SIGKILL when they are ended themselves, so the
 * stack is held by a process in a session of its own (`stack.ts`) that nobody but us stops in order:
 * we pass signals on, notice when somebody above us is gone, and our own death is a broken pipe there.
 */

/** How long the services of a killed stack have to notice and end by themselves. */
const LEFTOVER_GRACE_MS = 5_000;

const stack = spawn(process.execPath, [join(import.meta.dirname, "stack.ts")], {
  detached: true,
  stdio: ["ignore", "inherit", "inherit", "ipc"],
  env: {
    // Half of a start is compiling; where the folder cannot be written Node goes without.
    NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "compiled"),
    // biome-ignore lint/style/noProcessEnv: what the caller sets reaches the stack and its services
    ...process.env,
  },
});
const stop = () => stack.kill("SIGTERM");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
startChain(process.pid).then((chain) => watchChain(process.pid, chain, stop));

/** Written while the stack lives: what to remove should it be killed. */
let files: string[] = [];
stack.on("message", (message) => {
  files = (message as { files: string[] }).files;
});
stack.on("exit", async (code, signal) => {
  if (signal !== null && stack.pid !== undefined) {
    process.stderr.write(`The local stack was killed (${signal}); its services are ending.\n`);
    await endGroup(stack.pid);
    for (const file of files) rmSync(file, { force: true });
  }
  process.exit(code ?? 1);
});

/** The services are in the stack's group; they end without it, and have to in time. */
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
