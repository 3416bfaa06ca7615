import { InboxChanges } from "./inbox-changes.js";
import { InboxFeed } from "./inbox-feed.js";
import { makeFrame } from "./inbox-frame.js";
import { countText, ENGLISH, labelsWith, pageLanguages } from "./inbox-labels.js";
import { ask, InboxList } from "./inbox-list.js";
import { InboxPanel } from "./inbox-panel.js";
import { InboxPreferences } from "./inbox-preferences.js";
import { inboxSheet } from "./inbox-style.js";
import { InboxTabs } from "./inbox-tabs.js";
import { REFLECTED, reflect } from "./reflected.js";

export { InboxFeed };

/** Attributes that do not affect the connection. */
const FORM = ["inline", "open", "no-preferences"];
/** Attributes whose change draws everything again. */
const DRAWN = ["labels", "show-types"];
/** A page may set these before the element is defined. */
const PROPERTIES = ["getToken", "channels", "labels", "feed", "open", ...REFLECTED];

/** On a server that renders pages there is no HTMLElement, and the import must do nothing. */
const Base = globalThis.HTMLElement ?? class {};

/** `<belfry-inbox>`: see belfry-inbox.d.ts and docs/inbox.md. */
export class BelfryInbox extends Base {
  static observedAttributes = [
    "ws-url",
    "token-url",
    "channels",
    "inline",
    "open",
    "no-preferences",
    "labels",
    "show-types",
  ];

  #feed;
  #isOwnFeed = false;
  #getToken;
  #channels;
  #labels = ENGLISH;
  #parts;
  #list;
  #panel;
  #listening;
  #shownUnread = -1;
  #shownState = "";
  /** The message about the last failure. */
  #failure = "";
  #wasConnected = false;
  #startScheduled = false;

  /** The function that gets a token from the page's backend. It replaces the attribute `token-url`. */
  get getToken() {
    return this.#getToken;
  }
  set getToken(value) {
    // A framework sets a new function whenever it renders: it is called for the next token, and nothing else changes.
    const isOther = typeof value !== typeof this.#getToken;
    this.#getToken = value;
    if (isOther) this.#restart();
  }

  /** The channels, if the token's answer does not name them. */
  get channels() {
    return this.#channels ?? JSON.parse(this.getAttribute("channels") ?? "[]");
  }
  set channels(value) {
    const before = JSON.stringify(this.channels);
    this.#channels = value;
    if (JSON.stringify(this.channels) !== before) this.#restart();
  }

