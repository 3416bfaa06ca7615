import {
  baseKeymap,
  chainCommands,
  exitCode,
  lift,
  setBlockType,
  toggleMark,
  wrapIn,
} from "prosemirror-commands";
import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import { history, redo, undo } from "prosemirror-history";
import {
  InputRule,
  inputRules,
  textblockTypeInputRule,
  undoInputRule,
  wrappingInputRule,
} from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { Fragment, Slice } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem, wrapInList } from "prosemirror-schema-list";
import { EditorState, NodeSelection, Plugin, TextSelection } from "prosemirror-state";
import { Decoration, DecorationSet, EditorView } from "prosemirror-view";
import { editableAt, nodeViews } from "./visual-blocks.js";
import { readDocument, writeDocument } from "./visual-document.js";
import { slashMenu } from "./visual-menu.js";
import { blockAround, createHandle, moveBlock } from "./visual-move.js";
import { schema } from "./visual-schema.js";

/** The visual editor of a simple mail: a document over the text of `area`, which stays what the form sends. */

const { nodes, marks } = schema;

/**
 * `entries` says what the menu behind `/` has; `edit(node)` is called to change a button, an image or a tag, and
 * answers with its new attributes or undefined. `onChange` is called once the text is in `area`.
 */
export function createVisualEditor(area, { host, label, help, entries, edit, onChange }) {
  const isReadOnly = area.readOnly;
  let view;

  const editAt = async (position, node) => {
    const attrs = await edit(node);
    if (attrs)
      view.dispatch(
        view.state.tr.setNodeMarkup(position, undefined, { ...node.attrs, ...attrs }, node.marks),
      );
    view.focus();
  };
  const editSelected = (state) => {
    const found = editableAt(state);
    if (found === undefined || !["button", "image", "tag"].includes(found.node.type.name))
      return false;
    editAt(found.position, found.node);
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
        ...{ role: "textbox", "aria-multiline": "true", "aria-label": label },
        ...{ "aria-describedby": help, tabindex: "0" },
      },
      nodeViews: nodeViews({ edit: editAt, addElse, isReadOnly }),
      clipboardTextParser: (text) => {
        const { doc: pasted } = readDocument(text.trim());
        const content = pasted
          ? pasted.content
          : Fragment.from(schema.node("paragraph", {}, text ? schema.text(text) : []));
        return Slice.maxOpen(content);
      },
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
    /** Shows the text of `area`; returns why it cannot. Where it is still the text that was written here, one can go on undoing. */
    open() {
      if (view && writeDocument(view.state.doc).text === area.value) return undefined;
      const { doc, reason } = readDocument(area.value);
      if (doc) show(doc);
      return reason;
    },
    focus: () => view.focus(),
    /** Shows faults `{line, message}` of the text at their blocks. */
    markFaults: (all) => view.dispatch(faults.mark(view.state, all)),
    /** Sets the cursor to what a line of the text has become. */
    goTo(line) {
      const position = positionOf(view.state.doc, line);
      const $place = view.state.doc.resolve(Math.min(position + 1, view.state.doc.content.size));
      view.dispatch(view.state.tr.setSelection(TextSelection.near($place)).scrollIntoView());
      view.focus();
    },
    edits: editsOf(() => view),
  };
}

/** Where the block stands that has a line of the text. */
function positionOf(doc, line) {
  return writeDocument(doc).places.findLast((place) => place.line <= line)?.position ?? 0;
}

/** Faults beside their blocks, until the next ones come. */
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
      const told = document.createElement("p");
      told.className = "visual-fault";
      told.textContent = message;
      return [
        Decoration.node(from, to, { class: "has-fault" }),
        Decoration.widget(to, told, { side: -1, key: `${from} ${message}` }),
      ];
    });
    return state.tr.setMeta(plugin, DecorationSet.create(state.doc, decorations));
  };
  return plugin;
}

const heading = (level) =>
  textblockTypeInputRule(new RegExp(`^#{${level}}\\s$`), nodes.heading, { level });
const RULES = [
  ...[1, 2, 3].map(heading),
  wrappingInputRule(/^\s*[-*]\s$/, nodes.bullet_list),
  wrappingInputRule(/^\s*1[.)]\s$/, nodes.ordered_list),
  wrappingInputRule(/^\s*>\s$/, nodes.quote),
  new InputRule(/^---$/, (state, from) => {
    const $from = state.doc.resolve(from);
    if (blockAround($from)?.position !== $from.before()) return null;
    const [start, end] = [$from.before(), $from.after()];
    const tr = state.tr.replaceWith(start, end, [nodes.divider.create(), nodes.paragraph.create()]);
    return tr.setSelection(TextSelection.near(tr.doc.resolve(start + 2)));
  }),
  new InputRule(/\{\{[^{}]+\}\}$/, (state, from, to, _end) =>
    state.tr.replaceWith(
      from,
      to,
      nodes.tag.create({ code: `${state.doc.textBetween(from, to)}}` }),
    ),
  ),
];

