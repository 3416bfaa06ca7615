import { readFile, writeFile } from "node:fs/promises";
import type { Environment } from "./environment.ts";
import type { Results } from "./results.ts";
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
const BEGIN = "<!-- benchmarks:begin -->";
const END = "<!-- benchmarks:end -->";

/** Writes the tables of docs/performance.md anew. */
export async function writeTable(results: Results): Promise<void> {
  const page = await readFile(DOCUMENT, "utf8");
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`docs/performance.md has no ${BEGIN} … ${END}`);
  const written = `${BEGIN}\n${tables(results)}\n${END}`;
  await writeFile(DOCUMENT, page.slice(0, before) + written + page.slice(after + END.length));
}

/** All tables and what they were measured on, as Markdown. */
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
