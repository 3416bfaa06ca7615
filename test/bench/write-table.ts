import { readFile, writeFile } from "node:fs/promises";
import { between, markdownTable } from "../docs/markdown.ts";
import type { Environment, Results } from "./results.ts";
import {
  CPU_COLUMNS,
  cpuRows,
  FIGURE_COLUMNS,
  figureRows,
  IDLE_COLUMNS,
  idleRows,
  SIZING_COLUMNS,
  sizingRows,
} from "./table-rows.ts";

const DOCUMENT = new URL("../../docs/performance.md", import.meta.url);

/** Writes the tables of docs/performance.md anew. */
export async function writeTable(results: Results): Promise<void> {
  await writeFile(DOCUMENT, withTables(await readFile(DOCUMENT, "utf8"), results));
}

/** The page with its tables made of these results; the text around them stays. */
export function withTables(page: string, results: Results): string {
  const sizing = markdownTable(SIZING_COLUMNS, sizingRows(results));
  return between(between(page, "benchmarks", tables(results)), "sizing", sizing);
}

/** The figures and what they were measured on, as Markdown. */
export function tables(results: Results): string {
  const parts = [
    ...environmentLines(results),
    markdownTable(FIGURE_COLUMNS, figureRows(results)),
    markdownTable(CPU_COLUMNS, cpuRows(results)),
    markdownTable(IDLE_COLUMNS, idleRows(results)),
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
