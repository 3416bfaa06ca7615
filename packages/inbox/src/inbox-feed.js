import { Centrifuge, UnauthorizedError } from "centrifuge";
import { linksOf, linksOfTags } from "./inbox-links.js";

/**
 * @typedef {import("./inbox-feed.d.ts").InboxItem} InboxItem
 * @typedef {import("./inbox-feed.d.ts").InboxFeedOptions} InboxFeedOptions
 */

/** The client's own code: there is no token for this page's user. */
const UNAUTHORIZED = 1;
const PAGE_ITEMS = 30;
const MAX_ITEMS = 1000;
/** Several reasons to read the inbox anew come at once: one reading serves them all. */
const LOAD_DELAY_MS = 20;
const LOAD_AGAIN_MS = 3000;
/** A push that comes this soon after a mark of all may be one that was marked already. */
const UNSURE_MS = 2000;
/** A browser's timers go no further. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** The first view. */
const INBOX = { view: "inbox" };

/**
 * A user's inbox, live: what is shown, how many are unread, and whether it is connected. Knows nothing
 * of the page; `change` is fired when anything of it is another. See inbox-feed.d.ts for its promises.
 */
export class InboxFeed extends EventTarget {
  /** @type {ReadonlyArray<InboxItem>} */
  items = [];
  unread = 0;
  /** @type {"connecting" | "connected" | "disconnected"} */
  state = "disconnected";
  /** Why it is disconnected; empty before the start. */
  reason = "";
  /**
   * The problem with connecting; empty if there is none.
   * @type {"" | "signedOut" | "noToken" | "unreachable"}
   */
  problem = "";
  hasMore = false;
  isLoaded = false;
  /** @type {import("./inbox-feed.d.ts").InboxView} */
  view = INBOX;

  /** @type {InboxFeedOptions} */
  #options;
  #client;
  /** Unread ones that are too old to be among the items. */
  #unreadElsewhere = 0;
  #isLoading = false;
  #isStale = false;
  #loadTimer;
  #returnTimer;
  /** Beginnings and ends of changes so far: a reading that one of them fell into may not have seen it. */
  #changes = 0;
  #markedAllAt = Number.NEGATIVE_INFINITY;
  /** When what was marked unread here was marked so, by id. */
  #markedUnreadAt = new Map();
  /** The ids of each mark that has no answer yet. */
  #marks = new Set();
  /** Items that were marked while a list was being read, which may not show them as read. */
  #markedMeanwhile = new Set();

  /** @param {InboxFeedOptions} options */
  constructor(options) {
    super();
    this.#options = options;
  }

