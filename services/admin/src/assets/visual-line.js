import { baseKeymap } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import { Fragment, Slice } from "prosemirror-model";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { nodeViews } from "./visual-blocks.js";
import { slashMenu } from "./visual-menu.js";
import { pasteProps } from "./visual-paste.js";
import { schema } from "./visual-schema.js";
import { readPlain } from "./visual-words.js";

/** Returns pasted content as one line of plain text with its tags. */
function asLine({ content }) {
  const text = content.textBetween(0, content.size, " ", ({ type, attrs }) =>
    type.name === "tag" ? attrs.code : " ",
  );
  return new Slice(Fragment.from(readPlain(text.replaceAll(/\s+/g, " "))), 0, 0);
}

/** Shows an input's text, such as a subject, as one line with its tags as chips. The form still sends the input. */
export function createVisualLine(input, { label, names, edit, onChange }) {
  const host = document.createElement("div");
  host.className = "visual line";
  host.hidden = true;
  host.dir = input.dir;
  input.after(host);
  const insert = (name) => {
    const code = `{{ ${name} }}`;
    view.dispatch(view.state.tr.replaceSelectionWith(schema.node("tag", { code }), false));
    view.focus();
  };
  const entries = () => names().map(({ name }) => ({ label: name, run: () => insert(name) }));
  const plugins = [
    slashMenu(host, entries, `visual-menu-${input.id}`),
    keymap({ Enter: () => true, "Mod-z": undo, "Mod-y": redo, "Shift-Mod-z": redo }),
    keymap(baseKeymap),
    history(),
  ];
  const stateOf = () =>
    EditorState.create({ doc: schema.node("preheader", {}, readPlain(input.value)), plugins });
  const editAt = async (position, node) => {
    const attrs = await edit(node);
    if (attrs) view.dispatch(view.state.tr.setNodeMarkup(position, undefined, attrs));
    view.focus();
  };
  const isReadOnly = input.readOnly;
  const view = new EditorView(host, {
    state: stateOf(),
    editable: () => !isReadOnly,
    attributes: {
      role: "textbox",
      "aria-label": label,
      "aria-readonly": String(isReadOnly),
      tabindex: "0",
    },
    nodeViews: nodeViews({ edit: editAt, isReadOnly }),
    ...pasteProps(() => undefined, asLine),
    dispatchTransaction(tr) {
      view.updateState(view.state.apply(tr));
      if (!tr.docChanged) return;
      input.value = view.state.doc.textContent;
      onChange();
    },
  });
  document.querySelector(`label[for="${input.id}"]`)?.addEventListener("click", () => {
    if (!host.hidden) view.focus();
  });
  return {
    /** Shows the line with chips, or else the input. */
    show(isVisual) {
      if (isVisual && view.state.doc.textContent !== input.value) view.updateState(stateOf());
      host.hidden = !isVisual;
      // With the type `hidden`, the input is no longer a field that its label names.
      input.type = isVisual ? "hidden" : "text";
    },
  };
}
