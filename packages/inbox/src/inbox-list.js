import { icon } from "./inbox-icons.js";
import { showRows, snoozeChoices } from "./inbox-rows.js";

/**
 * Shows whether a button asks for a second press, for an action that cannot be undone.
 * @param {HTMLElement} button
 * @param {boolean} isSure whether the button asks, with words instead of its icon
 * @param {{ icon: Parameters<typeof icon>[0], words: string }} look
 */
export function ask(button, isSure, { icon: name, words }) {
  button.toggleAttribute("data-sure", isSure);
  button.classList.toggle("quiet", isSure);
  button.classList.toggle("icon", !isSure);
  button.setAttribute("aria-label", words);
  button.replaceChildren(isSure ? words : icon(name));
}

/** The list of an inbox. The Tab key stops at it once, arrow keys move within it, and Enter opens an item. */
export class InboxList {
  #list;
  #on;
  #labels;

  /**
   * @param {HTMLElement} list
   * `choose` and `follow` return whether the link may be followed. `run` gets the name of a row's button, and as `name`
   * the choice that was made with it. `lost` is called if the row with the focus was the last one.
   * @param {{ choose(id: string): boolean, follow(id: string, index: number): boolean, run(action: string, id: string, name?: string): void, lost(): void }} on
   */
  constructor(list, on) {
    this.#list = list;
    this.#on = on;
    list.addEventListener("click", (event) => this.#onClick(event));
    list.addEventListener("keydown", (event) => this.#onKey(event));
    list.addEventListener("animationend", ({ target }) => target.classList.remove("arrived"));
    list.addEventListener("focusin", ({ target }) => this.#rove(target.closest("article")));
    list.addEventListener("focusout", ({ target }) => this.#ask(target, false));
  }

  /** @param {import("./inbox-rows.js").RowStyle} style */
  show(items, style) {
    this.#labels = style.labels;
    const focused = this.#focused()?.closest("article");
    const id = focused?.dataset.id;
    const at = focused ? [...this.#list.children].indexOf(focused) : -1;
    showRows(this.#list, items, style);
    const rows = [...this.#list.children];
    let row = rows.find((one) => one.dataset.id === id);
    // A row that is drawn again gets the focus back. If the row is gone, the next row gets the focus.
    if (at >= 0 && this.#focused() === null) {
      row ??= rows[Math.min(at, rows.length - 1)];
      if (row === undefined) this.#on.lost();
      else row.focus();
    }
    this.#rove(row ?? this.#current());
    this.#list.hidden = items.length === 0;
    // If nobody saw an item arrive, it is simply there when the panel opens.
    if (this.#list.checkVisibility?.() === false) {
      for (const arrived of this.#list.querySelectorAll(".arrived")) {
        arrived.classList.remove("arrived");
      }
    }
  }

  /** Focuses the current row. Returns false if there is none. */
  focus(options) {
    const row = this.#current();
    row?.focus(options);
    return row !== undefined;
  }

  #focused() {
    const { activeElement } = this.#list.getRootNode();
    return this.#list.contains(activeElement) ? activeElement : null;
  }

  #current() {
    const rows = [...this.#list.children];
    return rows.find((row) => row.tabIndex === 0) ?? rows[0];
  }

  #rove(current) {
    if (!current) return;
    for (const row of this.#list.children) {
      const tabIndex = row === current ? 0 : -1;
      row.tabIndex = tabIndex;
      for (const stop of row.querySelectorAll("button, [data-action=follow]")) {
        stop.tabIndex = tabIndex;
      }
    }
  }

  #onKey(event) {
    const row = event.target.closest("article");
    if (row === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = {
      ArrowDown: row.nextElementSibling,
      PageDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      PageUp: row.previousElementSibling,
      Home: this.#list.firstElementChild,
      End: this.#list.lastElementChild,
    };
    if (event.key === "Escape" && this.#fold(row)) event.stopPropagation();
    else if (Object.hasOwn(to, event.key)) {
      event.preventDefault();
      to[event.key]?.focus();
    } else if ((event.key === "Enter" || event.key === " ") && event.target === row) {
      event.preventDefault();
      this.#choose(row);
    }
  }

  #choose(row) {
    const link = row.querySelector("[data-action=open]");
    // A click makes the browser follow the link as usual.
    if (link !== null) link.click();
    else this.#on.choose(row.dataset.id);
  }

  #onClick(event) {
    const row = event.target.closest("article");
    if (row === null) return;
    const { id } = row.dataset;
    const at = event.target.closest("[data-action]");
    const { action, index } = at?.dataset ?? {};
    if (action === "snooze") {
      if (!this.#fold(row)) this.#unfold(row, at);
    } else if (action === "delete" && at.dataset.sure === undefined) this.#ask(at, true);
    else if (action === "open" || action === "follow") {
      const isWanted = action === "open" ? this.#on.choose(id) : this.#on.follow(id, Number(index));
      if (!isWanted) event.preventDefault();
    } else if (action !== undefined) this.#on.run(action, id, at.dataset.name);
    // A click that selects text does not open the item.
    else if (document.getSelection()?.isCollapsed !== false) this.#choose(row);
  }

  #ask(button, isSure) {
    if (button.dataset.action !== "delete") return;
    const words = isSure ? this.#labels.deleteSure : this.#labels.delete;
    ask(button, isSure, { icon: "delete", words });
  }

  #unfold(row, button) {
    const choices = snoozeChoices(row.dataset.id, this.#labels);
    row.append(choices);
    button.setAttribute("aria-expanded", "true");
    choices.firstElementChild.focus();
  }

  /** Closes the choices of a snooze. Returns false if there are none. */
  #fold(row) {
    const choices = row.querySelector(".choices");
    if (choices === null) return false;
    const button = row.querySelector("[data-action=snooze]");
    button.setAttribute("aria-expanded", "false");
    button.focus();
    choices.remove();
    return true;
  }
}
