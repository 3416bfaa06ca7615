import { countText, textFor } from "./inbox-labels.js";
import { make } from "./inbox-rows.js";

/**
 * The tabs above the list: all items, each category with items in the inbox and its unread count, snoozed items and
 * archived items. Without any of these, no tabs are shown. Reads them only while the panel is open.
 */
export class InboxTabs {
  #tabs;
  #labels;
  #languages;
  #feed;
  #listening;
  /** @type {import("./inbox-feed.d.ts").InboxTabs} */
  #known = { categories: [], archived: false, snoozed: false };
  #isReading = false;
  #isStale = false;
  #drawn = "";

  /**
   * @param {HTMLElement} tabs
   * @param {import("./belfry-inbox.d.ts").InboxLabels} labels
   * @param {() => readonly string[]} languages
   */
  constructor(tabs, labels, languages) {
    this.#tabs = tabs;
    this.#labels = labels;
    this.#languages = languages;
    tabs.addEventListener("click", ({ target }) => this.#choose(target.closest("[role=tab]")));
    tabs.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /**
   * Sets the feed of an open panel, or undefined for a closed one.
   * @param {import("./inbox-feed.d.ts").InboxFeed | undefined} feed
   */
  watch(feed) {
    if (feed === this.#feed) return;
    this.#listening?.abort();
    this.#feed = feed;
    if (feed === undefined) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    feed.addEventListener("load", () => this.#read(), { signal });
    feed.addEventListener("notification", () => this.#read(), { signal });
    feed.addEventListener("marked", () => this.#read(), { signal });
    feed.addEventListener("change", () => this.#show(), { signal });
    if (feed.state === "connected") void this.#read();
    this.#show();
  }

  async #read() {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isStale && this.#feed !== undefined) {
      this.#isStale = false;
      const feed = this.#feed;
      // The call fails only if the connection broke, and then another load follows.
      const known = await feed.readTabs().catch(() => undefined);
      if (known !== undefined && feed === this.#feed) this.#known = known;
    }
    this.#isReading = false;
    this.#show();
  }

  #show() {
    if (this.#feed === undefined) return;
    const { view, category } = this.#feed.view;
    const { categories, archived, snoozed } = this.#known;
    const all = [
      { view: "inbox", label: this.#labels.all },
      ...categories.map(({ key, label, unread = 0 }) => ({
        view: "inbox",
        category: key,
        unread,
        label: textFor(label, this.#languages()) || key,
      })),
      ...(snoozed || view === "snoozed"
        ? [{ view: "snoozed", label: this.#labels.snoozedTab }]
        : []),
      ...(archived || view === "archived"
        ? [{ view: "archived", label: this.#labels.archivedTab }]
        : []),
    ];
    if (category !== undefined && !categories.some(({ key }) => key === category)) {
      all.push({ view, category, label: category });
    }
    this.#tabs.hidden = all.length === 1;
    const wanted = JSON.stringify([all, view, category]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;
    const { activeElement } = this.#tabs.getRootNode();
    const hadFocus = this.#tabs.contains(activeElement);
    this.#tabs.replaceChildren(
      ...all.map((tab) => {
        const isChosen = tab.view === view && tab.category === category;
        return make(
          "button",
          {
            part: "tab",
            class: "tab",
            type: "button",
            role: "tab",
            "aria-controls": "list",
            "aria-selected": String(isChosen),
            tabindex: isChosen ? "0" : "-1",
            "data-view": tab.view,
            "data-category": tab.category,
          },
          make("bdi", {}, tab.label),
          ...(tab.unread > 0 ? this.#count(tab.unread) : []),
        );
      }),
    );
    const chosen = this.#tabs.querySelector("[aria-selected=true]");
    if (hadFocus) chosen?.focus();
    else if (!this.#tabs.hidden) chosen?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  #count(unread) {
    return [
      make("span", { part: "tab-count", class: "badge", "aria-hidden": "true" }, countText(unread)),
      make("span", { class: "heard" }, ` ${this.#labels.tabUnread(unread)}`),
    ];
  }

  #choose(tab) {
    if (!tab) return;
    const { view, category } = tab.dataset;
    tab.focus();
    this.#feed?.show(category === undefined ? { view } : { view, category });
  }

  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const tab = event.target.closest("[role=tab]");
    const isRightToLeft = getComputedStyle(this.#tabs).direction === "rtl";
    const to = {
      ArrowRight: isRightToLeft ? tab?.previousElementSibling : tab?.nextElementSibling,
      ArrowLeft: isRightToLeft ? tab?.nextElementSibling : tab?.previousElementSibling,
      Home: this.#tabs.firstElementChild,
      End: this.#tabs.lastElementChild,
    };
    if (!Object.hasOwn(to, event.key)) return;
    event.preventDefault();
    this.#choose(to[event.key]);
  }
}
