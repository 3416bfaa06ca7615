/** Which blocks stand directly between elements of MJML, and where they may. */

import type { ElementEvent, HtmlPlaces } from "../html/html-places.ts";
import { rangeFinder } from "../html/ranges.ts";
import type { Tag, TagFault } from "../language/tags.ts";

/** What holds HTML or text of the author's, which MJML takes over as it is. */
const CONTENTS = new Set(
  "accordion-text accordion-title button navbar-link preview raw social-element table text title"
    .split(" ")
    .map((name) => `mj-${name}`),
);

/** What MJML writes one behind the other, whatever stands between. */
const LISTS = new Set(["mj-body", "mj-wrapper", "mj-column", "mj-hero"]);

/** Where each child's size depends on how many there are. */
const SHARED_WIDTH = new Set(["mj-section", "mj-group"]);

/**
 * The indexes of the blocks' tags between elements of MJML. Where MJML does not carry them through,
 * each block has a fault, at its first tag.
 */
export function mjmlBlocks({ spans, elements }: HtmlPlaces, tags: readonly Tag[]) {
  const between = new Set<number>();
  const faults: TagFault[] = [];
  const spanAt = rangeFinder(spans);
  const parentAt = parentFinder(elements);
  tags.forEach(({ kind, name, start }, index) => {
    if (kind !== "block") return;
    const parent = parentAt(start);
    if (parent === undefined || CONTENTS.has(parent) || spanAt(start) !== undefined) return;
    if (LISTS.has(parent)) between.add(index);
    else if (name === "if" || name === "unless" || name === "for") {
      faults.push({ offset: start, message: parentFault(name, parent) });
    }
  });
  return { between, faults };
}

function parentFault(word: string, parent: string): string {
  const where = `{% ${word} %} cannot stand directly in ${parent}`;
  if (SHARED_WIDTH.has(parent)) {
    return `${where}, as its columns share its width: put the block around the whole ${parent}, or into a column`;
  }
  if (parent === "mjml" || parent === "mj-head" || parent === "mj-attributes") {
    return `${where}: put it into mj-body, or into the text of mj-title or mj-preview`;
  }
  return `${where}: put the block around the whole ${parent}, or into its text`;
}

/** The innermost element of MJML that is open at offsets that only grow. */
function parentFinder(elements: readonly ElementEvent[]): (offset: number) => string | undefined {
  const open: string[] = [];
  let next = 0;
  return (offset) => {
    for (let event = elements[next]; event && event.start < offset; event = elements[++next]) {
      const { kind, element } = event;
      if (!element.startsWith("mj")) continue;
      if (kind === "open") open.push(element);
      else if (kind === "close" && open.at(-1) === element) open.pop();
    }
    return open.at(-1);
  };
}
