/**
 * Compiles markup in threads with limits on time and memory, so that no document can block or end the process. The
 * compiler serves the owners of documents in turn, and each owner uses at most one thread, so slow documents of one do
 * not block other owners. Loading MJML takes longer than compiling, so an idle thread is kept for a while. Idle threads
 * do not keep the process alive.
 */

import { Worker } from "node:worker_threads";
import {
  COMPILE_TIMEOUT_MS,
  COMPILER_IDLE_MS,
  COMPILER_START_TIMEOUT_MS,
  COMPILER_THREADS,
  MAX_WAITING_COMPILES,
  MAX_WAITING_COMPILES_OF_OWNER,
} from "./language/bounds.ts";
import type { MarkdownSource, MarkupFault } from "./markdown.ts";

interface Waiting {
  job: MarkupJob;
  timeoutMs: number;
  resolve: (result: MarkupResult) => void;
}

/** Waiting documents by owner. The first owner is the next to be served. */
const queues = new Map<string, Waiting[]>();
/** The owners of the documents that are being compiled. */
const running = new Set<string>();
/** Idle threads, each with the timer that ends it. */
const idleThreads = new Map<Worker, NodeJS.Timeout>();
let waitingCount = 0;
let lastId = 0;

/**
 * Compiles one document of an owner (a tenant) after this owner's earlier ones. Never rejects: if a document takes too
 * long or too much memory, or the queue is full, the result has a fault.
 */
export function compileMarkup(
  document: MarkupTask & { owner: string },
  timeoutMs = COMPILE_TIMEOUT_MS,
): Promise<MarkupResult> {
  const { owner, ...task } = document;
  const queue = queues.get(owner) ?? [];
  if (queue.length >= MAX_WAITING_COMPILES_OF_OWNER || waitingCount >= MAX_WAITING_COMPILES) {
    return Promise.resolve(
      refused("too many templates are being compiled at this moment: try again in a few seconds"),
    );
  }
  return new Promise((resolve) => {
    queue.push({ job: { ...task, id: ++lastId }, timeoutMs, resolve });
    queues.set(owner, queue);
    waitingCount += 1;
    startNext();
  });
}

/** Starts the next document of each waiting owner without a running one, in order, as long as threads are free. */
function startNext(): void {
  for (const [owner, queue] of queues) {
    if (running.size >= COMPILER_THREADS) return;
    if (running.has(owner)) continue;
    const next = queue.shift();
    queues.delete(owner);
    // Moves the owner behind all other owners.
    if (queue.length > 0) queues.set(owner, queue);
    if (next === undefined) continue;
    waitingCount -= 1;
    running.add(owner);
    run(next.job, next.timeoutMs, (result) => {
      running.delete(owner);
      next.resolve(result);
      startNext();
    });
  }
}

function run(job: MarkupJob, timeoutMs: number, done: (result: MarkupResult) => void): void {
  const thread = takeIdleThread() ?? startWorker();
  thread.ref();
  let isDone = false;
  const finish = (result: MarkupResult, keep: boolean): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    thread.off("message", onMessage).off("error", onFailure).off("exit", onFailure);
    if (keep) keepIdle(thread);
    else discard(thread);
    done(result);
  };
  const onTimeout = (): void => {
    // Answers that arrived while this process was busy are read first.
    setImmediate(() => finish(refused(`compiling took longer than ${timeoutMs} ms`), false));
  };
  // The first timeout limits starting the thread and loading the compiler, the second one compiling.
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
}

function takeIdleThread(): Worker | undefined {
  const [thread, timer] = idleThreads.entries().next().value ?? [];
  if (thread !== undefined) idleThreads.delete(thread);
  clearTimeout(timer);
  return thread;
}

function startWorker(): Worker {
  const thread = new Worker(new URL("./markup-worker.ts", import.meta.url), {
    env: {},
    execArgv: [],
    // Keeps the thread's output out of the process's own. It is not read: reading would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  // An error between two documents must not end the process.
  thread.on("error", () => discard(thread));
  thread.on("exit", () => discard(thread));
  return thread;
}

function keepIdle(thread: Worker): void {
  thread.unref();
  idleThreads.set(thread, setTimeout(() => discard(thread), COMPILER_IDLE_MS).unref());
}

function discard(thread: Worker): void {
  clearTimeout(idleThreads.get(thread));
  idleThreads.delete(thread);
  void thread.terminate();
}

function refused(message: string): MarkupResult {
  return { ok: false, errors: [{ line: 1, message }] };
}

/** A document to compile. In its content, tags are replaced by words that compilers leave unchanged. */
export type MarkupTask =
  | { format: "mjml" | "html"; content: string; linkSchemes?: readonly string[] | undefined }
  /** Compiled to MJML components, to one paragraph of HTML or to a chat's markup. The result's `text` is empty. */
  | ({ format: "markdown"; as: "mail" | "line" | "chat" } & MarkdownSource);

export type MarkupJob = MarkupTask & { id: number };

export type MarkupResult =
  /** `text` contains marks around its URLs, which html/text-part.ts reads and removes. */
  { ok: true; html: string; text: string } | { ok: false; errors: MarkupFault[] };

export type MarkupAnswer =
  | { id: number; started: true }
  | { id: number; started: false; result: MarkupResult };
