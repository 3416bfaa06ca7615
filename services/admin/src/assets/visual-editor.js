/** The visual editor of a simple mail. It shows the text of `area` as a document; the form still sends `area`. */

import { baseKeymap } from "prosemirror-commands";
import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import { history } from "prosemirror-history";
import { inputRules } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { EditorState, NodeSelection, Plugin, TextSelection } from "prosemirror-state";
import { Decoration, DecorationSet, EditorView } from "prosemirror-view";
import { editableAt, nodeViews } from "./visual-blocks.js";
import { readDocument } from "./visual-document.js";
import { visualEdits } from "./visual-edits.js";
import { KEYS, RULES } from "./visual-keys.js";
import { slashMenu } from "./visual-menu.js";
import { createHandle } from "./visual-move.js";
import { pasteProps } from "./visual-paste.js";
import { schema } from "./visual-schema.js";
import { writeDocument } from "./visual-text.js";

/**
 * `entries` returns the entries of the `/` menu. `edit(node)` asks for changes of a button, an image or a tag, and
 * resolves with the new attributes or undefined. `onChange` is called when the changed text is in `area`, `onPasted`
 * with the names of the parts that could not be pasted.
 */
export function createVisualEditor(area, options) {
  const { host, label, help, entries, edit, onChange, onPasted } = options;
  const isReadOnly = area.readOnly;
  let view;

  const editAt = async (position, node) => {
    const attrs = await edit(node);
    if (attrs) {
      const changed = { ...node.attrs, ...attrs };
      view.dispatch(view.state.tr.setNodeMarkup(position, undefined, changed, node.marks));
    }
    view.focus();
  };
  const editSelected = (state) => {
    const { position, node } = editableAt(state) ?? {};
    if (!["button", "image", "tag"].includes(node?.type.name)) return false;
    void editAt(position, node);
    return true;
  };
  const addElse = (position) => {
    const { tr, doc } = view.state;
    const end = position + doc.nodeAt(position).nodeSize;
    const other = schema.node("branch", {}, schema.node("paragraph"));
    tr.insert(end, other);
    view.dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(end + 1))));
    view.focus();
  };

  const faults = faultMarks();
  const plugins = [
    slashMenu(host, entries),
    inputRules({ rules: RULES }),
    keymap({ Enter: (state) => state.selection instanceof NodeSelection && editSelected(state) }),
    keymap(KEYS),
    keymap({ ...baseKeymap, "Mod-Enter": editSelected }),
    history(),
    dropCursor({ class: "visual-drop", color: false }),
    gapCursor(),
    faults,
  ];

  const show = (doc) => {
    const state = EditorState.create({ doc, plugins });
    if (view) {
      view.updateState(state);
      return;
    }
    view = new EditorView(host, {
      state,
      editable: () => !isReadOnly,
      attributes: {
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": label,
        "aria-describedby": help,
        "aria-readonly": String(isReadOnly),
        tabindex: "0",
      },
      nodeViews: nodeViews({ edit: editAt, addElse, isReadOnly }),
      ...pasteProps(onPasted),
      dispatchTransaction(tr) {
        view.updateState(view.state.apply(tr));
        if (!tr.docChanged) return;
        area.value = writeDocument(view.state.doc).text;
        onChange();
      },
    });
    if (!isReadOnly) createHandle(host, view);
  };

  return {
    /** Shows the text of `area`; returns the reason if it cannot. An unchanged text keeps its undo history. */
    open() {
      if (view && writeDocument(view.state.doc).text === area.value) return undefined;
      const { doc, reason } = readDocument(area.value);
      if (doc) show(doc);
      return reason;
    },
    focus: () => view.focus(),
    /** Shows faults `{line, message}` of the text at their blocks. */
    markFaults: (all) => view.dispatch(faults.mark(view.state, all)),
    /** Moves the cursor to the block that contains a line of the text. */
    goTo(line) {
      const position = positionOf(view.state.doc, line);
      const $place = view.state.doc.resolve(Math.min(position + 1, view.state.doc.content.size));
      view.dispatch(view.state.tr.setSelection(TextSelection.near($place)).scrollIntoView());
      view.focus();
    },
    edits: visualEdits(() => view),
  };
}

/** Returns the position of the block that contains a line of the text. */
function positionOf(doc, line) {
  return writeDocument(doc).places.findLast((place) => place.line <= line)?.position ?? 0;
}

/** Returns a plugin that shows faults below their blocks until other faults are set. */
function faultMarks() {
  const plugin = new Plugin({
    state: {
      init: () => DecorationSet.empty,
      apply: (tr, set) => tr.getMeta(plugin) ?? set.map(tr.mapping, tr.doc),
    },
    props: { decorations: (state) => plugin.getState(state) },
  });
  plugin.mark = (state, all) => {
    const decorations = all.flatMap(({ line, message }) => {
      const from = positionOf(state.doc, line ?? 1);
      const to = from + (state.doc.nodeAt(from)?.nodeSize ?? 0);
      const note = document.createElement("p");
      note.className = "visual-fault";
      note.textContent = message;
      return [
        Decoration.node(from, to, { class: "has-fault" }),
        Decoration.widget(to, note, { side: -1, key: `${from} ${message}` }),
      ];
    });
    return state.tr.setMeta(plugin, DecorationSet.create(state.doc, decorations));
  };
  return plugin;
}
