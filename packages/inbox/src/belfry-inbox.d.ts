import { type InboxAction, InboxFeed, type InboxItem } from "./inbox-feed.d.ts";

export { type InboxAction, InboxFeed, type InboxItem };

export interface InboxLabels {
  title: string;
  bell(unread: number): string;
  unreadItem: string;
  markRead: string;
  markAllRead: string;
  markUnread: string;
  archive: string;
  archiveAll: string;
  archiveAllSure: string;
  unarchive: string;
  snooze: string;
  snoozeHour: string;
  snoozeTomorrow: string;
  snoozeWeek: string;
  unsnooze: string;
  until(time: string): string;
  delete: string;
  deleteSure: string;
  archived: string;
  snoozed: string;
  undo: string;
  all: string;
  snoozedTab: string;
  archivedTab: string;
  tabUnread(unread: number): string;
  emptyTab: string;
  more: string;
  empty: string;
  loading: string;
  notShown: string;
  connecting: string;
  reconnecting: string;
  disconnected(reason: string): string;
  reconnect: string;
  signedOut: string;
  noToken: string;
  unreachable: string;
  tryNow: string;
  arrived(title: string): string;
  failed: string;
  preferences: string;
  back: string;
  readAgain: string;
  allMessages: string;
  allHint: string;
  alwaysSent: string;
  channel(name: string): string;
  notSaved: string;
}

/** Words for labels. A text may replace a function: `{unread}`, `{reason}`, `{title}`, `{time}` are the value. */
export type InboxWords = {
  [Name in keyof InboxLabels]?: InboxLabels[Name] | string;
} & { channel?: InboxLabels["channel"] | Record<string, string> };

/**
 * `<belfry-inbox ws-url token-url [channels] [inline] [open] [align="start"] [theme="light|dark"] [silent] [no-preferences] [labels] [show-types]>`.
 * Connects when it has an address and a way to get tokens; disconnects when it is removed from the page.
 * `silent`: nothing is read out, for the second of two elements that share a feed. `no-preferences`: shows no gear.
 * `show-types`: shows the event type under each notification, for developers.
 * Events, all bubbling: `unreadchange` {unread}, `notification` InboxItem, `notificationclick` InboxItem,
 * `notificationaction` {item: InboxItem, action: InboxAction}, `connectionchange` {state, reason}. After a click, the
 * link of the item or of its button is followed, unless `preventDefault()` says that the page does it.
 */
export class BelfryInbox extends HTMLElement {
  /**
   * Gets a token from the page's own backend. It replaces the attribute `token-url`, which is called by POST with the
   * page's cookies and returns `{token, channels}`; 401 and 403 mean that nobody is logged in. If another function is
   * set, it is called for the next token and the connection stays. For another user, create another element.
   */
  getToken: (() => Promise<string | { token: string; channels?: string[] } | null>) | undefined;
  /** Channels, if the token's answer does not name them. The attribute holds a JSON array. */
  channels: readonly string[];
  get labels(): InboxLabels;
  /** Labels. Words that are left out stay English. The attribute holds JSON. */
  set labels(value: InboxWords);
  /** The feed that is shown; undefined until it starts. */
  feed: InboxFeed | undefined;
  readonly unread: number;
  open: boolean;
  /** Properties for the attributes of the same names. */
  wsUrl: string;
  tokenUrl: string;
  align: string;
  theme: string;
  inline: boolean;
  silent: boolean;
  noPreferences: boolean;
  showTypes: boolean;
}

declare global {
  interface HTMLElementTagNameMap {
    "belfry-inbox": BelfryInbox;
  }
}
