/**
 * Compiles markup in threads with limits on time and memory, so that no document can stop or kill the process. The
 * owners of documents take turns, and each has one thread at most: slow documents of one owner do not block the
 * others. Loading MJML takes longer than compiling, so an idle thread stays for a while. No thread keeps the process
 * alive.
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

/** Waiting documents by owner. The owner whose turn is next comes first. */
const queues = new Map<string, Waiting[]>();
/** The owners of the documents that are being compiled. */
const running = new Set<string>();
/** Threads without work, each with the timer of its end. */
const resting = new Map<Worker, NodeJS.Timeout>();
let waitingCount = 0;
let lastId = 0;

/**
 * Compiles one document of an owner (a tenant) after that owner's earlier ones. Never rejects: a document that takes
 * too long or too much memory, and a full queue, are faults of the result.
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

/** Gives free threads to the owners whose turn it is. */
function startNext(): void {
  for (const [owner, queue] of queues) {
    if (running.size >= COMPILER_THREADS) return;
    if (running.has(owner)) continue;
    const next = queue.shift();
    queues.delete(owner);
    // Behind the others until the next turn.
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
  const thread = restingThread() ?? startWorker();
  thread.ref();
  let isDone = false;
  const finish = (result: MarkupResult, keep: boolean): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    thread.off("message", onMessage).off("error", onFailure).off("exit", onFailure);
    if (keep) rest(thread);
    else discard(thread);
    done(result);
  };
  const onTimeout = (): void => {
    // First reads the answers that arrived while this process was busy.
    setImmediate(() => finish(refused(`compiling took longer than ${timeoutMs} ms`), false));
  };
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

function restingThread(): Worker | undefined {
  const [thread, idle] = resting.entries().next().value ?? [];
  if (thread !== undefined) resting.delete(thread);
  clearTimeout(idle);
  return thread;
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
  resting.set(thread, setTimeout(() => discard(thread), COMPILER_IDLE_MS).unref());
}

function discard(thread: Worker): void {
  clearTimeout(resting.get(thread));
  resting.delete(thread);
  void thread.terminate();
}

function refused(message: string): MarkupResult {
  return { ok: false, errors: [{ line: 1, message }] };
}

/** In each source a tag is replaced by a word that passes through compilers unchanged. */
export type MarkupTask =
  | { format: "mjml" | "html"; content: string; linkSchemes?: readonly string[] | undefined }
  /** To components of MJML, as HTML, without a text; `inline`: one paragraph to HTML. */
  | ({ format: "markdown"; inline: boolean } & MarkdownSource);

export type MarkupJob = MarkupTask & { id: number };

export type MarkupResult =
  /** The text has its addresses marked, as text-part.ts reads them. */
  { ok: true; html: string; text: string } | { ok: false; errors: MarkupFault[] };

export type MarkupAnswer =
  | { id: number; started: true }
  | { id: number; started: false; result: MarkupResult };
