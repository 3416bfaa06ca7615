import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { findStackPid, readEnvironment } from "./environment.ts";
import { integerValue } from "./flag-values.ts";
import { printJson } from "./output.ts";

const LOOK_AGAIN_MS = 50;

export function define(stop: Command): void {
  stop
    .option("--timeout-seconds <n>", "how long to wait", integerValue, 60)
    .action(async (flags: { timeoutSeconds: number }) => {
      const environment = readEnvironment();
      const pid = await findStackPid(environment);
      if (pid === undefined || !(await isStack(pid))) {
        await printJson({ stopped: false, reason: `no local stack runs in ${environment.home}` });
        return;
      }
      process.kill(pid, "SIGTERM");
      await waitUntilGone(pid, flags.timeoutSeconds);
      await printJson({ stopped: true, pid });
    });
}

async function waitUntilGone(pid: number, timeoutSeconds: number): Promise<void> {
  const deadline = performance.now() + timeoutSeconds * 1000;
  while (await isStack(pid)) {
    if (performance.now() > deadline) {
      throw new CommandError(
        `--timeout-seconds: process ${pid} is still running after ${timeoutSeconds} s`,
      );
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Returns whether the process is a local stack. The system may have reused the id since `stack.json` was written. */
async function isStack(pid: number): Promise<boolean> {
  return /deploy[/\\]local[/\\]stack\.ts/.test((await commandOf(pid)) ?? "");
}

/**
 * Returns the command line of a live process, or undefined if there is none. A process that has ended and waits for its
 * parent (a zombie) has no command line either.
 */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    try {
      const text = await readFile(`/proc/${pid}/cmdline`, "utf8");
      return text === "" ? undefined : text.replaceAll("\0", " ").trim();
    } catch {
      return undefined;
    }
  }
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
