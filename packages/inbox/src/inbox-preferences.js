import { drawPreferences, setSwitches } from "./preference-rows.js";
import { PreferenceStore } from "./preference-store.js";

/**
 * What the user wants: the gear, where there is something behind it, and the view. It asks only while the panel
 * is seen: when that opens, when the gateway says that something changed, and when the connection is back.
 */
export class InboxPreferences {
  #parts;
  #on;
  #labels;
  #store;
  #feed;
  #listening;
  #drawn = "";
  #isOpen = false;
  #wasConnected = false;
  /** Feeds whose last answer had something to show: their gear is there before the next one. */
  #withSome = new WeakSet();

  /**
   * @param {{ gear: HTMLElement, preferences: HTMLElement, rows: HTMLElement, waiting: HTMLElement, readAgain: HTMLElement }} parts
   * @param {{ saving(work: Promise<void>): void, languages(): readonly string[] }} on
   */
  constructor(parts, labels, on) {
    this.#parts = parts;
    this.#labels = labels;
    this.#on = on;
    parts.gear.hidden = true;
    parts.rows.addEventListener("click", ({ target }) => this.#onClick(target.closest("button")));
    parts.rows.addEventListener("keydown", (event) => this.#onKey(event));
    parts.readAgain.addEventListener("click", () => {
      // The button is of no use any more and would drop the focus.
      parts.preferences.focus();
      this.#store?.read();
      this.#show();
    });
  }

  /**
   * Of a panel that is seen its feed, else undefined. What is on its way to the gateway goes there all the same.
   * @param {import("./inbox-feed.d.ts").InboxFeed | undefined} feed
   */
  watch(feed) {
    if (feed === this.#feed) return;
    this.#listening?.abort();
    this.#feed = feed;
    this.#store = undefined;
    this.#wasConnected = false;
    this.#parts.gear.hidden = feed === undefined || !this.#withSome.has(feed);
    if (feed !== undefined) {
      this.#store = new PreferenceStore(feed);
      this.#listening = new AbortController();
      const { signal } = this.#listening;
      this.#store.addEventListener("change", () => this.#onChange(), { signal });
      feed.addEventListener("preferences", () => this.#store.read(), { signal });
      feed.addEventListener("change", () => this.#onState(), { signal });
      this.#onState();
    }
    if (this.#isOpen) this.open();
  }

  open() {
    this.#isOpen = true;
    this.#drawn = "";
    if (this.#focused() !== null) this.focus();
    this.#parts.rows.replaceChildren();
    this.#show();
  }

  close() {
    this.#isOpen = false;
  }

  focus() {
    this.#parts.preferences.focus();
  }

  #onState() {
    const isConnected = this.#feed.state === "connected";
    // What was changed elsewhere while there was no connection is told by nobody.
    if (isConnected && !this.#wasConnected) this.#store.read();
    if (isConnected !== this.#wasConnected) {
      this.#wasConnected = isConnected;
      this.#show();
    }
  }

  /** A gear that is there stays until the panel is opened again: somebody may be about to use it. */
  #onChange() {
    const { categories = [], preferences = [] } = this.#store.shown ?? {};
    if (categories.length > 0 || preferences.length > 0) {
      this.#withSome.add(this.#feed);
      this.#parts.gear.hidden = false;
    } else if (this.#store.shown !== undefined) {
      this.#withSome.delete(this.#feed);
    }
    this.#show();
  }

  #show() {
    if (!this.#isOpen) return;
    const { rows, waiting, readAgain } = this.#parts;
    const { shown, hasFailed = false } = this.#store ?? {};
    waiting.hidden = shown !== undefined;
    waiting.textContent = hasFailed ? this.#labels.failed : this.#labels.loading;
    readAgain.hidden = shown !== undefined || !hasFailed;
    if (shown === undefined) return;
    const languages = this.#on.languages();
    const wanted = JSON.stringify([shown.categories, shown.channels, languages]);
    if (wanted !== this.#drawn) {
      const { key, channel } = this.#focused()?.dataset ?? {};
      drawPreferences(rows, shown, this.#labels, languages);
      this.#drawn = wanted;
      if (key !== undefined) {
        const again = this.#switches().find(
          ({ dataset }) => dataset.key === key && dataset.channel === channel,
        );
        (again ?? this.#parts.preferences).focus();
      }
    }
    setSwitches(rows, shown, this.#wasConnected);
  }

  /** Those that may be changed. */
  #switches() {
    return [...this.#parts.rows.querySelectorAll("[role=switch]:enabled")];
  }

  #focused() {
    const { activeElement } = this.#parts.rows.getRootNode();
    return this.#parts.rows.contains(activeElement) ? activeElement : null;
  }

  #onClick(node) {
    if (node === null || node.disabled || !this.#wasConnected || this.#store === undefined) return;
    this.#on.saving(this.#store.toggle(node.dataset.key, node.dataset.channel));
  }

  /** Every switch is a stop of the Tab key; arrows are the short way through a long table. */
  #onKey(event) {
    const at = event.target.closest("[role=switch]");
    if (at === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = this.#switches();
    const column = all.filter(({ dataset }) => dataset.channel === at.dataset.channel);
    const isRightToLeft = getComputedStyle(at).direction === "rtl";
    const next = isRightToLeft ? -1 : 1;
    const to = {
      ArrowDown: column[column.indexOf(at) + 1],
      ArrowUp: column[column.indexOf(at) - 1],
      ArrowRight: all[all.indexOf(at) + next],
      ArrowLeft: all[all.indexOf(at) - next],
      Home: column[0],
      End: column.at(-1),
    };
    if (!Object.hasOwn(to, event.key)) return;
    event.preventDefault();
    to[event.key]?.focus();
  }
}
