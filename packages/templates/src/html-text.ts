/** The text part of a mail, made from its HTML. */

import { convert } from "html-to-text";

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** Reads HTML as text: links with their address, images by their alternative text, nothing hidden. */
export function htmlText(html: string): string {
  const text = convert(html, {
    wordwrap: false,
    formatters: {
      alternativeText: (element, _walk, builder) => builder.addInline(element.attribs?.alt ?? ""),
    },
    selectors: [
      // Upper case would change the names of variables, and says nothing in most scripts.
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "img", format: "alternativeText" },
      { selector: "title", format: "skip" },
      { selector: '[style*="display:none"]', format: "skip" },
      { selector: '[style*="display: none"]', format: "skip" },
    ],
  });
  return text
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
