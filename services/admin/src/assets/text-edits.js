import { moveLineDown, moveLineUp, redo, undo } from "@codemirror/commands";

/** Returns the toolbar's actions for the text of a CodeMirror view. visual-edits.js has them for the visual editor. */
export function textEdits(view, isMarkdown) {
  /** Inserts a block of the template language: on lines of its own in Markdown, within the line in other texts. */
  const logic = (open, words, close) =>
    isMarkdown()
      ? insertBlock(view, `${open}\n${words}\n${close}`, words)
      : insert(view, `${open}${words}${close}`, words);
  return {
    bold: () => wrap(view, "**", "**", "bold words"),
    italic: () => wrap(view, "*", "*", "words"),
    heading: () => markLines(view, "## "),
    list: () => markLines(view, "- "),
    divider: () => insertBlock(view, "---"),
    up: () => moveLineUp(view),
    down: () => moveLineDown(view),
    undo: () => undo(view),
    redo: () => redo(view),
    selected() {
      const { from, to } = view.state.selection.main;
      return { text: view.state.sliceDoc(from, to) };
    },
    link: ({ text, address }) => insert(view, `[${text}](${address})`),
    button: ({ text, address }) => insertBlock(view, `[${text}](${address})`),
    image: ({ text, address }) => insertBlock(view, `![${text}](${address})`),
    unsubscribe({ leave, choose }) {
      const links = `[${leave}]({{ $unsubscribe_url }}) · [${choose}]({{ $preferences_url }})`;
      insert(view, `{% if $unsubscribe_url %}${links}{% endif %}`);
    },
    variable: (name) => insert(view, `{{ ${name} }}`),
    condition: (name) => logic(`{% if ${name} %}`, "shown then", "{% endif %}"),
    loop({ item, list, fields }) {
      const names = fields.map((field) => (field === "" ? item : `${item}.${field}`));
      const words = names.map((name) => `{{ ${name} }}`).join(", ");
      const line = isMarkdown() ? `- ${words}` : `${words} `;
      logic(`{% for ${item} in ${list} %}`, line, "{% endfor %}");
    },
  };
}

/** Puts marks around the selection, or around words to be typed over. */
function wrap(view, before, after, words) {
  const { from, to } = view.state.selection.main;
  const text = from === to ? words : view.state.sliceDoc(from, to);
  const at = from + before.length;
  view.dispatch({
    changes: { from, to, insert: before + text + after },
    selection: { anchor: at, head: at + text.length },
    scrollIntoView: true,
  });
  view.focus();
}

/** Puts a mark before every selected line, or removes the mark if all lines have it. */
function markLines(view, mark) {
  const { from, to } = view.state.selection.main;
  const { doc } = view.state;
  const lines = [];
  for (let at = doc.lineAt(from).number; at <= doc.lineAt(to).number; at += 1) {
    lines.push(doc.line(at));
  }
  const isMarked = lines.every(({ text }) => text.startsWith(mark));
  view.dispatch({
    changes: lines.map((line) =>
      isMarked
        ? { from: line.from, to: line.from + mark.length }
        : { from: line.from, insert: mark },
    ),
    scrollIntoView: true,
  });
  view.focus();
}

/** Replaces the selection by a text, and selects the part `select` of the text. */
function insert(view, text, select) {
  const { from, to } = view.state.selection.main;
  const start = select === undefined ? text.length : text.indexOf(select);
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + start, head: from + start + (select?.length ?? 0) },
    scrollIntoView: true,
  });
  view.focus();
}

/** Inserts a block after the line of the selection, with an empty line on both sides. It replaces an empty line. */
function insertBlock(view, text, select) {
  const line = view.state.doc.lineAt(view.state.selection.main.to);
  const isEmpty = line.text.trim() === "";
  const before = isEmpty ? "" : "\n\n";
  const next = line.to < view.state.doc.length ? view.state.doc.lineAt(line.to + 1).text : "";
  const after = next.trim() === "" ? "" : "\n";
  const at = isEmpty ? line.from : line.to;
  const start = at + before.length + (select === undefined ? text.length : text.indexOf(select));
  view.dispatch({
    changes: { from: at, to: line.to, insert: before + text + after },
    selection: { anchor: start, head: start + (select?.length ?? 0) },
    scrollIntoView: true,
  });
  view.focus();
}
