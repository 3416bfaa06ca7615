import type {
  InboxActions,
  InboxState,
  PreferencesActions,
  PreferencesState,
} from "./feed-source.d.ts";
import type { InboxFeed, InboxFeedOptions } from "./inbox-feed.d.ts";

export type { InboxActions, InboxState, PreferencesActions, PreferencesState };

/**
 * Returns the feed of a user: another `user`, such as an id, makes another feed. The options may be new objects with
 * every render: `getToken` of the last render is called, the others apply to the next feed. Pass the feed to every
 * component that needs it. All their hooks share one connection, which lasts while one of them is mounted, unless the
 * page called `feed.start()` before.
 */
export function useInboxFeed(options: InboxFeedOptions, user?: unknown): InboxFeed;

/** The list, the state of the connection and the actions. The object changes only with one of its parts. */
export function useInbox(feed: InboxFeed): InboxState & InboxActions;

/** The count of unread items. Renders again only when it changes. */
export function useUnreadCount(feed: InboxFeed): number;

/** The user's preferences, read again when they change elsewhere. */
export function usePreferences(feed: InboxFeed): PreferencesState & PreferencesActions;
