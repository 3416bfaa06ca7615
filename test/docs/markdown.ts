import { readdirSync, readFileSync } from "node:fs";

const DOCS = new URL("../../docs/", import.meta.url);

export interface Block {
  page: string;
  /** From 1. */
  line: number;
  language: string;
  /** The rest of the info string: `samples/x.py`, `by-hand`, `example` or nothing. */
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