  start() {
    if (this.#client !== undefined) return;
    const client = new Centrifuge(this.#options.wsUrl, {
      name: "belfry-inbox",
      getToken: () => this.#token(),
      ...this.#options.client,
    });
    this.#client = client;
    client.on("connecting", () => this.#setState("connecting", "", this.problem));
    client.on("connected", () => {
      this.#setState("connected", "", "");
      // Nobody reports changes that were made while there was no connection.
      this.#loadSoon();
    });
    client.on("disconnected", ({ code, reason }) =>
      this.#setState("disconnected", reason, code === UNAUTHORIZED ? "signedOut" : ""),
    );
    client.on("message", ({ data }) => this.#onMessage(data));
    // Each is followed by a new try; without a listener it would be thrown.
    client.on("error", ({ type }) => {
      if (this.state === "connected") return;
      this.#setState(this.state, this.reason, type === "connectToken" ? "noToken" : "unreachable");
    });
    for (const channel of this.#options.channels ?? []) this.#subscribe(channel);
    client.connect();
  }

  /** Tries at once: after a disconnection that was meant to last, or in place of the next try. */
  reconnect() {
    if (this.state === "connecting") this.#client?.disconnect();
    this.#client?.connect();
  }

  stop() {
    clearTimeout(this.#loadTimer);
    clearTimeout(this.#returnTimer);
    this.#client?.disconnect();
    this.#client?.removeAllListeners();
    this.#client = undefined;
    this.#setState("disconnected", "", "");
  }

  /**
   * Shown at once, taken back when it fails.
   * @param {string} id
   */
  async markRead(id) {
    const item = this.items.find((one) => one.id === id);
    if (item === undefined || item.read) return;
    await this.#mark([item], "notifications.mark_read", { id });
  }

  /** Marks the listed category as read, or the whole inbox. */
  async markAllRead() {
    if (this.unread === 0) return;
    const { category } = this.view;
    const data = category === undefined ? {} : { category };
    await this.#mark(this.items.filter(this.#isUnread), "notifications.mark_all_read", data);
  }

  /** Archives the listed part, including items that are not loaded yet. They return if the call fails. */
  async archiveAll() {
    const { view, items } = this;
    if (view.view !== "inbox") return;
    const { category } = view;
    this.#changes += 1;
    if (category === undefined) this.#unreadElsewhere = 0;
    this.hasMore = false;
    this.#show([]);
    try {
      await this.#call("notifications.archive_all", category === undefined ? {} : { category });
    } catch (error) {
      if (view === this.view) this.#show(merged(items, this.items));
      throw error;
    } finally {
      this.#changes += 1;
      this.#loadSoon();
    }
  }

  /**
   * Changes an item: `{read}`, `{archived}` or `{snoozedUntil}`. Shows the change at once and undoes it if the call fails.
   * @param {string} id
   * @param {import("./inbox-feed.d.ts").InboxChange} change
   */
  async change(id, change) {
    await this.#change(id, "notifications.change", { id, ...change });
  }

  /** @param {string} id */
  async remove(id) {
    await this.#change(id, "notifications.delete", { id });
  }

  /**
   * Lists something else: `{view, category}`.
   * @param {import("./inbox-feed.d.ts").InboxView} view
   */
  show(view) {
    if (view.view === this.view.view && view.category === this.view.category) return;
    this.view = view;
    this.#unreadElsewhere = this.unread;
    this.hasMore = false;
    this.isLoaded = false;
    this.#show([]);
    this.#loadSoon(0);
  }

  /** The categories of what is in the inbox, with their unread counts, and whether anything is archived or snoozed. */
  readTabs() {
    return this.#call("notifications.tabs", {});
  }

  /** Adds older ones. */
  async loadMore() {
    const oldest = this.items.at(-1);
    if (oldest === undefined || !this.hasMore) return;
    const limit = this.#pageItems;
    const { view } = this;
    const page = { limit, before: oldest.id, ...view };
    const { notifications } = await this.#call("notifications.list", page);
    if (view !== this.view) return;
    const older = notifications.map(fromHistory);
    this.#unreadElsewhere = Math.max(
      0,
      this.#unreadElsewhere - older.filter(this.#isUnread).length,
    );
    this.hasMore = notifications.length === limit && this.items.length + limit <= MAX_ITEMS;
    this.#show(merged(this.items, older));
  }

  /** Returns the user's preferences, read anew each time. */
  readPreferences() {
    return this.#call("preferences.show", {});
  }

  changePreferences(changes) {
    return this.#call("preferences.change", { preferences: changes });
  }

  get #pageItems() {
    return this.#options.pageItems ?? PAGE_ITEMS;
  }

  async #token() {
    const answer = await this.#options.getToken();
    if (answer === null) throw new UnauthorizedError("no token");
    if (typeof answer === "string") return answer;
    for (const channel of answer.channels ?? []) this.#subscribe(channel);
    return answer.token;
  }

  #subscribe(channel) {
    const client = this.#client;
    if (client === undefined || client.getSubscription(channel) !== null) return;
    const subscription = client.newSubscription(channel);
    subscription.on("publication", ({ data, tags }) => this.#onPublication(data, tags));
    subscription.on("subscribed", ({ recovered }) => {
      // After a recovery the missed items come as publications. Otherwise only the history has them.
      if (!recovered) this.#loadSoon();
    });
    subscription.on("error", () => undefined);
    subscription.subscribe();
  }

  #onPublication(data, tags) {
    const { id, createdAt } = tags;
    if (this.#isLoading || performance.now() - this.#markedAllAt < UNSURE_MS) this.#loadSoon();
    if (this.items.some((item) => item.id === id)) return;
    const { title, body, category } = data;
    const state = { read: false, isLive: true };
    const item = { id, title, body, category, createdAt, ...state, ...linksOfTags(tags) };
    if (this.#isWhole) this.#show(merged(this.items, [item]));
    else {
      // Whether it is one of those that are listed is known to the gateway.
      this.#unreadElsewhere += 1;
      this.#show(this.items);
      this.#loadSoon();
    }
    this.dispatchEvent(new CustomEvent("notification", { detail: item }));
  }

  /** Something was marked read or preferred: here, in another tab, or elsewhere. */
  #onMessage(data) {
    if (data?.type === "preferences") this.dispatchEvent(new Event("preferences"));
    if (data?.type === "changed") this.#loadSoon();
    if (data?.type !== "marked") return;
    this.dispatchEvent(new Event("marked"));
    if (data.id === "all" && this.view.view === "snoozed") {
      this.#unreadElsewhere = 0;
      this.#show(this.items);
    } else if (data.id === "all") {
      this.#markedAllAt = performance.now();
      this.#unreadElsewhere = 0;
      this.#setRead(() => true, true);
    } else if (performance.now() - (this.#markedUnreadAt.get(data.id) ?? -UNSURE_MS) < UNSURE_MS) {
      // It may tell of the mark before.
      this.#loadSoon();
      return;
    } else if (this.items.some((item) => item.id === data.id)) {
      this.#setRead((item) => item.id === data.id, true);
    } else {
      this.#unreadElsewhere = Math.max(0, this.#unreadElsewhere - 1);
      this.#show(this.items);
    }
    if (this.unread !== data.unread) this.#loadSoon();
  }

  #loadSoon(delayMs = LOAD_DELAY_MS) {
    if (this.#isLoading) {
      this.#isStale = true;
      return;
    }
    clearTimeout(this.#loadTimer);
    this.#loadTimer = setTimeout(() => this.#load(), delayMs);
  }

  async #load() {
    const client = this.#client;
    if (client?.state !== "connected") return;
    this.#isLoading = true;
    this.#isStale = false;
    const { view } = this;
    const changes = this.#changes;
    this.#markedMeanwhile = new Set([...this.#marks].flatMap((ids) => [...ids]));
    try {
      const limit = Math.min(MAX_ITEMS, Math.max(this.#pageItems, this.items.length));
      const [{ unread, returnsInMs }, { notifications }] = await Promise.all([
        this.#call("notifications.unread_count", {}),
        this.#call("notifications.list", { limit, ...view }),
      ]);
      if (client !== this.#client) return;
      if (view !== this.view || changes !== this.#changes) {
        this.#isLoading = false;
        this.#loadSoon();
        return;
      }
      this.#loadAt(returnsInMs);
      const loaded = notifications.map(fromHistory);
      this.hasMore = notifications.length === limit && limit < MAX_ITEMS;
      // With the whole history loaded, no unread item is elsewhere, whatever came between the two answers.
      this.#unreadElsewhere =
        this.hasMore || !this.#isWhole
          ? Math.max(0, unread - loaded.filter(this.#isUnread).length)
          : 0;
      this.isLoaded = true;
      const live = new Set(this.items.filter((item) => item.isLive).map((item) => item.id));
      for (const item of loaded) {
        item.isLive = live.has(item.id);
        item.read ||= this.#markedMeanwhile.has(item.id);
      }
      // A push that came meanwhile may be missing in the answer: it is stale, and asked for again.
      const cameMeanwhile = this.#isStale ? this.items.filter((item) => item.isLive) : [];
      this.#show(merged(loaded, cameMeanwhile));
    } catch {
      // The connection broke, which brings a new load, or the gateway could not answer just now.
      this.#isLoading = false;
      if (client === this.#client) this.#loadSoon(LOAD_AGAIN_MS);
      return;
    }
    this.#isLoading = false;
    this.dispatchEvent(new Event("load"));
    if (this.#isStale) this.#loadSoon();
  }

  /** When the next snoozed item is back. */
  #loadAt(inMs) {
    clearTimeout(this.#returnTimer);
    if (inMs === undefined) return;
    const delayMs = Math.min(inMs + LOAD_DELAY_MS, MAX_TIMER_MS);
    this.#returnTimer = setTimeout(() => this.#loadSoon(), delayMs);
  }

  /** `data` as the gateway takes it: an item stays in the list if it is only read or unread then. */
  async #change(id, method, data) {
    const before = this.items.find((one) => one.id === id);
    if (data.read === false) this.#markedUnreadAt.set(id, performance.now());
    this.#changes += 1;
    this.#show(
      this.items.flatMap((one) => {
        if (one.id !== id) return one;
        return data.read === undefined ? [] : { ...one, read: data.read };
      }),
    );
    try {
      await this.#call(method, data);
    } catch (error) {
      if (before !== undefined) this.#show(merged([before], this.items));
      this.#loadSoon();
      throw error;
    } finally {
      this.#changes += 1;
    }
  }

  async #mark(items, method, data) {
    const ids = new Set(items.map((item) => item.id));
    this.#marks.add(ids);
    this.#setRead((item) => ids.has(item.id), true);
    try {
      await this.#call(method, data);
    } catch (error) {
      this.#setRead((item) => ids.has(item.id), false);
      this.#loadSoon();
      throw error;
    } finally {
      this.#marks.delete(ids);
    }
  }

  async #call(method, data) {
    if (this.#client === undefined) throw new Error("the inbox is not started");
    const answer = await this.#client.rpc(method, data);
    return answer.data;
  }

  #setRead(which, read) {
    for (const { id } of this.items.filter(which)) {
      if (read) this.#markedMeanwhile.add(id);
      else this.#markedMeanwhile.delete(id);
    }
    this.#show(this.items.map((item) => (which(item) ? { ...item, read } : item)));
  }

  #show(items) {
    this.items = items;
    this.unread = items.filter(this.#isUnread).length + this.#unreadElsewhere;
    this.#changed();
  }

  /** All of the inbox is listed. */
  get #isWhole() {
    return this.view.view === "inbox" && this.view.category === undefined;
  }

  /** It counts: what is snoozed does not. */
  #isUnread = (item) => !item.read && this.view.view !== "snoozed";

  #setState(state, reason, problem) {
    if (this.state === state && this.reason === reason && this.problem === problem) return;
    this.state = state;
    this.reason = reason;
    this.problem = problem;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function fromHistory({ id, type, title, body, status, created_at, url, actions, snoozed_until }) {
  return {
    ...{ id, title, body, category: type, createdAt: created_at },
    ...{ read: status === "READ", isLive: false },
    ...(snoozed_until !== undefined && { snoozedUntil: snoozed_until }),
    ...linksOf(url, actions),
  };
}

/** Returns the time by which an item is ordered. */
const listedAt = ({ snoozedUntil, createdAt }) => snoozedUntil ?? createdAt;

/** Merges two lists, newest first, each item once. The first list takes precedence. */
function merged(items, more) {
  const byId = new Map(more.map((item) => [item.id, item]));
  for (const item of items) byId.set(item.id, item);
  const order = (a, b) => (a === b ? 0 : a < b ? 1 : -1);
  return [...byId.values()].sort((a, b) => order(listedAt(a), listedAt(b)) || order(a.id, b.id));
}
