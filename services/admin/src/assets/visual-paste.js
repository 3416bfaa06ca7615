import { DOMParser, DOMSerializer, Fragment, Slice } from "prosemirror-model";
import { MAX_WORDS, readPasted } from "./pasted-html.js";
import { readDocument } from "./visual-document.js";
import { schema } from "./visual-schema.js";
import { writeDocument } from "./visual-text.js";
import { readPlain } from "./visual-words.js";

/**
 * Copying from a visual editor and pasting into one. A part for which HTML has no element (`PARTS`) is copied as its
 * text. Pasting parses that text like any other.
 */

/** The most characters of pasted HTML that are read. Word writes some 100 KiB for a page. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const PARTS = ["preheader", "button", "image", "table", "box"];

const asText = (node) => {
  const { text } = writeDocument(schema.node("doc", {}, node));
  return ["div", { "data-part": node.type.name, "data-text": text }];
};

function partIn(element, name) {
  const part = readDocument(element.dataset.text ?? "").doc?.firstChild;
  return part?.type.name === name ? part : undefined;
}

const rules = PARTS.map((name) => ({
  tag: `[data-part=${name}]`,
  node: name,
  getAttrs: (element) => partIn(element, name)?.attrs ?? false,
  getContent: (element) => partIn(element, name).content,
}));

const ownParser = new DOMParser(schema, [...rules, ...DOMParser.fromSchema(schema).rules]);
const ownSerializer = new DOMSerializer(
  {
    ...DOMSerializer.nodesFromSchema(schema),
    ...Object.fromEntries(PARTS.map((name) => [name, asText])),
  },
  DOMSerializer.marksFromSchema(schema),
);

/**
 * Returns the properties of an editor that handle pasting and dropping. `tell(names)` is called with the names of the
 * parts that were left out. `shape` may change the content before it is inserted.
 */
export function pasteProps(tell, shape = (slice) => slice) {
  const bounded = (max) => (text) => {
    isTooLong = text.length > max;
    return isTooLong ? "" : text;
  };
  let isTooLong = false;
  return {
    transformPastedHTML: bounded(MAX_CHARACTERS),
    transformPastedText: bounded(MAX_WORDS),
    clipboardSerializer: ownSerializer,
    clipboardParser: {
      parseSlice(dom, options) {
        // ProseMirror preserves whitespace only of content that was copied from an editor.
        const isOwn = options.preserveWhitespace;
        const { slice, dropped } = isOwn
          ? { slice: ownParser.parseSlice(dom, options), dropped: [] }
          : readPasted(dom);
        tell(isTooLong ? ["rest"] : [...dropped]);
        return shape(slice);
      },
    },
    clipboardTextParser(text) {
      tell(isTooLong ? ["rest"] : []);
      const written = text.replace(/\r\n?/g, "\n").trim();
      const lines = written.split("\n").filter((line) => line.trim() !== "");
      const paragraphs = lines.map((line) => schema.node("paragraph", {}, readPlain(line)));
      const { doc } = readDocument(written);
      return shape(Slice.maxOpen(doc?.content ?? Fragment.from(paragraphs)));
    },
  };
}
