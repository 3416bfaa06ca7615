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
