/** The keys of the visual editor, and the rules that replace typed Markdown and tags. */

import { chainCommands, exitCode, toggleMark } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import {
  InputRule,
  textblockTypeInputRule,
  undoInputRule,
  wrappingInputRule,
} from "prosemirror-inputrules";
import { liftListItem, sinkListItem, splitListItem } from "prosemirror-schema-list";
import { TextSelection } from "prosemirror-state";
import { blockAround, moveBlock } from "./visual-move.js";
import { schema } from "./visual-schema.js";

const { nodes, marks } = schema;
const heading = (level) =>
  textblockTypeInputRule(new RegExp(`^#{${level}}\\s$`), nodes.heading, { level });
export const RULES = [
  ...[1, 2, 3].map(heading),
  wrappingInputRule(/^\s*[-*]\s$/, nodes.bullet_list),
  wrappingInputRule(/^\s*1[.)]\s$/, nodes.ordered_list),
  wrappingInputRule(/^\s*>\s$/, nodes.quote),
  new InputRule(/^---$/, (state, _, from) => {
    const $from = state.doc.resolve(from);
    if (blockAround($from)?.position !== $from.before()) return null;
    const [start, end] = [$from.before(), $from.after()];
    const tr = state.tr.replaceWith(start, end, [nodes.divider.create(), nodes.paragraph.create()]);
    return tr.setSelection(TextSelection.near(tr.doc.resolve(start + 2)));
  }),
  new InputRule(/\{\{[^{}]+\}\}$/, (state, [code], from, to) => {
    const set = state.storedMarks ?? state.doc.resolve(from).marksAcross(state.doc.resolve(to));
    return state.tr.replaceWith(from, to, nodes.tag.create({ code }, null, set ?? []));
  }),
];

/** Moves from a button or a preheader to a new paragraph after it. */
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

/** Moves from an empty paragraph at the end of a box to a paragraph after the box. */
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

/** Removes a box and keeps its content, if the cursor is at the beginning of the box. */
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

export const KEYS = {
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
