import type { CpuMicros } from "./cpu-time.ts";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Of sorted values; one digit behind the point. */
export function percentile(sorted: readonly number[], percent: number): number {
  return round(sorted[Math.floor((sorted.length * percent) / 100)] ?? Number.NaN, 1);
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Of each key the median over the rounds; a key that a round lacks counts as 0 there. */
export function medians(rounds: readonly Record<string, number>[]): Record<string, number> {
  const keys = new Set(rounds.flatMap((one) => Object.keys(one)));
  return Object.fromEntries(
    [...keys].map((key) => [key, median(rounds.map((one) => one[key] ?? 0))]),
  );
}

/** One line of a table of numbers on standard output. */
export function printLine(cells: readonly (string | number)[]): void {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(12)).join("")}\n`);
}

export interface Measured {
  perSecond: number;
  cpu: CpuMicros;
}

export const ROUND_COLUMNS = ["round", "", "per second", "CPU µs", "postgres", "nats", "ratio"];

/** A line for each of what a round has measured; `part` is whose CPU time is shown where it is not the bare one's. */
export function printRound(
  at: number,
  part: string,
  measured: Record<string, Measured> & { bare: Measured },
): void {
  for (const [name, { perSecond, cpu }] of Object.entries(measured)) {
    const ratio = (perSecond / measured.bare.perSecond).toFixed(2);
    const micros = cpu[part] ?? cpu.yardstick ?? 0;
    printLine([at, name, Math.round(perSecond), micros, cpu.postgres ?? 0, cpu.nats ?? 0, ratio]);
  }
}

/** The medians over the rounds. */
export function mediansOf(rounds: readonly Measured[]) {
  return {
    perSecond: Math.round(median(rounds.map((one) => one.perSecond))),
    cpuMicros: medians(rounds.map(({ cpu }) => cpu)),
  };
}

/** The medians of both over the rounds, and of their ratio. */
export function compared(belfry: readonly Measured[], yardstick: readonly Measured[]) {
  const bare = mediansOf(yardstick);
  return {
    ...mediansOf(belfry),
    yardstickPerSecond: bare.perSecond,
    ratio: round(median(belfry.map((one, at) => one.perSecond / yardstick[at]!.perSecond)), 2),
    yardstickCpuMicros: bare.cpuMicros,
  };
}
