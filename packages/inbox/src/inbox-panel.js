/** The panel: whether it is open, which of its two views is visible, and which element has the focus. */
export class InboxPanel {
  #host;
  #parts;
  #list;
  #preferences;
  #tabs;
  #changes;
  #feed;

  /**
   * @param {HTMLElement} host
   * @param {{ list: import("./inbox-list.js").InboxList, preferences: import("./inbox-preferences.js").InboxPreferences, tabs: import("./inbox-tabs.js").InboxTabs, changes: import("./inbox-changes.js").InboxChanges }} views
   * @param {() => (import("./inbox-feed.d.ts").InboxFeed | undefined)} feed
   */
  constructor(host, parts, { list, preferences, tabs, changes }, feed) {
    this.#host = host;
    this.#parts = parts;
    this.#list = list;
    this.#preferences = preferences;
    this.#tabs = tabs;
    this.#changes = changes;
    this.#feed = feed;
    const { bell, gear, back, panel } = parts;
    bell.addEventListener("click", () => this.#toggle());
    gear.addEventListener("click", () => this.#showPreferences());
    back.addEventListener("click", () => this.showList(true));
    for (const part of [bell, panel]) {
      part.addEventListener("keydown", (event) => this.#onKey(event));
    }
    panel.addEventListener("focusout", ({ relatedTarget }) => {
      const root = panel.getRootNode();
      if (relatedTarget !== null && !root.contains(relatedTarget)) this.close(false);
    });
    this.showList(false);
    this.show();
  }

  get #isInline() {
    return this.#host.hasAttribute("inline");
  }

  get #hasPreferences() {
    return this.#parts.panel.dataset.view === "preferences";
  }

  /** Shows the panel as the element's attributes ask. */
  show() {
    const { bell, panel } = this.#parts;
    const isSeen = this.#isInline || this.#host.open;
    bell.hidden = this.#isInline;
    panel.hidden = !isSeen;
    panel.setAttribute("role", this.#isInline ? "region" : "dialog");
    bell.setAttribute("aria-expanded", String(this.#host.open));
    this.showFeed();
  }

  /** Shows the current feed, which may have changed. */
  showFeed() {
    const hasPreferences = !this.#parts.panel.hidden && !this.#host.hasAttribute("no-preferences");
    this.#preferences.watch(hasPreferences ? this.#feed() : undefined);
    this.#tabs.watch(this.#parts.panel.hidden ? undefined : this.#feed());
    this.#changes.forget();
    // The bell opens the list, even if the preferences were shown last.
    if (!hasPreferences) this.showList(false);
  }

  /** Stops reading when the element is removed from the page. */
  leave() {
    this.#preferences.watch(undefined);
    this.#tabs.watch(undefined);
    this.showList(false);
  }

  showList(givesFocusBack) {
    const had = this.#hasPreferences;
    this.#parts.panel.dataset.view = "list";
    this.#parts.title.textContent = this.#parts.titles.list;
    if (!had) return;
    this.#preferences.close();
    const { gear, panel } = this.#parts;
    if (givesFocusBack) (gear.hidden ? panel : gear).focus();
  }

  focus(options) {
    if (!this.#isInline) this.#parts.bell.focus(options);
    else if (this.#hasPreferences || !this.#list.focus(options)) this.#parts.panel.focus(options);
  }

  close(givesFocusBack) {
    if (this.#isInline || !this.#host.open) return;
    this.#host.open = false;
    if (givesFocusBack) this.#parts.bell.focus();
  }

  #toggle() {
    if (this.#host.open) return this.close(true);
    this.#host.open = true;
    // The bell opens the inbox, even if another view was listed last.
    this.#feed()?.show({ view: "inbox" });
    if (!this.#list.focus()) this.#parts.panel.focus();
  }

  #showPreferences() {
    this.#parts.panel.dataset.view = "preferences";
    this.#parts.title.textContent = this.#parts.titles.preferences;
    this.#preferences.open();
    this.#preferences.focus();
  }

  /** Handles Escape: it leads from the preferences to the list, and from the list out of the panel. */
  #onKey(event) {
    const isSeen = this.#isInline ? this.#hasPreferences : this.#host.open;
    if (event.key !== "Escape" || !isSeen) return;
    event.stopPropagation();
    if (this.#hasPreferences) this.showList(true);
    else this.close(true);
  }
}
