/**
 * Compiles markup in a thread with limits on time and memory, so that no document can stop or kill the
 * process. One thread serves a process, one document after the other; loading MJML takes longer than
 * compiling, so it stays a while. It never keeps a process alive.
 */

import { Worker } from "node:worker_threads";
import { COMPILE_TIMEOUT_MS, COMPILER_IDLE_MS, COMPILER_START_TIMEOUT_MS } from "./bounds.ts";
import type { MarkupAnswer, MarkupJob, MarkupResult } from "./markup-job.ts";

let worker: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let previous: Promise<unknown> = Promise.resolve();
let lastId = 0;

/**
 * Compiles one document after those asked for earlier. A document that takes too long or too much
 * memory is an answer, not an error.
 */
export function compileMarkup(
  format: MarkupJob["format"],
  content: string,
  timeoutMs = COMPILE_TIMEOUT_MS,
): Promise<MarkupResult> {
  const result = previous.then(() => run({ id: ++lastId, format, content }, timeoutMs));
  previous = result;
  return result;
}

function run(job: MarkupJob, timeoutMs: number): Promise<MarkupResult> {
  clearTimeout(idle);
  const thread = worker ?? startWorker();
  worker = thread;
  thread.ref();
  return new Promise((resolve) => {
    const finish = (result: MarkupResult, keep: boolean): void => {
      clearTimeout(timer);
      thread.off("message", onMessage).off("error", onFailure).off("exit", onFailure);
      if (keep) rest(thread);
      else discard(thread);
      resolve(result);
    };
    const onTimeout = (): void =>
      finish(refused(`compiling took longer than ${timeoutMs} ms`), false);
    let timer = setTimeout(onTimeout, COMPILER_START_TIMEOUT_MS);
    const onMessage = (answer: MarkupAnswer): void => {
      if (answer.id !== job.id) return;
      if (answer.started) {
        clearTimeout(timer);
        timer = setTimeout(onTimeout, timeoutMs);
      } else {
        finish(answer.result, true);
      }
    };
    const onFailure = (): void => finish(refused("compiling took too much memory"), false);
    thread.on("message", onMessage).on("error", onFailure).on("exit", onFailure);
    thread.postMessage(job);
  });
}

function startWorker(): Worker {
  const thread = new Worker(new URL("./markup-worker.ts", import.meta.url), {
    env: {},
    execArgv: [],
    // Kept from the process's own output, and not read: reading would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  // An error between two documents must not end the process.
  thread.on("error", () => discard(thread));
  thread.on("exit", () => discard(thread));
  return thread;
}

function rest(thread: Worker): void {
  thread.unref();
  idle = setTimeout(() => discard(thread), COMPILER_IDLE_MS);
  idle.unref();
}

function discard(thread: Worker): void {
  if (worker === thread) worker = undefined;
  void thread.terminate();
}

function refused(message: string): MarkupResult {
  return { ok: false, errors: [{ line: 1, message }] };
}