  /** Words that replace the English ones. Words that are left out stay English. */
  get labels() {
    return this.#labels;
  }
  set labels(value) {
    const labels = labelsWith(value);
    const isSame = Object.keys(labels).every((name) => labels[name] === this.#labels[name]);
    this.#labels = labels;
    if (!isSame && this.#parts !== undefined) this.#draw();
  }

  /** The feed that is shown. Two elements with the same feed share one connection. */
  get feed() {
    return this.#feed;
  }
  set feed(value) {
    if (value === this.#feed && !this.#isOwnFeed) return;
    this.#drop();
    this.#feed = value;
    this.#isOwnFeed = false;
    if (value !== undefined && this.isConnected) this.#listen();
  }

  get unread() {
    return this.#feed?.unread ?? 0;
  }

  get open() {
    return this.hasAttribute("open");
  }
  set open(value) {
    this.toggleAttribute("open", value);
  }

  connectedCallback() {
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    if (this.#parts === undefined) {
      this.#readLabels();
      this.#draw();
    }
    document.addEventListener("pointerdown", this.#onPointerDown);
    if (this.#feed === undefined) this.#restart();
    else this.#listen();
  }

  disconnectedCallback() {
    document.removeEventListener("pointerdown", this.#onPointerDown);
    if (this.#isOwnFeed) this.#drop();
    else this.#listening?.abort();
    this.#panel.leave();
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || this.#parts === undefined) return;
    if (FORM.includes(name)) this.#panel.show();
    else if (DRAWN.includes(name)) {
      if (name === "labels") this.#readLabels();
      this.#draw();
      this.#panel.show();
    } else this.#restart();
  }

  focus(options) {
    this.#panel?.focus(options);
  }

  // The feed

  #restart() {
    if (this.#feed !== undefined && !this.#isOwnFeed) return;
    this.#drop();
    if (this.#startScheduled) return;
    this.#startScheduled = true;
    // A microtask runs after the page has set all its properties.
    queueMicrotask(() => {
      this.#startScheduled = false;
      const wsUrl = this.getAttribute("ws-url");
      const hasToken = this.#getToken !== undefined || this.hasAttribute("token-url");
      if (!this.isConnected || this.#feed !== undefined || wsUrl === null || !hasToken) return;
      this.#feed = new InboxFeed({
        wsUrl,
        getToken: () => (this.#getToken === undefined ? this.#fetchToken() : this.#getToken()),
        channels: this.channels,
      });
      this.#isOwnFeed = true;
      this.#feed.start();
      this.#listen();
    });
  }

  async #fetchToken() {
    const response = await fetch(this.getAttribute("token-url"), { method: "POST" });
    if (response.status === 401 || response.status === 403) return null;
    if (!response.ok) throw new Error(`the token's address answered ${response.status}`);
    return response.json();
  }

  #listen() {
    this.#listening?.abort();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    this.#feed.addEventListener("change", () => this.#show(), { signal });
    this.#feed.addEventListener("notification", ({ detail }) => this.#onNotification(detail), {
      signal,
    });
    this.#panel?.showFeed();
    this.#show();
  }

  #drop() {
    this.#listening?.abort();
    if (this.#isOwnFeed) this.#feed?.stop();
    this.#isOwnFeed = false;
    this.#feed = undefined;
    this.#panel?.showFeed();
    this.#wasConnected = false;
  }

  #onNotification(item) {
    this.#say(this.#labels.arrived(item.title));
    this.#tell("notification", item);
  }

  /** Fires an event. Returns false if the page says that it follows the link by itself. */
  #tell(name, detail, cancelable = false) {
    const event = new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable });
    return this.dispatchEvent(event);
  }

  // Visible parts

