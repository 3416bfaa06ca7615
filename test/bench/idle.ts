import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { newHome, startStack } from "../stack/start-stack.ts";
import { processTree } from "./cpu-time.ts";
import { round } from "./figures.ts";

/** Of one process, or of all of a part (Postgres is some twenty of them). */
interface IdlePart {
  cpuPercent: number;
  /** Proportional set size: a page that several share counts in parts. */
  pssMb: number;
}

/** The stack of `pnpm start` when nobody uses it. Percent are of one core. */
export interface IdleResult extends IdlePart {
  seconds: number;
  parts: Record<string, IdlePart>;
}

/**
 * The time until everything that a start leaves behind has settled: V8 collects the garbage of the start up to three
 * times, each time 100 s after the last. Each collection costs 0.1 % of a core in its minute, and frees 8 MB at most.
 */
const SETTLE_MS = 300_000;
const KIB_PER_MB = 1024;

/** Starts the local stack as a newcomer does and measures it doing nothing. */
export async function measureIdle(seconds: number): Promise<IdleResult> {
  await using resources = new AsyncDisposableStack();
  const home = await newHome({ after: (ending) => resources.defer(ending) });
  const { child } = await startStack(home);
  await sleep(SETTLE_MS);
  return await measureProcesses(child.pid ?? 0, seconds);
}

/** What all processes below one use. */
export async function measureProcesses(root: number, seconds: number): Promise<IdleResult> {
  const before = new Map((await processTree(root)).map((one) => [one.pid, one]));
  await sleep(seconds * 1000);
  const parts: Record<string, IdlePart> = {};
  for (const { pid, part, cpuSeconds } of await processTree(root)) {
    const used = cpuSeconds - (before.get(pid)?.cpuSeconds ?? 0);
    const sum = parts[part] ?? { cpuPercent: 0, pssMb: 0 };
    parts[part] = {
      cpuPercent: sum.cpuPercent + (used * 100) / seconds,
      pssMb: sum.pssMb + (await pssKib(pid)) / KIB_PER_MB,
    };
  }
  const total = (of: (part: IdlePart) => number) =>
    round(
      Object.values(parts).reduce((sum, part) => sum + of(part), 0),
      2,
    );
  return {
    seconds,
    cpuPercent: total(({ cpuPercent }) => cpuPercent),
    pssMb: Math.round(total(({ pssMb }) => pssMb)),
    parts: Object.fromEntries(
      Object.entries(parts).map(([part, { cpuPercent, pssMb }]) => [
        part,
        { cpuPercent: round(cpuPercent, 2), pssMb: Math.round(pssMb) },
      ]),
    ),
  };
}

async function pssKib(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
}
