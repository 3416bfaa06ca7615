import { Schema } from "prosemirror-model";

/**
 * The schema of a simple mail. A block's `blank` is the number of blank lines before it in the text, so that an
 * unchanged text is written as it was; null lets the writer decide.
 */

const BLANK = { blank: { default: null } };
const blockOf = (spec, attrs = {}) => ({ group: "block", ...spec, attrs: { ...BLANK, ...attrs } });
const WORDS = "(text | tag)*";
const levelOf = (level) => ({ tag: `h${level}`, attrs: { level } });

/**
 * Returns an address as it is written in a link: spaces, brackets and backslashes outside of tags are percent-encoded.
 */
export function writtenAddress(address) {
  return address.replace(/\{\{.*?\}\}|[\s()<>\\]/g, (part) =>
    part.length > 1 ? part : `%${part.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}

/**
 * Returns the address of a pasted link as it is written; undefined if mails may not link there. They may if the address
 * has a scheme that every tenant allows, or begins with a variable.
 */
export function allowedAddress(address) {
  const isAllowed =
    address.length <= 2000 && /^(?:https?:\/\/|mailto:|tel:|sms:|\{\{)./i.test(address);
  return isAllowed ? writtenAddress(address) : undefined;
}

export const schema = new Schema({
  nodes: {
    doc: { content: "preheader? block+", attrs: { end: { default: "\n" } } },
    paragraph: blockOf({
      content: "inline*",
      parseDOM: [{ tag: "p" }],
      toDOM: () => ["p", 0],
    }),
    /** The text that a mailbox shows after the subject. The server also treats it as plain text. */
    preheader: {
      content: WORDS,
      marks: "",
      defining: true,
      attrs: { ...BLANK, prefix: { default: "preheader: " } },
      toDOM: () => ["p", { class: "preheader", "data-label": "Shown behind the subject: " }, 0],
    },
    heading: blockOf(
      {
        content: WORDS,
        defining: true,
        parseDOM: [1, 2, 3].map(levelOf),
        toDOM: ({ attrs }) => [`h${attrs.level}`, 0],
      },
      { level: { default: 2 } },
    ),
    bullet_list: blockOf(
      { content: "list_item+", parseDOM: [{ tag: "ul" }], toDOM: () => ["ul", 0] },
      { sign: { default: "-" } },
    ),
    ordered_list: blockOf(
      {
        content: "list_item+",
        parseDOM: [{ tag: "ol", getAttrs: (element) => ({ start: element.start }) }],
        toDOM: ({ attrs }) => ["ol", attrs.start === 1 ? {} : { start: attrs.start }, 0],
      },
      { sign: { default: "." }, start: { default: 1 } },
    ),
    list_item: {
      content: "paragraph (bullet_list | ordered_list)?",
      defining: true,
      attrs: BLANK,
      parseDOM: [{ tag: "li" }],
      toDOM: () => ["li", 0],
    },
    quote: blockOf({
      content: "paragraph+",
      parseDOM: [{ tag: "blockquote" }],
      toDOM: () => ["blockquote", 0],
    }),
    divider: blockOf({
      parseDOM: [{ tag: "hr" }],
      toDOM: () => ["div", { class: "visual-divider" }, ["hr"]],
    }),
    button: blockOf(
      {
        content: WORDS,
        marks: "strong em strike",
        defining: true,
        isolating: true,
        toDOM: ({ attrs }) => ["p", { class: "visual-button", title: attrs.href }, ["span", 0]],
      },
      { href: {}, title: { default: null } },
    ),
    image: blockOf(
      {
        draggable: true,
        toDOM: ({ attrs }) => ["p", { class: "visual-image" }, `${attrs.alt || attrs.src}`],
      },
      { src: {}, alt: { default: "" }, title: { default: null } },
    ),
    /** A table, stored and shown as its source text. */
    table: blockOf(
      { draggable: true, toDOM: ({ attrs }) => ["pre", { class: "visual-table" }, attrs.text] },
      { text: {} },
    ),
    /** A condition or a loop. Each of its tags but the last begins a branch of blocks; `end` is the last tag. */
    box: blockOf(
      {
        content: "branch+",
        isolating: true,
        draggable: true,
        toDOM: () => ["div", { class: "visual-box" }, 0],
      },
      { end: { default: "{% endif %}" }, endBlank: { default: null } },
    ),
    branch: {
      content: "block+",
      isolating: true,
      attrs: { tag: { default: "{% else %}" }, ...BLANK },
      toDOM: () => ["div", { class: "visual-branch" }, 0],
    },
    /** A tag within a line of text, as it is written: a variable, or the beginning or end of a condition. */
    tag: {
      group: "inline",
      inline: true,
      atom: true,
      attrs: { code: { default: "" } },
      leafText: ({ attrs }) => attrs.code,
      toDOM: ({ attrs }) => ["span", { class: "visual-tag", "data-tag": attrs.code }],
      parseDOM: [{ tag: "span[data-tag]", getAttrs: (element) => ({ code: element.dataset.tag }) }],
    },
    hard_break: {
      group: "inline",
      inline: true,
      selectable: false,
      leafText: () => "\n",
      parseDOM: [{ tag: "br" }],
      toDOM: () => ["br"],
    },
    text: { group: "inline" },
  },
  // The order matters for two marks that begin and end together: the first is written around the second.
  marks: {
    link: {
      attrs: { href: {}, title: { default: null } },
      inclusive: false,
      parseDOM: [
        {
          tag: "a[href]",
          getAttrs: (element) => {
            const href = allowedAddress(element.dataset.href ?? element.getAttribute("href"));
            return href !== undefined && { href };
          },
        },
      ],
      toDOM: ({ attrs }) => ["a", { href: "#", title: attrs.href, "data-href": attrs.href }, 0],
    },
    strong: {
      parseDOM: [{ tag: "strong" }, { tag: "b" }],
      toDOM: () => ["strong", 0],
    },
    em: { parseDOM: [{ tag: "em" }, { tag: "i" }], toDOM: () => ["em", 0] },
    strike: { parseDOM: [{ tag: "s" }, { tag: "del" }], toDOM: () => ["s", 0] },
    code: { parseDOM: [{ tag: "code" }], toDOM: () => ["code", 0] },
  },
});
