import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { sourcesOf } from "./feed-source.js";
import { InboxFeed } from "./inbox-feed.js";

/** Hooks for an inbox that a page draws itself. react.d.ts documents them. */

export function useInboxFeed(options, user) {
  const [kept, setKept] = useState(() => makeFeed(options, user));
  const made = Object.is(kept.user, user) ? kept : makeFeed(options, user);
  if (made !== kept) setKept(made);
  useEffect(() => {
    made.options = options;
  });
  return made.feed;
}

export function useInbox(feed) {
  return useSource(sourcesOf(feed).inbox);
}

export function useUnreadCount(feed) {
  return useSnapshot(sourcesOf(feed).unread);
}

export function usePreferences(feed) {
  return useSource(sourcesOf(feed).preferences);
}

/** The feed asks the options of the last render for each token. */
function makeFeed(options, user) {
  const made = { user, options, feed: undefined };
  made.feed = new InboxFeed({ ...options, getToken: () => made.options.getToken() });
  return made;
}

function useSource(source) {
  const state = useSnapshot(source);
  return useMemo(() => ({ ...state, ...source.actions }), [state, source]);
}

function useSnapshot({ subscribe, read, initial }) {
  return useSyncExternalStore(subscribe, read, () => initial);
}