  #readLabels() {
    const text = this.getAttribute("labels");
    if (text === null) return;
    try {
      this.#labels = labelsWith(JSON.parse(text));
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: the only way to tell whoever wrote the page
      console.warn("belfry-inbox: the attribute labels is no JSON", error);
    }
  }

  #draw() {
    this.#panel?.leave();
    const parts = makeFrame(this.#labels);
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [inboxSheet()];
    root.replaceChildren(...parts.nodes);
    this.#parts = parts;
    this.#shownState = "";
    const changes = new InboxChanges(parts, this.#labels, {
      feed: () => this.#feed,
      doing: (work) => this.#try(work),
      say: (words) => this.#say(words),
    });
    this.#list = new InboxList(parts.list, {
      choose: (id) => this.#choose(id),
      follow: (id, index) => this.#choose(id, index),
      run: (action, id, name) => changes.run(action, id, name),
      lost: () => parts.panel.focus(),
    });
    const tabs = new InboxTabs(parts.tabs, this.#labels, () => pageLanguages(this));
    const preferences = new InboxPreferences(parts, this.#labels, {
      saving: (work) => this.#try(work, this.#labels.notSaved),
      languages: () => pageLanguages(this),
    });
    const views = { list: this.#list, preferences, tabs, changes };
    this.#panel = new InboxPanel(this, parts, views, () => this.#feed);
    parts.markAll.addEventListener("click", () => {
      this.#try(this.#feed?.markAllRead());
      // The button is of no use any more and would drop the focus.
      parts.panel.focus();
    });
    const { archiveAll } = parts;
    archiveAll.addEventListener("click", () => {
      const isSure = archiveAll.dataset.sure !== undefined;
      this.#askArchiveAll(!isSure);
      if (!isSure) return;
      this.#try(this.#feed?.archiveAll());
      parts.panel.focus();
    });
    archiveAll.addEventListener("focusout", () => this.#askArchiveAll(false));
    parts.again.addEventListener("click", () => this.#feed?.reconnect());
    parts.more.addEventListener("click", () => this.#try(this.#feed?.loadMore()));
    this.#show();
  }

  #show() {
    if (this.#parts === undefined) return;
    const { empty, more, markAll, archiveAll, bell, badges } = this.#parts;
    const labels = this.#labels;
    const { items = [], unread = 0, hasMore = false, isLoaded = false } = this.#feed ?? {};
    const { view = "inbox", category } = this.#feed?.view ?? {};
    const isWhole = view === "inbox" && category === undefined;
    this.#list.show(items, {
      labels,
      languages: pageLanguages(this),
      hasTypes: this.hasAttribute("show-types"),
      view,
    });
    for (const badge of badges) {
      badge.hidden = unread === 0;
      badge.textContent = countText(unread);
    }
    bell.setAttribute("aria-label", labels.bell(unread));
    // In a single category, only the listed items show whether there is an unread one.
    markAll.disabled = unread === 0 || (!isWhole && !hasMore && items.every(({ read }) => read));
    markAll.hidden = view !== "inbox";
    archiveAll.hidden = view !== "inbox" || items.length === 0;
    empty.hidden = items.length > 0;
    const none = isWhole ? labels.empty : labels.emptyTab;
    empty.textContent = isLoaded ? none : this.#whileUnread();
    more.hidden = !hasMore;
    this.#showState();
    if (unread !== this.#shownUnread) {
      this.#shownUnread = unread;
      this.#tell("unreadchange", { unread });
    }
  }

  #showState() {
    const { status, statusText, again, away } = this.#parts;
    const { state = "disconnected", reason = "", problem = "" } = this.#feed ?? {};
    const key = JSON.stringify([state, reason, problem, this.#failure, this.#feed === undefined]);
    if (key === this.#shownState) return;
    this.#shownState = key;
    const labels = this.#labels;
    const words = {
      connected: this.#failure,
      connecting:
        (problem !== "" && labels[problem]) ||
        (this.#wasConnected ? labels.reconnecting : labels.connecting),
      disconnected:
        this.#feed === undefined
          ? ""
          : problem === ""
            ? labels.disconnected(reason)
            : labels[problem],
    }[state];
    status.hidden = words === "";
    status.dataset.state = state;
    statusText.textContent = words;
    again.hidden = state === "connected" || (state === "connecting" && problem === "");
    again.textContent = state === "disconnected" ? labels.reconnect : labels.tryNow;
    away.hidden = state === "connected" || this.#feed === undefined;
    if (this.#wasConnected && words !== "") this.#say(words);
    if (state === "connected") this.#wasConnected = true;
    this.dataset.state = state;
    if (this.#feed !== undefined) this.#tell("connectionchange", { state, reason });
  }

  /** Returns what to show before the list was read for the first time. */
  #whileUnread() {
    const { state = "connecting", problem = "" } = this.#feed ?? {};
    const isStuck = problem !== "" || state === "disconnected";
    return isStuck ? this.#labels.notShown : this.#labels.loading;
  }

  #askArchiveAll(isSure) {
    const { archiveAllSure, archiveAll } = this.#labels;
    ask(this.#parts.archiveAll, isSure, {
      icon: "archive",
      words: isSure ? archiveAllSure : archiveAll,
    });
  }

  #say(words) {
    if (!this.hasAttribute("silent")) this.#parts.heard.textContent = words;
  }

  #try(work, failed = this.#labels.failed) {
    work?.then(
      () => this.#setFailure(""),
      () => this.#setFailure(failed),
    );
  }

  #setFailure(words) {
    // If the visible text does not change, a screen reader must still announce it again.
    if (words !== "" && words === this.#failure) this.#say(words);
    this.#failure = words;
    this.#showState();
  }

  #onPointerDown = (event) => {
    if (!event.composedPath().includes(this)) this.#panel.close(false);
  };

  /** Opens an item or follows one of its buttons, and marks it as read. Returns whether its link may be followed. */
  #choose(id, index) {
    const item = this.#feed?.items.find((one) => one.id === id);
    if (item === undefined) return false;
    this.#try(this.#feed.markRead(id));
    if (index === undefined) return this.#tell("notificationclick", item, true);
    return this.#tell("notificationaction", { item, action: item.actions?.[index] }, true);
  }
}

reflect(BelfryInbox.prototype);
// A page may load the module twice, as micro front ends and hot reloading do. Only the first one defines the element.
if (globalThis.customElements?.get("belfry-inbox") === undefined) {
  globalThis.customElements?.define("belfry-inbox", BelfryInbox);
}
