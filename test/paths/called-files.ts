import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { TEST_CODE } from "../test-code.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Starts counting calls. The returned function stops it and returns the shipped files whose functions were called. */
export function countCalls(): () => string[] {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return () => {
    const files: string[] = [];
    session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
      for (const { url, functions } of result) {
        if (!url.startsWith("file:") || url.includes("/node_modules/")) continue;
        const path = fileURLToPath(url);
        const file = path.slice(ROOT.length);
        if (!path.startsWith(ROOT) || TEST_CODE.test(file)) continue;
        if (functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)) files.push(file);
      }
    });
    session.disconnect();
    return files.sort();
  };
}
