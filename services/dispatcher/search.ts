import type { Database } from "@belfry/database/connection";
import { ensureSearchKey, type SearchKey } from "@belfry/database/search-term-hash";
import type { SecretKeys } from "@belfry/database/secrets";
import { pause } from "@belfry/service/pause";
import { countSearched } from "./dispatcher-metrics.ts";
import { WALKED } from "./search-rows.ts";
import {
  againStep,
  hasWork,
  type StepResult,
  type WalkOptions,
  waitingStep,
  walkStep,
} from "./search-walk.ts";

const SHORTEST_REST_MS = 2;
const LONGEST_REST_MS = 100;

export type SearchDeps = Omit<WalkOptions, "key"> & { db: Database; keys: SecretKeys };

/**
 * Returns a pass that writes what search finds events by, behind the dispatcher: by small steps, each a transaction
 * of its own and followed by a rest as long as itself, until nothing is left. Ends at the signal after the step in
 * hand. Replicas may all run it: one is at it at a time. Returns how many rows were read.
 */
export function createSearch({ db, keys, ...options }: SearchDeps) {
  let key: SearchKey | undefined;
  return async (signal?: AbortSignal): Promise<number> => {
    key ??= await ensureSearchKey(db, keys);
    const walk: WalkOptions = { ...options, key };
    let total = 0;
    if (!(await hasWork(walk))) return total;
    const steps: (() => Promise<StepResult>)[] = [
      ...WALKED.map((table) => () => walkStep(walk, table)),
      () => waitingStep(walk),
      () => againStep(walk),
    ];
    for (let pending = steps; pending.length > 0; ) {
      const more: typeof steps = [];
      for (const step of pending) {
        if (signal?.aborted) return total;
        const begunAt = performance.now();
        const { state, rows } = await step();
        // Whoever is at it does the rest, too.
        if (state === "busy") return total;
        total += rows;
        countSearched(rows);
        if (state !== "more") continue;
        more.push(step);
        const tookMs = performance.now() - begunAt;
        await pause(Math.min(Math.max(tookMs, SHORTEST_REST_MS), LONGEST_REST_MS), signal);
      }
      pending = more;
    }
    return total;
  };
}
