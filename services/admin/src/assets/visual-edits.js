import { lift, setBlockType, toggleMark, wrapIn } from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import { liftListItem, wrapInList } from "prosemirror-schema-list";
import { TextSelection } from "prosemirror-state";
import { blockAround, moveBlock } from "./visual-move.js";
import { schema } from "./visual-schema.js";

const { nodes, marks } = schema;

/** Returns the link around a place as `{mark, from, to}`; undefined if there is none. */
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

/** Returns the actions of the toolbar and the menu. text-edits.js has them for the text mode. */
export function visualEdits(current) {
  const run = (command) => {
    const view = current();
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const tagOf = (name) => schema.node("tag", { code: `{{ ${name} }}` });
  /** Inserts a block instead of an empty paragraph, or else after the block of the cursor. */
  const insertBlock = (node, offset) =>
    run((state, dispatch) => {
      const { $from } = state.selection;
      const around = blockAround($from);
      const isEmpty = around?.node.type === nodes.paragraph && around.node.content.size === 0;
      const from = around?.position ?? ($from.depth > 0 ? $from.after(1) : state.selection.to);
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
    /** Returns the selected words. If nothing is selected, selects the link around the cursor and returns it. */
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
    unsubscribe({ leave, choose }) {
      const tag = (code) => schema.node("tag", { code });
      const link = (words, name) =>
        schema.text(words, [marks.link.create({ href: `{{ ${name} }}` })]);
      insertWords([
        ...[tag("{% if $unsubscribe_url %}"), link(leave, "$unsubscribe_url")],
        ...[schema.text(" · "), link(choose, "$preferences_url"), tag("{% endif %}")],
      ]);
    },
    /** Inserts a variable with the marks of the words around it. */
    variable: (name) =>
      run((state, dispatch) =>
        dispatch(state.tr.replaceSelectionWith(tagOf(name)).scrollIntoView()),
      ),
    /** Puts the condition around the selected words or blocks, or else inserts an empty box. */
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
