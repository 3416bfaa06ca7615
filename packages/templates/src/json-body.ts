/** Checks and renders JSON bodies in the template language, for requests to other APIs. */

import { MAX_JSON_BYTES, MAX_JSON_WORK_CHARACTERS } from "./language/bounds.ts";
import type { Branch, Node } from "./language/expressions.ts";
import { jsonFault } from "./language/json-fault.ts";
import { parseTemplate } from "./language/parse-template.ts";
import { beginRendering, type Slot } from "./language/rendering.ts";
import { breaksLines, scanTags, type Tag, type TagFault, tagExtents } from "./language/tags.ts";
import { templateNames } from "./language/template-variables.ts";
import { createWriter } from "./language/writer.ts";
import { placeFaults } from "./source.ts";

export interface JsonBodyFault {
  line: number;
  column: number;
  message: string;
}

/**
 * Returns the faults of a JSON body with tags. `names` are the available variables. A tag may be inside a JSON string,
 * where its value is escaped, or in place of a whole JSON value: `"text": {{ text }}`.
 */
export function jsonBodyFaults(body: string, names: readonly string[]): JsonBodyFault[] {
  return placeFaults("content", body, faultsOf(body, names)).map(({ line, column, message }) => ({
    line,
    column,
    message,
  }));
}

