/** What each tag of an HTML document may become there, or why it may not stand there. */

import { escaped, type HtmlSlot } from "../language/slot.ts";
import { breaksLines, maskTags, type Tag } from "../language/tags.ts";
import { attributeSlots } from "./attribute-slots.ts";
import { type BlockFault, blockPlaceFaults } from "./block-places.ts";
import { type HtmlPlaces, readHtml, type Span, spanFault } from "./html-places.ts";
import { type Range, rangeFinder } from "./ranges.ts";

/**
 * The slots of a document's tags, in the order of the tags. That of a block's tag writes nothing, but
 * is refused where no block may stand. `linkSchemes`: those that the template's own links may have besides
 * those of everybody.
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

/** The slots of a document's values, and the faults of its blocks. */
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
 * A value has no `>` of its own left, but a `--` of it could end the comment together with a `>` of
 * the template. So hyphens that could meet another or a `>` are written as references.
 */
function insideComment(slot: HtmlSlot): HtmlSlot {
  if ("refused" in slot) return slot;
  const { write, longest } = slot;
  return {
    write: (value, rendering) => write(value, rendering).replace(/^-|-(?=-|!?$)|(?<=-)-/g, "&#45;"),
    longest,
  };
}
