/** Finds the variables that texts use, and the kind of each variable's value. */

import type { Comparison, FilterCall, NameOperand, Node, Operand } from "./expressions.ts";
import { parseTemplate } from "./parse-template.ts";
import { scanTags } from "./tags.ts";

export interface TemplateVariable {
  name: string;
  /** `flag`: only conditions use the variable, without comparing it. */
  kind: "text" | "list" | "object" | "flag";
  /** Names of the fields of an object, or of a list's items, that the texts use. Absent if there are none. */
  fields?: string[];
}

/**
 * Returns the variables of texts in the order of their first use. System variables, which begin with `$`, are left out,
 * except `$items`, because its fields are variables of the events. If a text has faults, its readable tags count.
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

/** Returns the names that checked texts use, as they are written. Names of loop items are left out. */
export function templateNames(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(usesOf).flatMap(({ name }) => name ?? []))];
}

/** Stands in a path for any item of the list before it. */
const ITEM = Symbol("item");

type Path = readonly (string | typeof ITEM)[];

interface Use {
  /** The variable's name in the template; undefined for a loop's item. */
  name: string | undefined;
  /** The path from the variable, even if the expression begins with a loop's item. */
  path: Path;
  /** The kind of value that is expected in this place. */
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
  /** The paths of the lists of the current loops, outermost first. */
  const lists: Path[] = [];
  const pathOf = ({ loop, path }: NameOperand): Path =>
    loop === undefined ? path : [...(lists[loop] ?? []), ITEM, ...path];
  const add = (operand: Operand | undefined, as: Use["as"]): void => {
    if (operand?.kind !== "name") return;
    const { name, loop } = operand;
    uses.push({ name: loop === undefined ? name : undefined, path: pathOf(operand), as });
  };
  const addArguments = ({ arguments: operands, keywords }: FilterCall): void => {
    for (const operand of operands) add(operand, "text");
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