/** Out of a heading with one line, a button or a preheader, into a new paragraph. */
function paragraphBehind(state, dispatch) {
  const { $from, empty } = state.selection;
  const { name } = $from.parent.type;
  if (!empty || (name !== "button" && name !== "preheader")) return false;
  const tr = state.tr.insert($from.after(), nodes.paragraph.create());
  dispatch?.(
    tr.setSelection(TextSelection.near(tr.doc.resolve($from.after() + 1))).scrollIntoView(),
  );
  return true;
}

/** From an empty paragraph at the end of a box to one behind the box. */
function leaveBox(state, dispatch) {
  const { $from, empty } = state.selection;
  const branch = $from.depth > 1 ? $from.node(-1) : undefined;
  if (!empty || $from.parent.content.size > 0 || branch?.type !== nodes.branch) return false;
  const isLast =
    $from.index(-1) === branch.childCount - 1 && $from.index(-2) === $from.node(-2).childCount - 1;
  if (!isLast || branch.childCount === 1) return false;
  const behind = $from.after(-2);
  const tr = state.tr.insert(behind, nodes.paragraph.create());
  tr.setSelection(TextSelection.near(tr.doc.resolve(behind + 1)));
  dispatch?.(tr.delete($from.before(), $from.after()).scrollIntoView());
  return true;
}

/** Takes a box away and leaves what is in it. */
function unwrapBox(state, dispatch) {
  const { $from, empty } = state.selection;
  if (!empty || $from.parentOffset > 0) return false;
  const isFirst =
    $from.depth > 2 &&
    $from.node(-1).type === nodes.branch &&
    $from.index(-1) === 0 &&
    $from.index(-2) === 0;
  if (!isFirst) return false;
  const box = $from.node(-2);
  const start = $from.before(-2);
  const content = box.children.flatMap((branch) => branch.children);
  const tr = state.tr.replaceWith(start, start + box.nodeSize, content);
  dispatch?.(tr.setSelection(TextSelection.near(tr.doc.resolve(start + 1))));
  return true;
}

function lineBreak(state, dispatch) {
  const { $from } = state.selection;
  if ($from.parent.type !== nodes.paragraph) return false;
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
  return true;
}

const KEYS = {
  Enter: chainCommands(splitListItem(nodes.list_item), paragraphBehind, leaveBox),
  "Shift-Enter": chainCommands(exitCode, lineBreak),
  Backspace: chainCommands(undoInputRule, unwrapBox),
  "Mod-b": toggleMark(marks.strong),
  "Mod-i": toggleMark(marks.em),
  "Mod-z": undo,
  "Mod-y": redo,
  "Shift-Mod-z": redo,
  "Mod-]": sinkListItem(nodes.list_item),
  "Mod-[": liftListItem(nodes.list_item),
  "Alt-ArrowUp": moveBlock(-1),
  "Alt-ArrowDown": moveBlock(1),
};

/** The link around a place: `{mark, from, to}`. */
function linkAround($place) {
  const mark = marks.link.isInSet($place.marks());
  if (!mark) return undefined;
  const isIn = (index) => mark.isInSet($place.parent.maybeChild(index)?.marks ?? []);
  let first = $place.index();
  if (!isIn(first)) first -= 1;
  let last = first;
  while (isIn(first - 1)) first -= 1;
  while (isIn(last + 1)) last += 1;
  return { mark, from: $place.posAtIndex(first), to: $place.posAtIndex(last + 1) };
}

