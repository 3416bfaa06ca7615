/** Decides for each tag of an HTML document how its value is written, or why the tag is not allowed there. */

import { type Block, findBlocks } from "../language/parse-template.ts";
import { escaped, type HtmlSlot } from "../language/rendering.ts";
import {
  breaksLines,
  maskTags,
  type Range,
  rangeFinder,
  type Tag,
  tagExtents,
} from "../language/tags.ts";
import { attributeSlots, blockInAttributeFault } from "./attribute-slots.ts";
import {
  CONDITIONAL,
  type ElementEvent,
  type HtmlPlaces,
  readHtml,
  type Span,
  spanFault,
} from "./html-places.ts";

/**
 * Returns the slots of a document's tags, in order. The slot of a block's tag writes nothing, or is refused if a block
 * is not allowed there. `linkSchemes`: schemes of the template's own links in addition to the default ones.
 */
export function htmlSlots(
  html: string,
  tags: readonly Tag[],
  linkSchemes?: readonly string[],
): HtmlSlot[] {
  const { slots, blocks } = judgeHtml(html, tags, linkSchemes);
  for (const { tag, message } of blocks) slots[tag] = { refused: message };
  return slots;
}

/** Returns the slots of a document's values, and the faults of its blocks. */
export function judgeHtml(
  html: string,
  tags: readonly Tag[],
  linkSchemes?: readonly string[],
): { slots: HtmlSlot[]; blocks: BlockFault[] } {
  const places = readHtml(maskTags(html, tags));
  const slots = valueSlots(html, places, tags, linkSchemes);
  return { slots, blocks: blockPlaceFaults(html, places, tags) };
}

function valueSlots(
  html: string,
  places: HtmlPlaces,
  tags: readonly Tag[],
  linkSchemes: readonly string[] | undefined,
): HtmlSlot[] {
  const spanAt = rangeFinder(places.spans);
  const conditionalAt = rangeFinder(places.conditionals);
  const titleAt = rangeFinder(places.titles);
  let attribute: Span | undefined;
  let inAttribute: (tag: Tag) => HtmlSlot = () => escaped();
  return tags.map((tag) => {
    if (tag.kind === "block") return NO_VALUE;
    const span = spanAt(tag.start);
    if (span?.kind === "attribute" && span !== attribute) {
      attribute = span;
      inAttribute = attributeSlots(span, html, linkSchemes);
    }
    const refused = span && spanFault(span);
    if (refused !== undefined) return { refused };
    const slot = span === undefined ? textSlot(titleAt(tag.start)) : inAttribute(tag);
    const placed = conditionalAt(tag.start) ? insideComment(slot) : slot;
    if (breaksLines(tag) && !("refused" in placed) && !placed.breaks) return { refused: NO_BREAKS };
    return placed;
  });
}

function textSlot(title: Range | undefined): HtmlSlot {
  return title === undefined ? { ...escaped(), breaks: true } : escaped();
}

const NO_VALUE: HtmlSlot = { write: () => "", longest: -1 };
const NO_BREAKS =
  "newline_to_br stands only in the text of the document: here no <br> can be written";

/**
 * Returns a slot that cannot end the comment around it. An escaped value has no `>`, but its `--` could end the comment
 * together with a `>` of the template. So hyphens before or after which another hyphen or a `>` may be are written as
 * character references.
 */
function insideComment(slot: HtmlSlot): HtmlSlot {
  if ("refused" in slot) return slot;
  const { write, longest } = slot;
  return {
    write: (value, rendering) => write(value, rendering).replace(/^-|-(?=-|!?$)|(?<=-)-/g, "&#45;"),
    longest,
  };
}

/*
 * A block contains text or whole elements, or is a part of one attribute's value. So the branches that are written do
 * not change the kind of any place in the document, and the place of each value is known when the template is saved.
 */

export interface BlockFault {
  /** The index of the refused tag. */
  tag: number;
  /** The offset of the fault: the tag, or an element after it. */
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
 * Returns the faults of a document's blocks, in order. `places` are those of the document with masked tags. Reads tags
 * and elements once.
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
      // If the opening tag is refused, the elements behind it are not judged.
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

/** Returns a function that finds the place of a tag. Call it in the order of the tags. */
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
    // A hyphen before several tags also precedes the text that follows them.
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

/** Returns a generator of the elements before an offset. Each call continues after the last one's elements. */
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

/** Elements that have no end tag. */
const VOID = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(
    " ",
  ),
);

/** Cells, which end where the next one begins. MJML writes such cells with a slash. */
const CELLS = new Set(["td", "th"]);

const FOREIGN = new Set(["svg", "math"]);

export class BranchElements {
  /** Open elements, for all clients and for Outlook alone. */
  #open: ElementEvent[] = [];
  #openInOutlook: ElementEvent[] = [];
  #isBroken = false;
  /** The number of open SVG and MathML elements, in which a slash ends an element. */
  #foreign = 0;

  /** Adds the next element of the branch. Returns its fault, if it is the first of the branch. */
  note(event: ElementEvent, isOutlooks: boolean): string | undefined {
    const { element } = event;
    if (this.#isBroken || VOID.has(element)) return undefined;
    if (event.kind === "void" && (this.#foreign > 0 || hasOwnEnd(element))) return undefined;
    const open = isOutlooks ? this.#openInOutlook : this.#open;
    if (event.kind !== "close") {
      open.push(event);
      if (FOREIGN.has(element)) this.#foreign++;
      return undefined;
    }
    if (open.at(-1)?.element === element) {
      open.pop();
      if (FOREIGN.has(element)) this.#foreign--;
      return undefined;
    }
    this.#isBroken = true;
    const why = element === "mj-raw" ? "mj-raw is not needed around a block's tags" : WHOLE;
    return `${shown(event)} closes nothing that is open in this part of the block: ${why}`;
  }

  /** Ends the branch at a tag and begins the next one. Returns the first element that is still open. */
  end({ name }: Tag): { start: number; message: string } | undefined {
    const unclosed = this.#open[0] ?? this.#openInOutlook[0];
    const isBroken = this.#isBroken;
    this.#open = [];
    this.#openInOutlook = [];
    this.#isBroken = false;
    this.#foreign = 0;
    if (isBroken || unclosed === undefined) return undefined;
    const message = `${shown(unclosed)} is not closed before {% ${name} %}: ${WHOLE}`;
    return { start: unclosed.start, message };
  }
}

const WHOLE = "a block holds text or whole elements, each with its end";

/** Whether a slash before the `>` ends an element. In HTML itself the slash is ignored. */
function hasOwnEnd(element: string): boolean {
  return element.startsWith("mj-") || element.includes(":") || CELLS.has(element);
}

function shown({ kind, element }: ElementEvent): string {
  if (element === CONDITIONAL) return kind === "close" ? "<![endif]>" : "<!--[if …]>";
  return kind === "close" ? `</${element}>` : kind === "void" ? `<${element}/>` : `<${element}>`;
}