function faultsOf(body: string, names: readonly string[]): TagFault[] {
  const { tags, faults: tagFaults } = scanTags(body);
  if (tagFaults.length > 0) return tagFaults;
  const { nodes, faults: parseFaults } = parseTemplate(body, tags);
  if (parseFaults.length > 0) return parseFaults;
  const breaks = tags.filter(breaksLines).map(({ start }) => ({
    offset: start,
    message: "newline_to_br is for HTML: in JSON line ends are escaped without it",
  }));
  const unknown = templateNames([body])
    .filter((name) => !names.includes(name.split(".")[0] ?? ""))
    .map((name) => ({
      offset: Math.max(body.indexOf(name), 0),
      message: `there is no ${name} here: there are ${names.join(", ")}`,
    }));
  const places = findTagsInStrings(body, tags, nodes);
  const faults = [...breaks, ...unknown, ...places.faults];
  if (faults.length > 0) return faults;
  // Each text has the same part of every block: the first texts have the first parts, and so on. So all parts are tried.
  const most = Math.min(branchesOf(nodes), MAX_TRIED_PARTS);
  for (let part = 0; part < most; part++) {
    const fault = jsonFault(
      sampleText({ body, tags, nodes, inText: places.inText, part, turns: 1 }),
    );
    if (fault !== undefined) return [fault];
  }
  const twice = sampleText({ body, tags, nodes, inText: places.inText, part: 0, turns: 2 });
  if (jsonFault(twice) === undefined) return [];
  const message = "a loop's values need a comma between: {% unless forloop.last %},{% endunless %}";
  return [{ offset: Math.max(body.search(/{%-?\s*for\b/), 0), message }];
}

export type RenderedJson =
  | { ok: true; text: string }
  | { ok: false; reason: "too large" | "no JSON" };

/** Prepares a body that has no faults. The returned function writes JSON, or reports that the result is not JSON. */
export function createJsonBody(body: string): (values: Record<string, unknown>) => RenderedJson {
  const write = createWriter(body, {
    // JSON can contain every character.
    clean: (text) => text,
    slots: jsonSlots,
    measure: (text) => Buffer.byteLength(text),
    limit: MAX_JSON_BYTES,
  });
  return (values) => {
    const rendering = { ...beginRendering(), workLeft: MAX_JSON_WORK_CHARACTERS };
    const text = write?.(values, rendering);
    if (write !== undefined && text === undefined) return { ok: false, reason: "too large" };
    return text !== undefined && isJson(text)
      ? { ok: true, text }
      : { ok: false, reason: "no JSON" };
  };
}

const IN_TEXT: Slot = {
  write: (value) => JSON.stringify(value).slice(1, -1),
  longest: Number.POSITIVE_INFINITY,
};
const AS_VALUE: Slot = { write: (value) => value, longest: -1, isJson: true };

function jsonSlots(body: string, tags: readonly Tag[]): Slot[] {
  const { inText } = findTagsInStrings(body, tags, parseTemplate(body, tags).nodes);
  return tags.map((_, index) => (inText.has(index) ? IN_TEXT : AS_VALUE));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** The scanner's state: outside a string, in a string, after a backslash, or in `\u` with that many digits to come. */
type Place = "outside" | "text" | "escape" | 1 | 2 | 3 | 4;

/**
 * Returns the indexes of the tags that are inside a JSON string. It is a fault if a part of a block opens a string and
 * does not close it, or the reverse.
 */
function findTagsInStrings(
  body: string,
  tags: readonly Tag[],
  nodes: readonly Node[],
): { inText: Set<number>; faults: TagFault[] } {
  const inText = new Set<number>();
  const faults: TagFault[] = [];
  const walk = (some: readonly Node[], begin: Place): Place => {
    let place = begin;
    for (const node of some) {
      if (node.kind === "text") {
        place = placeBehind(body, node.start, node.end, place);
      } else if (node.kind === "value") {
        if (place === "text") inText.add(node.tag);
        else if (place !== "outside") {
          const offset = tags[node.tag]?.start ?? 0;
          faults.push({
            offset,
            message: "a value stands behind a \\: write \\\\ for a backslash",
          });
          place = "text";
        }
      } else {
        const at = place;
        const parts = partsOf(node);
        if (at !== "text" && at !== "outside") {
          faults.push({ offset: node.start, message: "a block stands behind a \\" });
        } else if (parts.map((part) => walk(part, at)).some((end) => end !== at)) {
          const message =
            "each part of a block holds whole texts in quotes, or stands in one: a quote is missing";
          faults.push({ offset: node.start, message });
        }
      }
    }
    return place;
  };
  walk(nodes, "outside");
  return { inText, faults };
}

function placeBehind(body: string, start: number, end: number, begin: Place): Place {
  let place = begin;
  for (let at = start; at < end; at++) {
    const code = body.charCodeAt(at);
    if (place === "outside") {
      if (code === QUOTE) place = "text";
    } else if (place === "text") {
      if (code === QUOTE) place = "outside";
      else if (code === BACKSLASH) place = "escape";
    } else if (place === "escape") place = code === LOWER_U ? 4 : "text";
    else place = place === 1 ? "text" : ((place - 1) as 1 | 2 | 3);
  }
  return place;
}

type Block = Extract<Node, { kind: "if" | "for" }>;

/** Returns the parts that a block may write. An `if` without `else` may also write nothing. */
function partsOf(node: Block): (readonly Node[])[] {
  if (node.kind === "for") return [node.body, node.otherwise];
  const parts = node.branches.map(({ body }) => body);
  return hasElse(node.branches) ? parts : [...parts, []];
}

function hasElse(branches: readonly Branch[]): boolean {
  return branches.at(-1)?.condition === undefined;
}

/** Saving a body checks at most this many parts of a block. Every message is checked again when it is sent. */
const MAX_TRIED_PARTS = 16;

function branchesOf(nodes: readonly Node[]): number {
  const counts = nodes.map((node) => {
    if (node.kind === "text" || node.kind === "value") return 1;
    const parts = partsOf(node);
    return Math.max(parts.length, ...parts.map(branchesOf));
  });
  return Math.max(1, ...counts);
}

interface Tried {
  body: string;
  tags: readonly Tag[];
  nodes: readonly Node[];
  inText: ReadonlySet<number>;
  /** The number of the part that each block writes. */
  part: number;
  /** How often each loop runs. */
  turns: 1 | 2;
}

interface Turn {
  first: boolean;
  last: boolean;
}

/**
 * Returns the body with one part of each block, a placeholder for each value and spaces for everything else. If each
 * loop runs once, all offsets are the same as in the body.
 */
function sampleText({ body, tags, nodes, inText, part, turns }: Tried): string {
  const extents = tagExtents(body, tags);
  const loops: Turn[] = [];
  let text = "";
  const write = (some: readonly Node[]): void => {
    for (const node of some) {
      if (node.kind === "text") {
        text = text.padEnd(node.start) + body.slice(node.start, node.end);
      } else if (node.kind === "value") {
        const { start, end } = extents[node.tag] ?? { start: 0, end: 0 };
        const from = turns === 1 ? Math.max(start, text.length) : start;
        text = text.padEnd(from);
        text += inText.has(node.tag) ? "v".repeat(end - from) : `"${"v".repeat(end - from - 2)}"`;
      } else if (node.kind === "for" && part === 0) {
        for (let turn = 0; turn < turns; turn++) {
          loops.push({ first: turn === 0, last: turn === turns - 1 });
          write(node.body);
          loops.pop();
        }
      } else {
        const parts = partsOf(node);
        write(parts[Math.min(certainPart(node, loops) ?? part, parts.length - 1)] ?? []);
      }
    }
  };
  write(nodes);
  return text.padEnd(body.length);
}

/** Returns the part of an `if` whose condition is only `forloop.first` or `forloop.last`, which are known here. */
function certainPart(node: Block, loops: readonly Turn[]): number | undefined {
  if (node.kind === "for") return undefined;
  const [branch] = node.branches;
  const [only, ...others] = branch?.condition ?? [];
  const { left, comparator } = only ?? {};
  if (left?.kind !== "forloop" || left.field === "index") return undefined;
  if (comparator !== undefined || others.length > 0) return undefined;
  const isTrue = loops[left.loop]?.[left.field] === true;
  return isTrue === (branch?.negated === true) ? 1 : 0;
}