/** What the toolbar and the menu do, as the text mode does it to text (text-edits.js). */
function editsOf(current) {
  const run = (command) => {
    const view = current();
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const tagOf = (name) => schema.node("tag", { code: `{{ ${name} }}` });
  /** In the place of an empty paragraph, else behind the block of the cursor. */
  const insertBlock = (node, offset) =>
    run((state, dispatch) => {
      const around = blockAround(state.selection.$from);
      const isEmpty = around?.node.type === nodes.paragraph && around.node.content.size === 0;
      const from = around?.position ?? state.selection.from;
      const to = from + (around?.node.nodeSize ?? 0);
      const start = isEmpty ? from : to;
      const isLast = state.doc.resolve(to).nodeAfter === null;
      const more = isLast ? [node, nodes.paragraph.create()] : [node];
      const tr = state.tr.replaceWith(start, to, more);
      const at = start + (offset ?? node.nodeSize);
      dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(at))).scrollIntoView());
    });
  const insertWords = (content) =>
    run((state, dispatch) => {
      const { from, to } = state.selection;
      dispatch(state.tr.replaceWith(from, to, content).scrollIntoView());
    });
  const box = (tag, end, content) =>
    schema.node("box", { end }, schema.node("branch", { tag }, content));
  const toList = (type) => (state, dispatch) =>
    liftListItem(nodes.list_item)(state, dispatch) || wrapInList(type)(state, dispatch);

  return {
    bold: () => run(toggleMark(marks.strong)),
    italic: () => run(toggleMark(marks.em)),
    heading: (level = 2) =>
      run((state, dispatch) => {
        const { type, attrs } = state.selection.$from.parent;
        const isSame = type === nodes.heading && attrs.level === level;
        const to = isSame ? setBlockType(nodes.paragraph) : setBlockType(nodes.heading, { level });
        return to(state, dispatch);
      }),
    list: () => run(toList(nodes.bullet_list)),
    numbers: () => run(toList(nodes.ordered_list)),
    quote: () =>
      run((state, dispatch) => {
        const isInside = state.selection.$from.node(-1)?.type === nodes.quote;
        return isInside ? lift(state, dispatch) : wrapIn(nodes.quote)(state, dispatch);
      }),
    divider: () => insertBlock(nodes.divider.create()),
    up: () => run(moveBlock(-1)),
    down: () => run(moveBlock(1)),
    undo: () => run(undo),
    redo: () => run(redo),
    /** The words that are selected, or the link around the cursor, which is selected then. */
    selected() {
      const { dispatch, state } = current();
      const link = state.selection.empty ? linkAround(state.selection.$from) : undefined;
      if (link)
        dispatch(state.tr.setSelection(TextSelection.create(state.doc, link.from, link.to)));
      const { from, to } = current().state.selection;
      return { text: state.doc.textBetween(from, to, " "), address: link?.mark.attrs.href };
    },
    preheader() {
      const { state } = current();
      const isThere = state.doc.firstChild.type === nodes.preheader;
      const tr = isThere ? state.tr : state.tr.insert(0, nodes.preheader.create());
      current().dispatch(tr.setSelection(TextSelection.create(tr.doc, 1)).scrollIntoView());
      current().focus();
    },
    link: ({ text, address }) =>
      insertWords(schema.text(text, [marks.link.create({ href: address })])),
    button: ({ text, address }) =>
      insertBlock(nodes.button.create({ href: address }, schema.text(text))),
    image: ({ text, address }) => insertBlock(nodes.image.create({ src: address, alt: text })),
    variable: (name) => insertWords(tagOf(name)),
    /** Around selected words, around selected blocks, or as a box of its own. */
    condition(name) {
      const tag = `{% if ${name} %}`;
      const end = "{% endif %}";
      const { selection } = current().state;
      const { $from, $to, empty } = selection;
      if (!empty && $from.sameParent($to) && $from.parent.inlineContent) {
        run((state, dispatch) => {
          const tr = state.tr.insert($to.pos, schema.node("tag", { code: end }));
          dispatch(tr.insert($from.pos, schema.node("tag", { code: tag })));
        });
        return;
      }
      const [first, last] = [blockAround($from), blockAround($to)];
      const range =
        empty || !first || !last
          ? undefined
          : $from.blockRange($to, ({ type }) => type === nodes.doc || type === nodes.branch);
      if (!range) {
        insertBlock(box(tag, end, nodes.paragraph.create()), 3);
        return;
      }
      run((state, dispatch) => {
        const content = state.doc.slice(range.start, range.end).content;
        dispatch(state.tr.replaceWith(range.start, range.end, box(tag, end, content)));
      });
    },
    loop({ item, list, fields }) {
      const words = fields.flatMap((field, index) => [
        ...(index > 0 ? [schema.text(", ")] : []),
        tagOf(field === "" ? item : `${item}.${field}`),
      ]);
      const items = nodes.list_item.create({}, nodes.paragraph.create({}, words));
      const content = nodes.bullet_list.create({}, items);
      insertBlock(box(`{% for ${item} in ${list} %}`, "{% endfor %}", content), 5);
    },
  };
}
