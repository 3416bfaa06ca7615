/** Finds the variables that texts use, and what kind of value each one expects. */

import type { Comparison, FilterCall, NameOperand, Node, Operand } from "./expressions.ts";
import { parseTemplate } from "./parse-template.ts";
import { scanTags } from "./tags.ts";

export interface TemplateVariable {
  name: string;
  /** `flag`: it is only asked for in conditions. */
  kind: "text" | "list" | "object" | "flag";
  /** Names that are read inside an object, or inside a list's items. Absent if there are none. */
  fields?: string[];
}

/**
 * The variables of texts in the order of their first use, without the system's, which begin with `$`, but with
 * `$items`, whose fields are variables of the events. Of texts with faults, only those that can be read.
 */
export function templateVariables(texts: readonly string[]): TemplateVariable[] {
  const found = new Map<string, { kind: TemplateVariable["kind"]; fields: Set<string> }>();
  for (const { path, as } of texts.flatMap(usesOf)) {
    const [name, inside, field] = path;
    if (typeof name !== "string" || (name.startsWith("$") && name !== "$items")) continue;
    const variable = found.get(name) ?? { kind: "flag", fields: new Set() };
    found.set(name, variable);
    const seen = kindOf(inside, as);
    if (RANKS[seen] > RANKS[variable.kind]) variable.kind = seen;
    const read = seen === "list" ? field : inside;
    if (typeof read === "string" && read !== "size" && !read.startsWith("$")) {
      variable.fields.add(read);
    }
  }
  return [...found].map(([name, { kind, fields }]) =>
    fields.size > 0 ? { name, kind, fields: [...fields] } : { name, kind },
  );
}

/** The names that checked texts use, as they are written, without those of loop items. */
export function templateNames(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(usesOf).flatMap(({ name }) => name ?? []))];
}

/** In a path: an item of the list in front of it. */
const ITEM = Symbol("item");

type Path = readonly (string | typeof ITEM)[];

interface Use {
  /** The variable's name in the template; undefined for a loop's item. */
  name: string | undefined;
  /** The path from the variable on, even if the expression begins with a loop's item. */
  path: Path;
  /** The kind of value that the place expects. */
  as: "text" | "list" | "flag";
}

/** A variable that is used in several ways has the kind with the highest rank. */
const RANKS = { flag: 0, text: 1, object: 2, list: 3 };

function kindOf(inside: Path[number] | undefined, as: Use["as"]): TemplateVariable["kind"] {
  if (inside === undefined) return as;
  return inside === ITEM || LIST_FIELDS.has(inside) ? "list" : "object";
}

const LIST_FIELDS = new Set(["size", "first", "last"]);
const LIST_FILTERS = new Set(["join", "first", "last"]);

function usesOf(text: string): Use[] {
  const uses: Use[] = [];
  /** The lists of the current loops. */
  const lists: Path[] = [];
  const pathOf = ({ loop, path }: NameOperand): Path =>
    loop === undefined ? path : [...(lists[loop] ?? []), ITEM, ...path];
  const add = (operand: Operand | undefined, as: Use["as"]): void => {
    if (operand?.kind !== "name") return;
    const { name, loop } = operand;
    uses.push({ name: loop === undefined ? name : undefined, path: pathOf(operand), as });
  };
  const addArguments = ({ arguments: given, keywords }: FilterCall): void => {
    for (const operand of given) add(operand, "text");
    for (const [, operand] of keywords) add(operand, "text");
  };
  const addComparison = ({ left, comparator, right }: Comparison): void => {
    // A compared value is a text. A value without comparison is a flag.
    add(left, comparator === undefined ? "flag" : "text");
    add(right, "text");
  };
  const read = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if (node.kind === "value") {
        const { operand, filters } = node.expression;
        add(operand, filters.some(({ name }) => LIST_FILTERS.has(name)) ? "list" : "text");
        filters.forEach(addArguments);
      } else if (node.kind === "if") {
        for (const { condition, body } of node.branches) {
          condition?.forEach(addComparison);
          read(body);
        }
      } else if (node.kind === "for") {
        const { list, limit } = node.loop;
        add(list, "list");
        add(limit, "text");
        lists.push(pathOf(list));
        read(node.body);
        lists.pop();
        read(node.otherwise);
      }
    }
  };
  read(parseTemplate(text, scanTags(text).tags).nodes);
  return uses;
}
