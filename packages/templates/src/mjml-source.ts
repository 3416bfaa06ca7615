/** Checks an MJML source before MJML reads it, for faults that MJML does not report. */

import {
  type ElementEvent,
  type HtmlPlaces,
  readHtml,
  type Span,
  spanFault,
} from "./html/html-places.ts";
import { blockPlaceFaults } from "./html/html-slots.ts";
import { maskTags, type Range, rangeFinder, type Tag, type TagFault } from "./language/tags.ts";

export interface CheckedMjml {
  faults: TagFault[];
  /** Indexes of the tags directly between MJML elements, where MJML keeps only `mj-raw`. */
  between: Set<number>;
}

/**
 * Checks a source. Faults are `mj-include`, unclosed elements, tags that MJML would drop or break, and blocks in places
 * where they are not allowed.
 */
export function checkMjml(source: string, tags: readonly Tag[]): CheckedMjml {
  const places = readHtml(maskTags(source, tags));
  const { spans, elements } = places;
  const blocks = mjmlBlocks(places, tags);
  const faults = [
    ...elementFaults(elements),
    ...tagFaults(spans, elements, tags),
    ...blockPlaceFaults(source, places, tags),
    ...blocks.faults,
  ];
  return { faults: faults.sort((a, b) => a.offset - b.offset), between: blocks.between };
}

function elementFaults(elements: readonly ElementEvent[]): TagFault[] {
  const faults: TagFault[] = [];
  const open: ElementEvent[] = [];
  for (const event of elements) {
    const { element, kind, start } = event;
    if (element === "mj-include" && kind !== "close") {
      faults.push({ offset: start, message: "mj-include is not allowed: put the content here" });
    }
    if (!element.startsWith("mj") || kind === "void") continue;
    if (kind === "open") {
      open.push(event);
    } else if (open.at(-1)?.element === element) {
      open.pop();
    } else {
      const message = `</${element}> closes nothing that is open here`;
      return [...faults, { offset: start, message }];
    }
  }
  const unclosed = open.at(-1);
  if (unclosed && unclosed.element !== "mj-include") {
    faults.push({ offset: unclosed.start, message: `<${unclosed.element}> is not closed` });
  }
  return faults;
}

function tagFaults(
  spans: readonly Span[],
  elements: readonly ElementEvent[],
  tags: readonly Tag[],
): TagFault[] {
  const spanAt = rangeFinder(spans);
  const defaultsAt = rangeFinder(rangesOf("mj-attributes", elements));
  return tags.flatMap(({ kind, start }) => {
    const span = spanAt(start);
    const inDefaults = defaultsAt(start) !== undefined;
    // The place of a block is checked together with its content.
    const fault = span && kind === "value" ? spanFault(span) : undefined;
    const message = fault ?? (span && inDefaults ? defaultsFault(span) : undefined);
    return message === undefined ? [] : { offset: start, message };
  });
}

function defaultsFault(span: Span): string | undefined {
  return span.kind === "attribute"
    ? `the attribute ${span.attribute} in mj-attributes cannot hold a variable: set it on the element itself`
    : undefined;
}

function rangesOf(element: string, elements: readonly ElementEvent[]): Range[] {
  const ranges: Range[] = [];
  for (const event of elements) {
    if (event.element !== element) continue;
    const last = ranges.at(-1);
    if (event.kind === "open") ranges.push({ start: event.start, end: Number.POSITIVE_INFINITY });
    else if (event.kind === "close" && last) last.end = event.start;
  }
  return ranges;
}

/** Elements whose content MJML copies unchanged. */
const CONTENTS = new Set(
  "accordion-text accordion-title button navbar-link preview raw social-element table text title"
    .split(" ")
    .map((name) => `mj-${name}`),
);

/** Elements whose children MJML writes one after the other. */
const LISTS = new Set(["mj-body", "mj-wrapper", "mj-column", "mj-hero"]);

/** Elements whose children share the width, so that each child's width depends on their number. */
const SHARED_WIDTH = new Set(["mj-section", "mj-group"]);

/**
 * Finds the block tags directly between MJML elements. `between` has their indexes if MJML keeps them there; otherwise
 * `faults` has one fault for each block, at its first tag.
 */
function mjmlBlocks({ spans, elements }: HtmlPlaces, tags: readonly Tag[]) {
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

/** Returns a function that finds the innermost open MJML element at an offset. Call it with growing offsets. */
export function parentFinder(
  elements: readonly ElementEvent[],
): (offset: number) => string | undefined {
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
