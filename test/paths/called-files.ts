import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { TEST_CODE } from "../test-code.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** How often each function of a shipped file was called: `<file>:<offset>` → calls. */
export type Calls = Readonly<Record<string, number>>;

/** Starts counting calls. The returned function stops it and returns the counts. */
export function countCalls(): () => Calls {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return () => {
    const calls: Record<string, number> = {};
    session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
      for (const { url, functions } of result) {
        if (!url.startsWith("file:") || url.includes("/node_modules/")) continue;
        const path = fileURLToPath(url);
        const file = path.slice(ROOT.length);
        if (!path.startsWith(ROOT) || TEST_CODE.test(file)) continue;
        for (const { ranges } of functions) {
          const { startOffset = 0, count = 0 } = ranges[0] ?? {};
          if (count > 0) calls[`${file}:${startOffset}`] = count;
        }
      }
    });
    session.disconnect();
    return calls;
  };
}

/**
 * Returns the files that the events entered: those with a function that was called about once more per event than
 * without events. `idle` covers at least as much time as `busy`, so that it holds as many rounds of each background job.
 */
export function enteredFiles(events: number, busy: Calls, idle: Calls): string[] {
  const entered = Object.entries(busy)
    .filter(([place, calls]) => calls - (idle[place] ?? 0) > events / 2)
    .map(([place]) => place.slice(0, place.lastIndexOf(":")));
  return [...new Set(entered)].sort();
}
