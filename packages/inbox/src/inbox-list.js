import { showRows } from "./inbox-rows.js";

/** The list of an inbox: one stop of the Tab key, arrows within, Enter opens. */
export class InboxList {
  #list;
  #on;

  /**
   * @param {HTMLElement} list
   * Of `choose` and `follow` the answer is whether the link may be followed.
   * @param {{ choose(id: string): boolean, follow(id: string, index: number): boolean, markRead(id: string): void }} on
   */
  constructor(list, on) {
    this.#list = list;
    this.#on = on;
    list.addEventListener("click", (event) => this.#onClick(event));
    list.addEventListener("keydown", (event) => this.#onKey(event));
    list.addEventListener("animationend", ({ target }) => target.classList.remove("arrived"));
    list.addEventListener("focusin", ({ target }) => this.#rove(target.closest("article")));
  }

  /** @param {import("./inbox-rows.js").RowStyle} style */
  show(items, style) {
    const focused = this.#focused();
    const id = focused?.closest("article")?.dataset.id;
    showRows(this.#list, items, style);
    const row = [...this.#list.children].find((one) => one.dataset.id === id);
    // A row that is drawn anew takes the focus over.
    if (row !== undefined && this.#focused() === null) row.focus();
    this.#rove(row ?? this.#current());
    this.#list.hidden = items.length === 0;
    // Where nobody saw it arrive it is simply there when the panel opens.
    if (this.#list.checkVisibility?.() === false) {
      for (const arrived of this.#list.querySelectorAll(".arrived")) {
        arrived.classList.remove("arrived");
      }
    }
  }

  /** Returns false when there is no row. */
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
    if (Object.hasOwn(to, event.key)) {
      event.preventDefault();
      to[event.key]?.focus();
    } else if ((event.key === "Enter" || event.key === " ") && event.target === row) {
      event.preventDefault();
      this.#choose(row);
    }
  }

  #choose(row) {
    const link = row.querySelector("[data-action=open]");
    // The browser's own way of following a link, as by a click on it.
    if (link !== null) link.click();
    else this.#on.choose(row.dataset.id);
  }

  #onClick(event) {
    const row = event.target.closest("article");
    if (row === null) return;
    const { id } = row.dataset;
    const at = event.target.closest("[data-action]");
    const { action, index } = at?.dataset ?? {};
    if (action === "mark-read") this.#on.markRead(id);
    else if (action !== undefined) {
      const isWanted = action === "open" ? this.#on.choose(id) : this.#on.follow(id, Number(index));
      if (!isWanted) event.preventDefault();
    }
    // Marking text with the mouse is no choice.
    else if (document.getSelection()?.isCollapsed !== false) this.#choose(row);
  }
}
