import { processTree } from "./process-tree.ts";

/** CPU seconds used so far, by part. Empty where there is no /proc. */
type CpuTimes = Map<string, number>;

/** Microseconds a request, an event or a mail, by part. */
export type CpuMicros = Record<string, number>;

/** Unlike rates, CPU time a request hardly changes with what else the machine does. */
export async function cpuTimes(root?: number): Promise<CpuTimes> {
  const times: CpuTimes = new Map();
  for (const { part, cpuSeconds } of await processTree(root)) {
    times.set(part, (times.get(part) ?? 0) + cpuSeconds);
  }
  return times;
}

/** What each part has used between two readings; parts that used nothing are left out. */
export function cpuMicros(before: CpuTimes, after: CpuTimes, requests: number): CpuMicros {
  const micros: CpuMicros = {};
  for (const [part, seconds] of after) {
    const each = Math.round(((seconds - (before.get(part) ?? 0)) * 1e6) / requests);
    if (each > 0) micros[part] = each;
  }
  return micros;
}
