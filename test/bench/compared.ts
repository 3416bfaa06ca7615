import type { CpuMicros } from "./cpu-time.ts";
import { median, medians, printLine, round } from "./figures.ts";

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
