/** What each tag of an HTML document may become there, or why it may not stand there. */

import { attributeSlots } from "./attribute-slots.ts";
import { readHtml, type Span } from "./html-places.ts";
import { escaped, type HtmlSlot } from "./slot.ts";
import type { Tag } from "./tags.ts";

/** The slots of a document's tags, in the order of the tags. */
export function htmlSlots(html: string, tags: readonly Tag[]): HtmlSlot[] {
  const { spans, conditionals } = readHtml(maskTags(html, tags));
  let nextSpan = 0;
  let nextConditional = 0;
  let attribute: Span | undefined;
  let inAttribute: (tag: Tag) => HtmlSlot = () => escaped();
  return tags.map((tag) => {
    while ((spans[nextSpan]?.end ?? tag.end) <= tag.start) nextSpan++;
    while ((conditionals[nextConditional]?.end ?? tag.end) <= tag.start) nextConditional++;
    const span = spans[nextSpan];
    let slot: HtmlSlot;
    if (span === undefined || span.start > tag.start) {
      slot = escaped();
    } else if (span.kind !== "attribute") {
      slot = { refused: placeFault(span) };
    } else {
      if (attribute !== span) inAttribute = attributeSlots(span, html);
      attribute = span;
      slot = inAttribute(tag);
    }
    const conditional = conditionals[nextConditional];
    return conditional && conditional.start <= tag.start ? insideComment(slot) : slot;
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

/** The document with every tag replaced by as many letters, so that offsets stay. */
export function maskTags(html: string, tags: readonly Tag[]): string {
  let masked = "";
  let at = 0;
  for (const tag of tags) {
    masked += html.slice(at, tag.start) + "v".repeat(tag.end - tag.start);
    at = tag.end;
  }
  return masked + html.slice(at);
}

function placeFault(span: Exclude<Span, { kind: "attribute" }>): string {
  if (span.kind === "comment") return "a variable cannot stand in a comment";
  if (span.kind === "raw text") return `a variable cannot stand inside <${span.element}>`;
  return `a variable cannot be part of an ${span.kind}`;
}
