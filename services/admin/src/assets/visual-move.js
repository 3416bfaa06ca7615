import { closeHistory } from "prosemirror-history";
import { Fragment } from "prosemirror-model";
import { NodeSelection, TextSelection } from "prosemirror-state";

/** Functions that move whole blocks: by keyboard, and by a handle beside the block under the pointer. */

const holdsBlocks = ({ type }) => type.name === "doc" || type.name === "branch";

/** Returns the innermost block around a place whose parent contains blocks: `{position, node, depth}`. */
export function blockAround($place) {
  for (let depth = $place.depth; depth > 0; depth -= 1) {
    const parent = $place.node(depth - 1);
    if (holdsBlocks(parent) && $place.node(depth).type.isInGroup("block")) {
      return { position: $place.before(depth), node: $place.node(depth), depth };
    }
  }
  return undefined;
}

function selectedBlock({ selection }) {
  const { $from } = selection;
  if (selection instanceof NodeSelection && holdsBlocks($from.parent)) {
    return { position: $from.pos, node: selection.node };
  }
  return blockAround($from);
}

/** Returns the innermost list item around the cursor, if the item has a neighbour in the direction of `step`. */
function selectedItem({ selection }, step) {
  const { $from } = selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    if ($from.node(depth).type.name !== "list_item") continue;
    const other = $from.index(depth - 1) + step;
    const isThere = other >= 0 && other < $from.node(depth - 1).childCount;
    return isThere ? { position: $from.before(depth), node: $from.node(depth) } : undefined;
  }
  return undefined;
}

/**
 * Returns a command that moves the list item or block at the cursor one place, also into and out of boxes; -1 is up.
 */
export function moveBlock(step) {
  return (state, dispatch) => {
    const moved = selectedItem(state, step) ?? selectedBlock(state);
    if (moved === undefined) return false;
    const target = targetOf(state.doc, moved, step);
    if (target === undefined) return false;
    if (dispatch) dispatch(moveTo(state, moved, target).scrollIntoView());
    return true;
  };
}

/**
 * Returns where to insert the node: past its sibling, inside a sibling box, in the next branch, or outside of its own
 * box. The place inside a box is 2 from its edge, because a branch is around the blocks, too.
 */
function targetOf(doc, { position, node }, step) {
  const $at = doc.resolve(position);
  const index = $at.index();
  const sibling = $at.parent.maybeChild(index + step);
  if (sibling?.type.name === "preheader") return undefined;
  if (sibling?.type.name === "box") {
    return step < 0 ? position - 2 : position + node.nodeSize + 2;
  }
  if (sibling)
    return step < 0 ? position - sibling.nodeSize : position + node.nodeSize + sibling.nodeSize;
  if ($at.parent.type.name !== "branch") return undefined;
  const branch = $at.before();
  const $branch = doc.resolve(branch);
  const other = $branch.parent.maybeChild($branch.index() + step);
  if (other) return step < 0 ? branch - 1 : branch + $at.parent.nodeSize + 1;
  return step < 0 ? $branch.before() : $branch.after();
}

function moveTo(state, { position, node }, target) {
  const { tr, selection } = state;
  const offset = selection.from - position;
  const isAlone = state.doc.resolve(position).parent.childCount === 1;
  const end = position + node.nodeSize;
  // A branch must contain a block, so an empty paragraph replaces the only one.
  if (isAlone) tr.replaceWith(position, end, state.schema.node("paragraph"));
  else tr.delete(position, end);
  const at = tr.mapping.map(target, -1);
  const loose = node.type.create({ ...node.attrs, blank: null }, node.content);
  tr.insert(at, Fragment.from(loose));
  const isWhole = selection instanceof NodeSelection && selection.from === position;
  const $cursor = tr.doc.resolve(Math.min(at + Math.max(offset, 0), tr.doc.content.size));
  tr.setSelection(isWhole ? NodeSelection.create(tr.doc, at) : TextSelection.near($cursor));
  // One undo reverts one move.
  return closeHistory(tr);
}

/** Adds a drag handle to `host`, which appears beside the block under the pointer. */
export function createHandle(host, view) {
  const handle = document.createElement("div");
  handle.className = "visual-handle";
  handle.draggable = true;
  handle.hidden = true;
  handle.textContent = "⠿";
  handle.setAttribute("aria-hidden", "true");
  handle.title = "Drag to move";
  host.append(handle);
  let position;
  host.addEventListener("mousemove", (event) => {
    if (event.buttons !== 0 || handle.contains(event.target)) return;
    const { left, right } = view.dom.getBoundingClientRect();
    const inside = Math.min(Math.max(event.clientX, left + 40), right - 8);
    const found = view.posAtCoords({ left: inside, top: event.clientY });
    const $place = found && view.state.doc.resolve(found.inside > -1 ? found.inside : found.pos);
    const block = $place && (blockAt($place) ?? blockAround($place));
    handle.hidden = block === undefined || block === null;
    if (handle.hidden) return;
    position = block.position;
    const dom = view.nodeDOM(position);
    if (!(dom instanceof HTMLElement)) return;
    const [own, around] = [dom.getBoundingClientRect(), host.getBoundingClientRect()];
    handle.style.top = `${own.top - around.top}px`;
    const begin =
      host.dir === "rtl"
        ? Math.min(around.width - 22, own.right - around.left + 4)
        : Math.max(0, own.left - around.left - 24);
    handle.style.left = `${begin}px`;
  });
  host.addEventListener("mouseleave", () => {
    handle.hidden = true;
  });
  handle.addEventListener("dragstart", (event) => {
    const selection = NodeSelection.create(view.state.doc, position);
    view.dispatch(view.state.tr.setSelection(selection));
    event.dataTransfer.setData("text/plain", "block");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setDragImage(view.nodeDOM(position), 0, 0);
    view.dragging = { slice: selection.content(), move: true, node: selection };
  });
  handle.addEventListener("dragend", () => {
    view.dragging = null;
    handle.hidden = true;
  });
}

/** Returns the block that begins at a place; undefined if none does. */
function blockAt($place) {
  const node = $place.nodeAfter;
  const isBlock = node?.type.isInGroup("block") && holdsBlocks($place.parent);
  return isBlock ? { position: $place.pos, node } : undefined;
}
