/** Parses a text into a tree of texts, values and blocks. */

import { MAX_BLOCK_DEPTH, MAX_NAME_CHARACTERS } from "./bounds.ts";
import type { Branch, Condition, Loop, Node } from "./expressions.ts";
import { type Parsed, parseCondition, parseLoop, parseValue, parseWord } from "./parse-tag.ts";
import { type Tag, type TagFault, tagExtents } from "./tags.ts";
import { UNSUPPORTED_TAGS } from "./unsupported.ts";

export interface ParsedTemplate {
  /** Complete only where there are no faults. */
  nodes: Node[];
  faults: TagFault[];
}

const WORDS = new Set(["if", "unless", "elsif", "else", "endif", "endunless", "for", "endfor"]);

interface OpenBlock {
  tag: Tag;
  /** Takes the nodes of the current branch. */
  body: Node[];
  branches: Branch[];
  loop: Loop | undefined;
  loopBody: Node[] | undefined;
}

/**
 * Parses a text. `tags`: those that `scanTags` found; the caller reports their faults. Each fault says what to write
 * instead.
 */
export function parseTemplate(text: string, tags: readonly Tag[]): ParsedTemplate {
  const nodes: Node[] = [];
  const open: OpenBlock[] = [];
  const loops: string[] = [];
  const faults: TagFault[] = [];
  const { blocks: _, faults: blockFaults } = findBlocks(tags);
  const read = <T>(parsed: Parsed<T>): T | undefined => {
    if (parsed.ok) return parsed.value;
    faults.push(parsed.fault);
    return undefined;
  };
  const here = (): Node[] => open.at(-1)?.body ?? nodes;
  const extents = tagExtents(text, tags);
  let at = 0;
  const addText = (from: number, to: number): void => {
    if (to > from) here().push({ kind: "text", start: from, end: to });
  };
  // A block that is nested too deep is already a fault, and is not parsed.
  let isTooDeep = false;
  tags.forEach((tag, index) => {
    const opens =
      tag.kind === "block" && (tag.name === "if" || tag.name === "unless" || tag.name === "for");
    isTooDeep ||= opens && open.length === MAX_BLOCK_DEPTH;
    if (isTooDeep) return;
    const { start, end } = extents[index] ?? tag;
    addText(at, start);
    at = end;
    const fault = nameFault(tag);
    if (fault !== undefined) {
      faults.push({ offset: tag.start, message: fault });
    } else if (tag.kind === "value") {
      const expression = read(parseValue(tag, text, loops));
      if (expression !== undefined) here().push({ kind: "value", tag: index, expression });
    } else {
      readBlockTag(tag);
    }
  });
  addText(at, text.length);
  faults.push(...blockFaults);
  return { nodes, faults: faults.sort((one, other) => one.offset - other.offset) };

  function readBlockTag(tag: Tag): void {
    const innermost = open.at(-1);
    switch (tag.name) {
      case "if":
      case "unless": {
        const condition = read(parseCondition(tag, text, loops)) ?? [];
        const branch: Branch = { condition, negated: tag.name === "unless", body: [] };
        const branches = [branch];
        here().push({ kind: "if", start: tag.start, branches });
        open.push({
          tag,
          body: branch.body as Node[],
          branches,
          loop: undefined,
          loopBody: undefined,
        });
        return;
      }
      case "for": {
        const loop = read(parseLoop(tag, text, loops)) ?? NO_LOOP;
        const body: Node[] = [];
        open.push({ tag, body, branches: [], loop, loopBody: undefined });
        loops.push(loop.item);
        return;
      }
      case "elsif":
      case "else":
        readBranch(tag, innermost);
        return;
      default: {
        const fault = parseWord(tag, text);
        if (fault !== undefined) faults.push(fault);
        if (innermost === undefined || tag.name !== `end${innermost.tag.name}`) return;
        open.pop();
        if (innermost.loop === undefined) return;
        if (innermost.loopBody === undefined) loops.pop();
        here().push({
          kind: "for",
          start: innermost.tag.start,
          loop: innermost.loop,
          body: innermost.loopBody ?? innermost.body,
          otherwise: innermost.loopBody === undefined ? [] : innermost.body,
        });
      }
    }
  }

  function readBranch(tag: Tag, block: OpenBlock | undefined): void {
    let condition: Condition | undefined;
    if (tag.name === "elsif") condition = read(parseCondition(tag, text, loops)) ?? [];
    else {
      const fault = parseWord(tag, text);
      if (fault !== undefined) faults.push(fault);
    }
    if (block === undefined) return;
    if (block.loop !== undefined) {
      // Behind `else`, the name of the items is out of scope.
      if (block.loopBody === undefined) {
        block.loopBody = block.body;
        loops.pop();
      }
      block.body = [];
      return;
    }
    const branch: Branch = { condition, negated: false, body: [] };
    block.branches.push(branch);
    block.body = branch.body as Node[];
  }
}

const NO_LOOP: Loop = {
  loop: 0,
  item: "",
  list: { kind: "name", name: "", loop: undefined, key: "", path: [""] },
  limit: undefined,
};

function nameFault({ kind, name }: Tag): string | undefined {
  if (kind === "value") {
    return name.length > MAX_NAME_CHARACTERS
      ? `a name is longer than ${MAX_NAME_CHARACTERS} characters`
      : undefined;
  }
  if (WORDS.has(name)) return undefined;
  const instead = Object.hasOwn(UNSUPPORTED_TAGS, name)
    ? UNSUPPORTED_TAGS[name]
    : "there are if, elsif, else, unless and for";
  return `{% ${name} %} is not supported: ${instead}`;
}

export interface Block {
  word: "if" | "unless" | "for";
  /** Indexes into the text's tags: the opening, each `elsif` and `else`, the end; in order. */
  tags: number[];
  /** Index of the block that it stands in. */
  parent: number | undefined;
}

const ENDS: Record<string, Block["word"]> = { endif: "if", endunless: "unless", endfor: "for" };

/** Finds the blocks of a text in the order of their opening tags. With faults, the result is not complete. */
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
        // Closes the block that was meant, so that one fault is not reported again for each block around it.
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
