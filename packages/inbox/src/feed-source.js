import { PreferenceStore } from "./preference-store.js";
import { preferenceRows } from "./preference-table.js";

const ACTIONS = [
  ...["markRead", "markAllRead", "archiveAll", "change", "remove"],
  ...["loadMore", "show", "readTabs", "reconnect"],
];
/** The state before anything was read, also on a server that renders pages. */
const INBOX = {
  items: [],
  unread: 0,
  state: "disconnected",
  reason: "",
  problem: "",
  hasMore: false,
  isLoaded: false,
  view: { view: "inbox" },
};
const PREFERENCES = { preferences: undefined, rows: [], problem: "" };

const sources = new WeakMap();

/**
 * Returns what the hooks of React and the composables of Vue read, always the same objects for a feed. The first
 * subscription starts the feed, and the end of the last one stops it, unless the page started the feed itself.
 * @param {import("./inbox-feed.d.ts").InboxFeed} feed
 */
export function sourcesOf(feed) {
  if (!sources.has(feed)) sources.set(feed, makeSources(feed));
  return sources.get(feed);
}

function makeSources(feed) {
  const hold = counted(() => {
    if (feed.isStarted) return () => undefined;
    feed.start();
    return () => feed.stop();
  });
  const subscribe = (listener) => {
    feed.addEventListener("change", listener);
    const release = hold();
    return () => {
      feed.removeEventListener("change", listener);
      release();
    };
  };
  const act =
    (name) =>
    (...given) =>
      feed[name](...given);
  const inbox = {
    subscribe,
    read: stable(() => picked(Object.keys(INBOX), (name) => feed[name])),
    initial: INBOX,
    actions: picked(ACTIONS, act),
  };
  const unread = { subscribe, read: () => feed.unread, initial: 0 };
  return { inbox, unread, preferences: preferencesSource(feed, hold) };
}

function preferencesSource(feed, hold) {
  const store = new PreferenceStore(feed);
  let hasSaved = true;
  let shown;
  let { rows } = PREFERENCES;
  const readRows = () => {
    if (store.shown !== shown) rows = preferenceRows(store.shown);
    shown = store.shown;
    return rows;
  };
  const read = stable(() => {
    const failure = store.hasFailed ? "notRead" : "";
    const problem = hasSaved ? failure : "notSaved";
    return { preferences: store.shown, rows: readRows(), problem };
  });
  const watch = counted(() => {
    const watching = new AbortController();
    const { signal } = watching;
    let wasConnected = false;
    const onChange = () => {
      const isConnected = feed.state === "connected";
      // Changes that were made while there was no connection are not reported.
      if (isConnected && !wasConnected) store.read();
      wasConnected = isConnected;
    };
    feed.addEventListener("change", onChange, { signal });
    feed.addEventListener("preferences", () => store.read(), { signal });
    onChange();
    return () => watching.abort();
  });
  const toggle = async (category, channel) => {
    hasSaved = await store.toggle(category, channel).then(
      () => true,
      () => false,
    );
    store.dispatchEvent(new Event("change"));
  };
  const actions = {
    toggle,
    async set(category, channel, enabled) {
      const row = readRows().find(({ key }) => key === category);
      if (row?.on.get(channel) === !enabled) await toggle(category, channel);
    },
    readAgain() {
      hasSaved = true;
      store.read();
    },
  };
  const subscribe = (listener) => {
    store.addEventListener("change", listener);
    const ends = [hold(), watch()];
    return () => {
      store.removeEventListener("change", listener);
      for (const end of ends) end();
    };
  };
  return { subscribe, read, initial: PREFERENCES, actions };
}

/** Calls `begin` for the first holder, and the function that it returned after the last one is gone. */
function counted(begin) {
  let holders = 0;
  let end;
  return () => {
    holders += 1;
    end ??= begin();
    return () => {
      holders -= 1;
      // In StrictMode, and when one component replaces another, the next holder comes in the same task.
      queueMicrotask(() => {
        if (holders > 0) return;
        end?.();
        end = undefined;
      });
    };
  };
}

/** Returns a function that answers with the same object as long as its values are the same. */
function stable(readNow) {
  let last = {};
  return () => {
    const now = readNow();
    if (Object.keys(now).some((name) => now[name] !== last[name])) last = now;
    return last;
  };
}

const picked = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));
