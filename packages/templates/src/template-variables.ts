/** Which variables a text asks for, and what they look like from there. */

import type { Comparison, FilterCall, NameOperand, Node, Operand } from "./expressions.ts";
import { parseTemplate } from "./parse-template.ts";
import { scanPlainTags, scanTags } from "./tags.ts";

export interface TemplateVariable {
  name: string;
  /** `flag`: it is only asked for in conditions. */
  kind: "text" | "list" | "object" | "flag";
  /** Of an object, and of the items of a list: the names that are read inside. */
  fields?: string[];
}

interface Found {
  isText: boolean;
  isList: boolean;
  fields: Set<string>;
}

/**
 * The variables of texts, in the order in which they are asked for; none of the system's, which begin
 * with `$`. Of texts with faults those that can be read.
 */
export function templateVariables(texts: readonly string[]): TemplateVariable[] {
  const found = new Map<string, Found>();
  for (const use of texts.flatMap(usesOf)) {
    const [name = "", ...inside] = use.path;
    if (name.startsWith("$")) continue;
    const variable = found.get(name) ?? { isText: false, isList: false, fields: new Set() };
    found.set(name, variable);
    const last = inside.at(-1);
    const asksList = last === "size" || inside[0] === "first" || inside[0] === "last";
    if (use.isItem || (asksList && inside.length === 1) || (use.isList && inside.length === 0)) {
      variable.isList = true;
    }
    const field = asksList && inside[0] !== last ? inside[1] : asksList ? undefined : inside[0];
    if (asksList && inside[0] !== "size" && last !== "size") variable.isList = true;
    if (field !== undefined) variable.fields.add(field);
    else if (!use.isList && !use.isItem && !asksList) variable.isText ||= use.isWritten;
  }
  return [...found].map(([name, { isText, isList, fields }]): TemplateVariable => {
    const kind = isList ? "list" : fields.size > 0 ? "object" : isText ? "text" : "flag";
    return fields.size > 0 ? { name, kind, fields: [...fields] } : { name, kind };
  });
}

/** The names that checked texts ask for, as they are written; not those of a loop's own items. */
export function templateNames(texts: readonly string[], logic: boolean): string[] {
  const names = (text: string): string[] =>
    (logic ? usesOf(text) : scanPlainTags(text).tags).map(({ name }) => name);
  return [...new Set(texts.flatMap(names))];
}

interface Use {
  /** As it is written, where it is no item's. */
  name: string;
  /** From the variable on, also where it is written by the name of a loop's item. */
  path: readonly string[];
  /** It is inside the items of a list. */
  isItem: boolean;
  isList: boolean;
  isWritten: boolean;
}

function usesOf(text: string): Use[] {
  const uses: Use[] = [];
  const { tags } = scanTags(text);
  const lists: { name: string; path: readonly string[] }[] = [];
  const add = (operand: Operand | undefined, isList: boolean, isWritten: boolean): void => {
    if (operand?.kind !== "name") return;
    const { name, path } = resolved(operand, lists);
    uses.push({ name, path, isItem: operand.loop !== undefined, isList, isWritten });
  };
  const addFilter = ({ arguments: given, keywords }: FilterCall): void => {
    for (const operand of given) add(operand, false, true);
    for (const [, operand] of keywords) add(operand, false, true);
  };
  const addComparison = ({ left, comparator, right }: Comparison): void => {
    // What is compared has a text; what is asked for alone may be there or not.
    add(left, false, comparator !== undefined);
    add(right, false, true);
  };
  const read = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if (node.kind === "value") {
        add(node.expression.operand, node.expression.filters.some(readsList), true);
        node.expression.filters.forEach(addFilter);
      } else if (node.kind === "if") {
        for (const { condition, body } of node.branches) {
          condition?.forEach(addComparison);
          read(body);
        }
      } else if (node.kind === "for") {
        add(node.loop.list, true, true);
        add(node.loop.limit, false, true);
        lists.push(resolved(node.loop.list, lists));
        read(node.body);
        lists.pop();
        read(node.otherwise);
      }
    }
  };
  read(parseTemplate(text, tags).nodes);
  return uses;
}

/** A name inside the items of a list is that list's: of lists in lists the outermost one's. */
function resolved(
  { loop, name, path }: NameOperand,
  lists: readonly { name: string; path: readonly string[] }[],
): { name: string; path: readonly string[] } {
  const list = loop === undefined ? undefined : lists[loop];
  if (list === undefined) return { name, path: path.length > 1 ? path : [name] };
  return { name: list.name, path: [list.path[0] ?? "", ...list.path.slice(1), ...path] };
}

function readsList({ name }: FilterCall): boolean {
  return name === "join" || name === "first" || name === "last";
}
