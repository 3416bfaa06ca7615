import { Centrifuge, UnauthorizedError } from "centrifuge";
import { linksOf, linksOfTags } from "./inbox-links.js";

/**
 * @typedef {import("./inbox-feed.d.ts").InboxItem} InboxItem
 * @typedef {import("./inbox-feed.d.ts").InboxFeedOptions} InboxFeedOptions
 */

/** The code of the centrifuge client if there is no token for this page's user. */
const UNAUTHORIZED = 1;
const PAGE_ITEMS = 30;
const MAX_ITEMS = 1000;
/** Several events that require a new list come at once. This delay lets one call answer them all. */
const LOAD_DELAY_MS = 20;
const LOAD_AGAIN_MS = 3000;
/** A notification that arrives this soon after a mark of all may have been marked already. */
const UNSURE_MS = 2000;
/** The longest delay of a browser's timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** The first view. */
const INBOX = { view: "inbox" };

/**
 * A user's live inbox: the listed items, the unread count and the state of the connection. It does not use the DOM. It
 * fires `change` when any of these changes. inbox-feed.d.ts documents the methods.
 */
export class InboxFeed extends EventTarget {
  /** @type {ReadonlyArray<InboxItem>} */
  items = [];
  unread = 0;
  /** @type {"connecting" | "connected" | "disconnected"} */
  state = "disconnected";
  /** Why the feed is disconnected; empty before the start. */
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
  /** The number of unread items that are not in the list. */
  #unreadElsewhere = 0;
  #isLoading = false;
  #isStale = false;
  #loadTimer;
  #returnTimer;
  /** Beginnings and ends of changes so far. A list that was read during one of them may not contain the change. */
  #changes = 0;
  #markedAllAt = Number.NEGATIVE_INFINITY;
  /** When items were marked as unread here, by id. */
  #markedUnreadAt = new Map();
  /** The ids of each mark that the gateway has not answered yet. */
  #marks = new Set();
  /** Items that were marked while a list was being read, which may not show them as read. */
  #markedMeanwhile = new Set();

  /** @param {InboxFeedOptions} options */
  constructor(options) {
    super();
    this.#options = options;
  }

  get isStarted() {
    return this.#client !== undefined;
  }

  start() {
    if (this.isStarted) return;
    const client = new Centrifuge(this.#options.wsUrl, {
      name: "belfry-inbox",
      getToken: () => this.#token(),
      ...this.#options.client,
    });
    this.#client = client;
    client.on("connecting", () => this.#setState("connecting", "", this.problem));
    client.on("connected", () => {
      this.#setState("connected", "", "");
      // Changes that were made while there was no connection are not reported.
      this.#loadSoon();
    });
    client.on("disconnected", ({ code, reason }) =>
      this.#setState("disconnected", reason, code === UNAUTHORIZED ? "signedOut" : ""),
    );
    client.on("message", ({ data }) => this.#onMessage(data));
    // The client tries again after each error; without a listener the error would be thrown.
    client.on("error", ({ type }) => {
      if (this.state === "connected") return;
      this.#setState(this.state, this.reason, type === "connectToken" ? "noToken" : "unreachable");
    });
    for (const channel of this.#options.channels ?? []) this.#subscribe(channel);
    client.connect();
  }

  /** Tries to connect at once: after a final disconnection, or instead of waiting for the next try. */
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
   * Marks an item as read. Shows the change at once and undoes it if the call fails.
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
   * Lists another view: `{view, category}`.
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

  /** Reads the categories of the inbox's items with unread counts, and whether any are archived or snoozed. */
  readTabs() {
    return this.#call("notifications.tabs", {});
  }

  /** Loads older items. */
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

  async putDevice(device) {
    await this.#call("device.put", device);
  }

  async deleteDevice(deviceId) {
    await this.#call("device.delete", { deviceId });
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
      // Only the gateway knows whether the item belongs to the listed ones.
      this.#unreadElsewhere += 1;
      this.#show(this.items);
      this.#loadSoon();
    }
    this.dispatchEvent(new CustomEvent("notification", { detail: item }));
  }

  /** Handles a message: items were marked or changed, or preferences changed, here, in another tab or elsewhere. */
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
      // The message may be about an earlier mark as read: the item was marked unread here after that.
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
    if (!this.isStarted) return;
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
      if (client !== this.#client) {
        // The feed was stopped, and perhaps started again, which needs a load of its own.
        this.#isLoading = false;
        this.#loadSoon();
        return;
      }
      if (view !== this.view || changes !== this.#changes) {
        this.#isLoading = false;
        this.#loadSoon();
        return;
      }
      this.#loadAt(returnsInMs);
      const loaded = notifications.map(fromHistory);
      this.hasMore = notifications.length === limit && limit < MAX_ITEMS;
      // If the whole history is loaded, no unread item is elsewhere, even if one arrived between the two answers.
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
      // A notification that arrived in the meantime may be missing in the answer, which is then read again.
      const cameMeanwhile = this.#isStale ? this.items.filter((item) => item.isLive) : [];
      this.#show(merged(loaded, cameMeanwhile));
    } catch {
      // The connection broke, which causes a new load, or the gateway could not answer just now.
      this.#isLoading = false;
      this.#loadSoon(client === this.#client ? LOAD_AGAIN_MS : LOAD_DELAY_MS);
      return;
    }
    this.#isLoading = false;
    this.dispatchEvent(new Event("load"));
    if (this.#isStale) this.#loadSoon();
  }

  /** Reads the list again when the next snooze ends. */
  #loadAt(inMs) {
    clearTimeout(this.#returnTimer);
    if (inMs === undefined) return;
    const delayMs = Math.min(inMs + LOAD_DELAY_MS, MAX_TIMER_MS);
    this.#returnTimer = setTimeout(() => this.#loadSoon(), delayMs);
  }

  /** Changes an item; the gateway gets `data`. The item leaves the list, unless only its read state changes. */
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

  /** Whether the whole inbox is listed. */
  get #isWhole() {
    return this.view.view === "inbox" && this.view.category === undefined;
  }

  /** Whether an item counts as unread. Snoozed items do not count. */
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
    id,
    title,
    body,
    category: type,
    createdAt: created_at,
    read: status === "READ",
    isLive: false,
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
