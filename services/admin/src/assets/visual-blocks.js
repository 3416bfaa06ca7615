/** Shows the parts of a mail that are more than words in the visual editor: boxes, buttons, images, tables and tags. */

import { NodeSelection } from "prosemirror-state";
import { tagWords } from "./visual-document.js";
import { readPlain, readWords, splitTags, Unshown } from "./visual-words.js";

/** Returns the label of a tag, without its braces. `word` is the first word of the box that an `else` is in. */
export function tagLabel(code, word) {
  const { word: own, rest } = tagWords(code) ?? {};
  switch (own) {
    case undefined:
      return code.slice(2, -2).trim();
    case "if":
      return `If ${rest}`;
    case "unless":
      return `Unless ${rest}`;
    case "elsif":
      return `Otherwise, if ${rest}`;
    case "else":
      return word === "for" ? "If the list is empty" : "Otherwise";
    case "for":
      return `For each ${rest}`;
    default:
      return "End";
  }
}

/** Returns an address as it is shown and typed: if it is only a variable, by the variable's name. */
export function shownAddress(address) {
  return /^\{\{ ([^{}|]+) \}\}$/.exec(address)?.[1] ?? address;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Returns a small button on a block. It is not part of the document. */
function editButton(text, label, onClick, isReadOnly) {
  const attributes = { type: "button", class: "visual-edit", contenteditable: "false" };
  const button = element("button", { ...attributes, "aria-label": label }, text);
  button.disabled = isReadOnly;
  button.addEventListener("click", onClick);
  return button;
}

/** Returns ProseMirror's node views. `edit(position, node)` opens the dialog of the block or the tag at a position. */
export function nodeViews({ edit, addElse, isReadOnly }) {
  const opens = (getPos, view) => (event) => {
    event.preventDefault();
    const position = getPos();
    edit(position, view.state.doc.nodeAt(position));
  };
  const ignoreButtons = (event) => event.target.closest?.(".visual-edit") !== null;
  return {
    tag(node, view, getPos) {
      const { code } = node.attrs;
      const isBlock = code.startsWith("{%");
      const [name, ...filters] = tagLabel(code).split("|");
      const dom = element(
        "span",
        { class: `visual-tag${isBlock ? " logic" : ""}`, "data-tag": code },
        name.trim() || "…",
      );
      if (filters.length > 0) dom.title = tagLabel(code);
      dom.addEventListener("dblclick", opens(getPos, view));
      return { dom };
    },
    button(node, view, getPos) {
      const contentDOM = element("span", { class: "visual-button-words" });
      const leads = shownAddress(node.attrs.href);
      const change = editButton(
        `→ ${leads}`,
        `Change where the button leads: ${leads}`,
        opens(getPos, view),
        isReadOnly,
      );
      const dom = element("div", { class: "visual-button" }, contentDOM, change);
      return { dom, contentDOM, stopEvent: ignoreButtons, ignoreMutation: isOutside(contentDOM) };
    },
    image(node, view, getPos) {
      const { alt, src } = node.attrs;
      const name = alt || shownAddress(src);
      const change = editButton(
        "Change",
        `Change the image: ${name}`,
        opens(getPos, view),
        isReadOnly,
      );
      const dom = element("div", { class: "visual-image" }, `Image: ${name}`, change);
      return { dom, stopEvent: ignoreButtons };
    },
    table(node) {
      return { dom: tableOf(node.attrs.text) };
    },
    branch(node, view, getPos) {
      const contentDOM = element("div", { class: "visual-branch-body" });
      const label = element("span", { class: "visual-branch-label" });
      const head = element("div", { class: "visual-branch-head", contenteditable: "false" }, label);
      const dom = element("div", { class: "visual-branch", role: "group" }, head, contentDOM);
      const show = ({ attrs }) => {
        const box = view.state.doc.resolve(getPos()).parent;
        const opening = box.firstChild === null ? attrs.tag : box.firstChild.attrs.tag;
        const { word } = tagWords(opening) ?? {};
        label.textContent = tagLabel(attrs.tag, word);
        dom.setAttribute("aria-label", label.textContent);
        const buttons = [];
        if (tagWords(attrs.tag)?.word !== "else") {
          const named = `Change: ${label.textContent}`;
          buttons.push(editButton("Change", named, opens(getPos, view), isReadOnly));
          if (word !== "for" && box.childCount < 2) {
            const other = () => addElse(getPos());
            buttons.push(
              editButton("+ Otherwise", "Add what is shown otherwise", other, isReadOnly),
            );
          }
        }
        head.replaceChildren(label, ...buttons);
      };
      show(node);
      return {
        dom,
        contentDOM,
        stopEvent: ignoreButtons,
        ignoreMutation: isOutside(contentDOM),
        update(changed) {
          if (changed.type.name !== "branch") return false;
          show(changed);
          return true;
        },
      };
    },
  };
}

const isOutside = (contentDOM) => (mutation) =>
  mutation.type !== "selection" && !contentDOM.contains(mutation.target);

/** Returns a table that cannot be edited. Tags that repeat or choose its rows are shown as rows of their own. */
function tableOf(text) {
  const table = element("table");
  // Leaves out the second line, which is the ruler of a Markdown table.
  const lines = text.split("\n").filter((_, at) => at !== 1);
  for (const line of lines) {
    const row = table.insertRow();
    const { word } = tagWords(line.trim()) ?? {};
    if (word !== undefined) {
      const cell = element(
        "td",
        { colspan: "20", class: "visual-table-tag" },
        tagLabel(line.trim()),
      );
      row.append(cell);
      continue;
    }
    for (const own of cellsOf(line.trim())) row.append(cellOf(own.trim()));
  }
  return element("div", { class: "visual-table" }, table);
}

/** Splits a row into cells. A `|` ends a cell, except in a tag or after a backslash. */
function cellsOf(row) {
  const cells = [""];
  for (const { text, isTag } of splitTags(row)) {
    for (const piece of isTag ? [text] : text.split(/(\\.|\|)/)) {
      if (piece === "|") cells.push("");
      else cells.push(cells.pop() + (piece === "\\|" ? "|" : piece));
    }
  }
  if (row.startsWith("|")) cells.shift();
  if (row.endsWith("|") && cells.at(-1) === "") cells.pop();
  return cells;
}

function cellOf(text) {
  const cell = element("td");
  for (const node of wordsOf(text)) {
    if (node.isText) cell.append(node.text);
    else {
      const label = tagLabel(node.attrs.code).split("|")[0].trim();
      cell.append(element("span", { class: "visual-tag" }, label));
    }
  }
  return cell;
}

function wordsOf(text) {
  try {
    return readWords(text, 1);
  } catch (error) {
    if (!(error instanceof Unshown)) throw error;
    return readPlain(text);
  }
}

/** Returns the selected block or tag, or else the button around the cursor; undefined if there is none. */
export function editableAt({ selection }) {
  if (selection instanceof NodeSelection) {
    return { position: selection.from, node: selection.node };
  }
  const { $from } = selection;
  const node = $from.parent;
  return node.type.name === "button" ? { position: $from.before(), node } : undefined;
}
