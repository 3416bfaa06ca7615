import { Plugin, PluginKey } from "prosemirror-state";
import { element } from "./element.js";

/** The insert menu of the visual editor. A typed `/` opens the menu, and the text after the `/` filters its entries. */

const key = new PluginKey("menu");
/** The most entries that the menu shows. More would need scrolling. */
const MOST_SHOWN = 16;

/** Returns the text after a `/` that begins a word: `{from, query}`. */
function typedAt({ selection }) {
  const { $from, empty } = selection;
  if (!empty || !$from.parent.isTextblock) return undefined;
  const text = $from.parent.textBetween(0, $from.parentOffset, undefined, "\ufffc");
  const [, query] = /(?:^|[\s\ufffc])\/([\p{L}\p{N}_.$ -]{0,30})$/u.exec(text) ?? [];
  return query === undefined ? undefined : { from: $from.pos - query.length - 1, query };
}

/**
 * Returns the plugin of a menu. `id` is the id of its list element. `entries()` returns `{label, run}` objects.
 * Choosing an entry deletes the typed `/…` and calls the entry's `run`.
 */
export function slashMenu(host, entries, id = "visual-menu") {
  const list = element("ul", { id, className: "visual-menu", role: "listbox", hidden: true });
  list.setAttribute("aria-label", "Insert");
  host.append(list);
  let shown = [];
  let chosen = 0;

  const choose = (view, index) => {
    const { from } = typedAt(view.state) ?? {};
    const entry = shown[index];
    if (entry === undefined || from === undefined) return false;
    view.dispatch(view.state.tr.delete(from, view.state.selection.from));
    entry.run();
    return true;
  };
  const mark = (view) => {
    [...list.children].forEach((item, index) => {
      item.setAttribute("aria-selected", String(index === chosen));
    });
    if (list.hidden) view.dom.removeAttribute("aria-activedescendant");
    else view.dom.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  };
  const draw = (view) => {
    const typed = key.getState(view.state) ? typedAt(view.state) : undefined;
    const query = typed?.query.trim().toLowerCase() ?? "";
    const found = typed === undefined ? [] : entries().filter(({ label }) => isFound(label, query));
    shown = found.slice(0, MOST_SHOWN);
    chosen = Math.max(0, Math.min(chosen, shown.length - 1));
    list.hidden = shown.length === 0 || !view.editable;
    list.replaceChildren(
      ...shown.map(({ label }, index) => {
        const properties = { id: `${id}-${index}`, role: "option", textContent: label };
        const item = element("li", properties);
        item.addEventListener("mousedown", (event) => {
          event.preventDefault();
          choose(view, index);
        });
        return item;
      }),
    );
    mark(view);
    if (!list.hidden) place(view, typed.from);
  };
  const place = (view, from) => {
    const at = view.coordsAtPos(from);
    const around = host.getBoundingClientRect();
    const most = Math.max(0, around.width - list.offsetWidth - 4);
    list.style.top = `${at.bottom - around.top + 4}px`;
    list.style.left = `${Math.min(Math.max(0, at.left - around.left), most)}px`;
  };

  return new Plugin({
    key,
    // The state is whether the menu is open. A `/` that already existed, was pasted or was dropped does not open the
    // menu.
    state: {
      init: () => false,
      apply(tr, isOpen, _, state) {
        const given = tr.getMeta(key);
        if (given !== undefined) return given;
        const typed = typedAt(state);
        if (typed === undefined || (!isOpen && !tr.docChanged)) return false;
        return isOpen || (typed.query === "" && tr.getMeta("uiEvent") === undefined);
      },
    },
    view: () => ({ update: draw, destroy: () => list.remove() }),
    props: {
      attributes: { "aria-controls": list.id },
      handleKeyDown(view, event) {
        if (list.hidden) return false;
        const { key: pressed } = event;
        if (pressed === "ArrowDown" || pressed === "ArrowUp") {
          const step = pressed === "ArrowDown" ? 1 : -1;
          chosen = (chosen + step + shown.length) % shown.length;
          mark(view);
          return true;
        }
        if (pressed === "Enter" || pressed === "Tab") return choose(view, chosen);
        if (pressed !== "Escape") return false;
        view.dispatch(view.state.tr.setMeta(key, false));
        return true;
      },
      handleDOMEvents: {
        blur(view) {
          if (key.getState(view.state)) view.dispatch(view.state.tr.setMeta(key, false));
        },
      },
    },
  });
}

/** Whether a label contains the typed text, which is in lower case. */
function isFound(label, query) {
  return label.toLowerCase().includes(query);
}
