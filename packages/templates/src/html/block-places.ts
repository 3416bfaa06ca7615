/**
 * Where the tags of a block may stand in HTML and MJML: a block holds text or whole elements, or is a
 * part of one attribute's value. Then each place of the document is the same place whichever branches
 * are written, and what a value becomes there is known when the template is saved.
 */

import { type Block, findBlocks } from "../language/blocks.ts";
import { type Tag, tagExtents } from "../language/tags.ts";
import { blockInAttributeFault } from "./attribute-slots.ts";
import { BranchElements } from "./branch-elements.ts";
import { CONDITIONAL, type HtmlPlaces, type Span, spanFault } from "./html-places.ts";
import { type Range, rangeFinder } from "./ranges.ts";

export interface BlockFault {
  /** Index of the block's tag that is refused. */
  tag: number;
  /** Where the reason stands: at the tag, or at an element behind it. */
  offset: number;
  message: string;
}

interface Place {
  span: Span | undefined;
  conditional: Range | undefined;
  fault: string | undefined;
}

interface OpenBlock {
  block: Block;
  place: Place;
  elements: BranchElements;
}

/**
 * The faults of a document's blocks, in order. `places` are those of the document with its tags as
 * letters. Tags and elements are each looked at once.
 */
export function blockPlaceFaults(
  html: string,
  places: HtmlPlaces,
  tags: readonly Tag[],
): BlockFault[] {
  const faults: BlockFault[] = [];
  const { blocks } = findBlocks(tags);
  if (blocks.length === 0) return faults;
  const blockOf = new Map(blocks.flatMap((block) => block.tags.map((tag) => [tag, block])));
  const open: OpenBlock[] = [];
  const placeOf = placeFinder(html, places, tags);
  const nextElements = elementReader(places);
  tags.forEach((tag, index) => {
    const place = placeOf(tag, index);
    const inner = open.at(-1);
    for (const { event, isOutlooks } of nextElements(tag.start)) {
      const message = inner?.elements.note(event, isOutlooks);
      if (message !== undefined) faults.push({ tag: index, offset: event.start, message });
    }
    const block = blockOf.get(index);
    if (block === undefined) return;
    const refuse = (offset: number, message: string | undefined): void => {
      if (message !== undefined) faults.push({ tag: index, offset, message });
    };
    if (index === block.tags[0]) {
      refuse(tag.start, place.fault);
      open.push({ block, place, elements: new BranchElements() });
    } else if (inner?.block === block) {
      // Elements between tags that are refused say nothing.
      if (inner.place.fault === undefined) {
        refuse(tag.start, otherPlaceFault(tag, place, inner) ?? place.fault);
        const unclosed = inner.elements.end(tag);
        if (unclosed) refuse(unclosed.start, unclosed.message);
      }
      if (index === block.tags.at(-1)) open.pop();
    }
  });
  return faults;
}

/** Says where tags stand; ask for them in their order. */
function placeFinder(
  html: string,
  { spans, conditionals }: HtmlPlaces,
  tags: readonly Tag[],
): (tag: Tag, index: number) => Place {
  const spanAt = rangeFinder(spans);
  const conditionalAt = rangeFinder(conditionals);
  const extents = tagExtents(html, tags);
  let hyphenEnd = -1;
  return ({ start }, index) => {
    const span = spanAt(start);
    const conditional = conditionalAt(start);
    const extent = extents[index] ?? { start, end: start };
    const before = html.slice(Math.max(0, extent.start - 3), extent.start);
    // What is written next follows a hyphen that stands in front of several tags, too.
    const followsHyphen = extent.start <= hyphenEnd || /-$|--!$/.test(before);
    if (followsHyphen) hyphenEnd = extent.end;
    const fault =
      span === undefined ? undefined : (spanFault(span, "block") ?? attributeFault(span));
    const hyphenFault = conditional && followsHyphen ? HYPHEN : undefined;
    return { span, conditional, fault: fault ?? hyphenFault };
  };
}

const HYPHEN = "a block cannot stand behind a hyphen in a comment: both could end it";

function attributeFault(span: Span): string | undefined {
  return span.kind === "attribute" ? blockInAttributeFault(span) : undefined;
}

function otherPlaceFault({ name }: Tag, place: Place, { block, place: first }: OpenBlock) {
  const both = `{% ${name} %} and its {% ${block.word} %} must stand`;
  if (place.conditional !== first.conditional) {
    return `${both} in the same comment for Outlook, or both outside of it`;
  }
  if (place.span === first.span) return undefined;
  return `${both} in the same place: both between elements, or both in one attribute's value`;
}

/** Reads on through the elements in front of offsets that only grow. */
function elementReader({ elements, conditionals }: HtmlPlaces) {
  const conditionalAt = rangeFinder(conditionals);
  let next = 0;
  return function* (offset: number) {
    for (let event = elements[next]; event && event.start < offset; event = elements[++next]) {
      const isOutlooks = event.element !== CONDITIONAL && conditionalAt(event.start) !== undefined;
      yield { event, isOutlooks };
    }
  };
}
