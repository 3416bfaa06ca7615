import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const TICKS_PER_SECOND = 100;
const SETTLE_MS = 1000;

/** CPU time of a process so far, in user and kernel mode; Linux. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * What a process that was started with `collect-garbage.ts` holds, in KiB: its share of all pages, after
 * it has thrown away, so many times, what it does not need.
 */
export async function settledKib(pid: number, collections: number): Promise<number> {
  for (let time = 0; time < collections; time += 1) {
    process.kill(pid, "SIGUSR2");
    await sleep(SETTLE_MS);
  }
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]);
}

/** How many files this process, and those it starts, may hold open. */
export async function maxOpenFiles(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8");
  const [, soft = "0"] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return Number(soft);
}
