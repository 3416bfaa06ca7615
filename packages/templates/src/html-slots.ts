/** What each tag of an HTML document may become there, or why it may not stand there. */

import { attributeSlots } from "./attribute-slots.ts";
import { readHtml, type Span, spanFault } from "./html-places.ts";
import { rangeFinder } from "./ranges.ts";
import { escaped, type HtmlSlot } from "./slot.ts";
import { maskTags, type Tag } from "./tags.ts";

/** The slots of a document's tags, in the order of the tags. */
export function htmlSlots(html: string, tags: readonly Tag[]): HtmlSlot[] {
  const { spans, conditionals } = readHtml(maskTags(html, tags));
  const spanAt = rangeFinder(spans);
  const conditionalAt = rangeFinder(conditionals);
  let attribute: Span | undefined;
  let inAttribute: (tag: Tag) => HtmlSlot = () => escaped();
  return tags.map((tag) => {
    const span = spanAt(tag.start);
    if (span?.kind === "attribute" && span !== attribute) {
      attribute = span;
      inAttribute = attributeSlots(span, html);
    }
    const refused = span && spanFault(span);
    if (refused !== undefined) return { refused };
    const slot: HtmlSlot = span === undefined ? { ...escaped(), breaks: true } : inAttribute(tag);
    return conditionalAt(tag.start) ? insideComment(slot) : slot;
  });
}

/**
 * A value has no `>` of its own left, but a `--` of it could end the comment together with a `>` of
 * the template. So hyphens that could meet another or a `>` are written as references.
 */
function insideComment(slot: HtmlSlot): HtmlSlot {
  if ("refused" in slot) return slot;
  const { write, longest } = slot;
  return { write: (value) => write(value).replace(/^-|-(?=-|!?$)|(?<=-)-/g, "&#45;"), longest };
}
