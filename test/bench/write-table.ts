import { readFile, writeFile } from "node:fs/promises";
import type { Environment } from "./environment.ts";
import type { Results } from "./results.ts";
import { SIZING_COLUMNS, sizingRows } from "./sizing.ts";
import {
  CPU_COLUMNS,
  cpuRows,
  FIGURE_COLUMNS,
  figureRows,
  IDLE_COLUMNS,
  idleRows,
  type Row,
} from "./table-rows.ts";

const DOCUMENT = new URL("../../docs/performance.md", import.meta.url);

/** Writes the tables of docs/performance.md anew. */
export async function writeTable(results: Results): Promise<void> {
  await writeFile(DOCUMENT, withTables(await readFile(DOCUMENT, "utf8"), results));
}

/** The page with its tables made of these results; the text around them stays. */
export function withTables(page: string, results: Results): string {
  const sizing = table(SIZING_COLUMNS, sizingRows(results));
  return between(between(page, "benchmarks", tables(results)), "sizing", sizing);
}

function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, before)}${begin}\n${text}\n${page.slice(after)}`;
}

/** The figures and what they were measured on, as Markdown. */
export function tables(results: Results): string {
  const parts = [
    ...environmentLines(results),
    table(FIGURE_COLUMNS, figureRows(results)),
    table(CPU_COLUMNS, cpuRows(results)),
    table(IDLE_COLUMNS, idleRows(results)),
  ];
  return parts.join("\n\n");
}

/** One line for all benchmarks that were run on the same, on the same day. */
function environmentLines(results: Results): string[] {
  const names = Map.groupBy(Object.entries(results), ([, kept]) => sentence(kept.environment));
  return [...names].map(
    ([text, group]) =>
      `${names.size === 1 ? "All" : group.map(([name]) => `\`${name}\``).join(", ")} ${text}`,
  );
}

function sentence(on: Environment): string {
  const machine = `${on.cpu}, ${on.cores} cores, ${on.memoryGib} GiB, Linux ${on.kernel}`;
  const versions = `Node ${on.node}, Postgres ${on.postgres}, nats-server ${on.natsServer}`;
  return `on ${on.at.slice(0, 10)} (UTC) at commit ${on.commit}: ${machine}; ${versions}.`;
}

function table(columns: readonly string[], rows: readonly Row[]): string {
  const widths = columns.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? "").padEnd(width) : (cells[at] ?? "").padStart(width))).join(" | ")} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(columns), rule, ...rows.map(line)].join("\n");
}
