/** Which tags of a text belong together: a block's opening, its `else`s and its end. */

import { MAX_BLOCK_DEPTH } from "../bounds.ts";
import type { Tag, TagFault } from "./tags.ts";

export interface Block {
  word: "if" | "unless" | "for";
  /** Indexes into the text's tags: the opening, each `elsif` and `else`, the end; in order. */
  tags: number[];
  /** Index of the block that it stands in. */
  parent: number | undefined;
}

const ENDS: Record<string, Block["word"]> = { endif: "if", endunless: "unless", endfor: "for" };

/** Finds the blocks of a text in the order of their openings. Where there are faults it is not complete. */
export function findBlocks(tags: readonly Tag[]): { blocks: Block[]; faults: TagFault[] } {
  const blocks: Block[] = [];
  const open: { index: number; block: Block; hasElse: boolean }[] = [];
  const faults: TagFault[] = [];
  tags.forEach((tag, at) => {
    if (tag.kind !== "block") return;
    const { name, start: offset } = tag;
    const innermost = open.at(-1);
    if (name === "if" || name === "unless" || name === "for") {
      const block: Block = { word: name, tags: [at], parent: innermost?.index };
      if (open.length === MAX_BLOCK_DEPTH) {
        faults.push({
          offset,
          message: `blocks stand more than ${MAX_BLOCK_DEPTH} deep in another`,
        });
      }
      open.push({ index: blocks.push(block) - 1, block, hasElse: false });
    } else if (name === "else" || name === "elsif") {
      const fault = branchFault(name, innermost);
      if (fault !== undefined) faults.push({ offset, message: fault });
      innermost?.block.tags.push(at);
      if (innermost && name === "else") innermost.hasElse = true;
    } else if (Object.hasOwn(ENDS, name)) {
      if (ENDS[name] !== innermost?.block.word) {
        faults.push({ offset, message: endFault(name, innermost?.block.word) });
        // What it ends is ended, so that one fault is not told again at each block around it.
        const meant = open.findLastIndex(({ block }) => block.word === ENDS[name]);
        if (meant !== -1) open.length = meant + 1;
      }
      if (ENDS[name] === open.at(-1)?.block.word) open.pop()?.block.tags.push(at);
    }
  });
  for (const { block } of open.slice(-1)) {
    const offset = tags[block.tags[0] ?? 0]?.start ?? 0;
    faults.push({ offset, message: `{% ${block.word} %} has no {% end${block.word} %}` });
  }
  return { blocks, faults };
}

function branchFault(name: string, innermost: { block: Block; hasElse: boolean } | undefined) {
  if (innermost === undefined)
    return `{% ${name} %} stands in no {% if %}, {% unless %} or {% for %}`;
  if (name === "elsif" && innermost.block.word === "for") {
    return "{% elsif %} stands in a {% for %}, which has only an {% else %}";
  }
  return innermost.hasElse ? `{% ${name} %} stands behind the {% else %} of its block` : undefined;
}

function endFault(name: string, open: Block["word"] | undefined): string {
  return open === undefined
    ? `{% ${name} %} ends nothing that is open here`
    : `{% ${name} %} stands in an open {% ${open} %}: write {% end${open} %} first`;
}
