import type { TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";

/** What the vendor's thread and ours tell each other, in one shared cell. */
export const STAGE = { idle: 0, holdsWork: 1, weStandStill: 2, answered: 3 } as const;

export interface VendorScript {
  cell: SharedArrayBuffer;
  /** SMTP: at which step it waits until we stand still; then it answers at once, as always. */
  step: "http" | "greeting" | "message";
  http?: { status: number; headers: Record<string, string>; body: string };
}

/** A vendor in a thread of its own that answers while ours stands still. */
export async function startStallingVendor(t: TestContext, script: Omit<VendorScript, "cell">) {
  const cell = new SharedArrayBuffer(8);
  const [stage, requests] = [new Int32Array(cell, 0, 1), new Int32Array(cell, 4, 1)];
  const worker = new Worker(new URL("stalling-vendor-thread.ts", import.meta.url), {
    workerData: { ...script, cell } satisfies VendorScript,
  });
  t.after(() => worker.terminate());
  const port = await new Promise<number>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return {
    port,
    /** How many messages it was given. */
    requests: () => Atomics.load(requests, 0),
    /** Once it has the work: nothing of this thread runs until it has answered, and `ms` more. */
    async standStillWhileItAnswers(ms: number): Promise<void> {
      while (Atomics.load(stage, 0) !== STAGE.holdsWork) await nextTurn();
      Atomics.store(stage, 0, STAGE.weStandStill);
      Atomics.notify(stage, 0);
      Atomics.wait(stage, 0, STAGE.weStandStill);
      Atomics.wait(stage, 0, STAGE.answered, ms);
    },
  };
}
