/** Checks of an MJML source that MJML itself leaves out, made before it sees the source. */

import { blockPlaceFaults } from "../html/block-places.ts";
import { type ElementEvent, readHtml, type Span, spanFault } from "../html/html-places.ts";
import { type Range, rangeFinder } from "../html/ranges.ts";
import { maskTags, type Tag, type TagFault } from "../language/tags.ts";
import { mjmlBlocks } from "./mjml-blocks.ts";

export interface CheckedMjml {
  faults: TagFault[];
  /** Indexes of the tags that stand between elements of MJML, where it carries only `mj-raw` through. */
  between: Set<number>;
}

/**
 * Checks a source. Its faults are `mj-include`, elements that are not closed, tags that MJML would drop
 * or break, with the name of the attribute or element they stand in, and blocks where none may stand.
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
    // Where blocks stand is judged with what they hold.
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
