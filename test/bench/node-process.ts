import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface NodeProcess extends AsyncDisposable {
  child: ChildProcess;
  /** The first message that the process sends over IPC, or undefined where it has none. */
  ready: Promise<unknown>;
  /** The next message of this type; rejects when the process ends before. */
  message<T extends { type: string }>(type: T["type"]): Promise<T>;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 50;

/** Starts a TypeScript file as a process of its own, ended with this one; `flags` are Node's. */
export function startNode(
  file: string,
  env: Record<string, string>,
  args: string[] = [],
  flags: string[] = [],
): NodeProcess {
  const child = spawn(process.execPath, [...flags, file, ...args], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // biome-ignore lint/style/noProcessEnv: a child runs in the environment of its parent
    env: { ...process.env, ...env, STOP_WITH_PARENT: "true" },
  });
  const ready = once(child, "message").then(([message]) => message as unknown);
  ready.catch(() => undefined);
  return {
    child,
    ready,
    message: (type) =>
      new Promise((resolve, reject) => {
        const gone = () => reject(new Error(`${file} ended before it said "${type}"`));
        const listen = (message: unknown) => {
          if ((message as { type?: string }).type !== type) return;
          child.off("message", listen).off("exit", gone);
          resolve(message as never);
        };
        child.on("message", listen).once("exit", gone);
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Polls a URL until it answers 200. */
export async function untilOk(url: string, withinMs = READY_WITHIN_MS): Promise<void> {
  const ok = () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  if (!(await until(ok, withinMs))) throw new Error(`${url} is not ready`);
}

/** Asks again and again; resolves to whether it came true in time. */
export async function until(
  isSo: () => Promise<boolean>,
  withinMs: number,
  everyMs: number = POLL_MS,
): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await sleep(everyMs);
  }
  return true;
}
