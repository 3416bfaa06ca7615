import { readdirSync, readFileSync } from "node:fs";

const DOCS = new URL("../../docs/", import.meta.url);

export interface Block {
  page: string;
  /** From 1. */
  line: number;
  language: string;
  /** The rest of the info string: `examples/x.py`, `by-hand`, `example` or nothing. */
  info: string;
  text: string;
}

export function pages(): string[] {
  return readdirSync(DOCS).filter((name) => name.endsWith(".md"));
}

export function readDoc(name: string): string {
  return readFileSync(new URL(name, DOCS), "utf8");
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [index, line] of readDoc(page).split("\n").entries()) {
    const fence = /^```(\w*) ?(.*)$/.exec(line);
    if (fence === null) {
      if (open !== undefined) open.text += `${line}\n`;
    } else if (open === undefined) {
      open = { page, line: index + 1, language: fence[1]!, info: fence[2]!, text: "" };
    } else {
      blocks.push(open);
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.line}: never closed`);
  return blocks;
}

/** The first column is text, the others stand to the right; a cell that a row lacks is empty. */
export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = columns.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? "").padEnd(width) : (cells[at] ?? "").padStart(width))).join(" | ")} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(columns), rule, ...rows.map(line)].join("\n");
}

/** The page with this text between its marks of this name. */
export function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, before)}${begin}\n${text}\n${page.slice(after)}`;
}
