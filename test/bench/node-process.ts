import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface NodeProcess extends AsyncDisposable {
  child: ChildProcess;
  /** The first message that the process sends over IPC, or undefined where it has none. */
  ready: Promise<unknown>;
}

/** Starts a TypeScript file as a process of its own, ended with this one. */
export function startNode(
  file: string,
  env: Record<string, string>,
  args: string[] = [],
): NodeProcess {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // biome-ignore lint/style/noProcessEnv: a child runs in the environment of its parent
    env: { ...process.env, ...env, STOP_WITH_PARENT: "true" },
  });
  const ready = once(child, "message").then(([message]) => message as unknown);
  ready.catch(() => undefined);
  return {
    child,
    ready,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Polls a URL until it answers 200. */
export async function untilOk(url: string, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    if (Date.now() > deadline) throw new Error(`${url} is not ready`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
