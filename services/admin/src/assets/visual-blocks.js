import { NodeSelection } from "prosemirror-state";
import { tagWords } from "./visual-document.js";
import { readPlain, readWords, splitTags, Unshown } from "./visual-words.js";

/** How the parts of a mail look in the visual editor that are more than words: boxes, buttons, pictures, tags. */

/** Returns the label of a tag in a box or among words, without its braces. */
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

/** An address as it is shown and typed: a variable that is all of it by its name. */
export function shownAddress(address) {
  return /^\{\{ ([^{}|]+) \}\}$/.exec(address)?.[1] ?? address;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A small button on a block, which is no part of what is written. */
function editButton(text, label, onClick, isReadOnly) {
  const attributes = { type: "button", class: "visual-edit", contenteditable: "false" };
  const button = element("button", { ...attributes, "aria-label": label }, text);
  button.disabled = isReadOnly;
  button.addEventListener("click", onClick);
  return button;
}

/** `edit` opens the dialog of the block or the tag that stands at a place: `edit(position, node)`. */
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

/** To be read, not to be written: its cells, and what repeats or chooses its rows as rows of their own. */
function tableOf(text) {
  const table = element("table");
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

/** The cells of a row: a bar ends one, but not in a tag, and not behind a backslash. */
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

/** The block or the tag that is selected as a whole, or the block with an address around the cursor. */
export function editableAt({ selection }) {
  if (selection instanceof NodeSelection) {
    return { position: selection.from, node: selection.node };
  }
  const { $from } = selection;
  const node = $from.parent;
  return node.type.name === "button" ? { position: $from.before(), node } : undefined;
}
