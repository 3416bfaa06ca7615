import { readdir, readFile } from "node:fs/promises";

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

/** Ticks a second in /proc: fixed at 100 on Linux, whatever the kernel's own is. */
const TICKS = 100;

/** Parts are named by what the command line holds; a service by its folder. */
const PARTS: [part: string | undefined, mark: RegExp][] = [
  [undefined, /services\/([a-z-]+)\/src\/main\.ts/],
  ["launcher", /deploy\/local\/(?:main|stack)\.ts|belfry-guard/],
  ["yardstick", /-yardstick\.ts/],
  ["load", /-load\.ts/],
  ["vendor", /vendor\.ts/],
  ["postgres", /postgres/],
  ["nats", /nats-server/],
];

interface RunningProcess {
  pid: number;
  /** A service's folder, or one of yardstick, load, vendor, postgres, nats, launcher. */
  part: string;
  /** User and kernel mode so far, with those of its own that have ended. */
  cpuSeconds: number;
}

/** All processes below one that are a part of a benchmark. Empty where there is no /proc. */
export async function processTree(root: number = process.pid): Promise<RunningProcess[]> {
  const processes = new Map<number, { parent: number; cpuSeconds: number; command: string }>();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const [stat = "", command = ""] = await Promise.all(
      ["stat", "cmdline"].map((file) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "")),
    );
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // utime, stime, cutime, cstime: a connection's backend may end between two readings.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const cpuSeconds = ticks / TICKS;
    processes.set(Number(name), { parent: Number(fields[1]), cpuSeconds, command });
  }
  const found: RunningProcess[] = [];
  for (const [pid, { cpuSeconds, command }] of processes) {
    const part = partOf(command);
    if (part !== undefined && isBelow(pid, root, processes)) found.push({ pid, part, cpuSeconds });
  }
  return found;
}

function partOf(command: string): string | undefined {
  for (const [part, mark] of PARTS) {
    const match = mark.exec(command);
    if (match !== null) return part ?? match[1];
  }
  return undefined;
}

function isBelow(pid: number, root: number, all: Map<number, { parent: number }>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = all.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}
