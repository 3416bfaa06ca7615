import type { ComputedRef, MaybeRefOrGetter, ShallowRef } from "vue";
import type {
  InboxActions,
  InboxState,
  PreferencesActions,
  PreferencesState,
} from "./feed-source.d.ts";
import type { InboxFeed, InboxFeedOptions } from "./inbox-feed.d.ts";

export type { InboxActions, InboxState, PreferencesActions, PreferencesState };

/** One ref for each part, so that they can be destructured. */
type Refs<State> = { readonly [Part in keyof State]: ComputedRef<State[Part]> };

/**
 * Returns the feed of a user: another `user`, such as `() => props.user.id`, makes another feed. If the options are a
 * getter, `getToken` is read for each token, the others for the next feed. Pass the feed to every component that needs
 * it. All their composables share one connection, which lasts while one of them is mounted, unless the page called
 * `feed.start()` before.
 */
export function useInboxFeed(
  options: MaybeRefOrGetter<InboxFeedOptions>,
  user?: MaybeRefOrGetter<unknown>,
): Readonly<ShallowRef<InboxFeed>>;

/** The list, the state of the connection and the actions. */
export function useInbox(feed: MaybeRefOrGetter<InboxFeed>): Refs<InboxState> & InboxActions;

/** The count of unread items. */
export function useUnreadCount(feed: MaybeRefOrGetter<InboxFeed>): Readonly<ShallowRef<number>>;

/** The user's preferences, read again when they change elsewhere. */
export function usePreferences(
  feed: MaybeRefOrGetter<InboxFeed>,
): Refs<PreferencesState> & PreferencesActions;
