import { readdir, readFile } from "node:fs/promises";

/** Ticks a second in /proc: fixed at 100 on Linux, whatever the kernel's own is. */
const TICKS = 100;

/** CPU seconds used so far, by part, of all processes below this one. Empty where there is no /proc. */
export type CpuTimes = Map<string, number>;

/** Parts are named by what the command line holds. */
const PARTS: [name: string, mark: RegExp][] = [
  ["service", /services\/[a-z-]+\/main\.ts/],
  ["yardstick", /yardstick/],
  ["load", /-load\.ts/],
  ["postgres", /postgres/],
  ["nats", /nats-server/],
];

/** Unlike rates, CPU time a request hardly changes with what else the machine does. */
export async function cpuTimes(root: number = process.pid): Promise<CpuTimes> {
  const processes = new Map<number, { parent: number; seconds: number; command: string }>();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const [stat, command] = await Promise.all(
      ["stat", "cmdline"].map((file) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "")),
    );
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS;
    processes.set(Number(name), { parent: Number(fields[1]), seconds, command: command ?? "" });
  }
  const times: CpuTimes = new Map();
  for (const [pid, { seconds, command }] of processes) {
    if (!isBelow(pid, root, processes)) continue;
    const part = PARTS.find(([, mark]) => mark.test(command))?.[0];
    if (part !== undefined) times.set(part, (times.get(part) ?? 0) + seconds);
  }
  return times;
}

/** Microseconds a request of each part between two readings. */
export function cpuMicros(before: CpuTimes, after: CpuTimes, requests: number) {
  const micros = (part: string) =>
    Math.round((((after.get(part) ?? 0) - (before.get(part) ?? 0)) * 1e6) / requests);
  return {
    service: micros("service") + micros("yardstick"),
    postgres: micros("postgres"),
    nats: micros("nats"),
  };
}

function isBelow(pid: number, root: number, all: Map<number, { parent: number }>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = all.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}
