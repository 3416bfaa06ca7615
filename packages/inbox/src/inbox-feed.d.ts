import type { Options } from "centrifuge";

/** A notification as the page shows it. All texts are data: set them as text, never as HTML. */
export interface InboxItem {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** The event type, as `order.confirmed`. */
  readonly category: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly read: boolean;
  /** It came while the page was open. */
  readonly isLive: boolean;
  /** The link's target: https, or a path of the page's site. Absent if there is none. */
  readonly url?: string;
  /** Its buttons, at most two, judged like `url`. Absent where it has none. */
  readonly actions?: readonly InboxAction[];
  /** ISO 8601: when it comes back, or came back, from being snoozed. Absent where it was not. */
  readonly snoozedUntil?: string;
}

/** The listed items: the inbox (neither archived nor snoozed, in all categories or one), the archive, or snoozed items. */
export type InboxView =
  | { readonly view: "inbox"; readonly category?: string }
  | { readonly view: "archived" | "snoozed"; readonly category?: undefined };

/** A change to an item. */
export type InboxChange =
  | { readonly read: boolean }
  | { readonly archived: boolean }
  /** ISO 8601; null: it is back at once. */
  | { readonly snoozedUntil: string | null };

export interface InboxTabs {
  /** Categories of items in the inbox. Labels are by language; "" is the default. */
  readonly categories: readonly {
    readonly key: string;
    readonly label: Readonly<Record<string, string>>;
    readonly unread: number;
  }[];
  readonly archived: boolean;
  readonly snoozed: boolean;
}

export interface InboxAction {
  readonly label: string;
  readonly url: string;
}

/** A change to a preference; null deletes it. */
export interface PreferenceChange {
  /** A category's key, or *. */
  readonly category: string;
  /** A channel, or *. */
  readonly channel: string;
  readonly enabled: boolean | null;
}

/** A user's preferences and the categories. All texts are data. */
export interface ShownPreferences {
  /** The user's choices. A cell that is not listed follows its category. */
  readonly preferences: readonly {
    readonly category: string;
    readonly channel: string;
    readonly enabled: boolean;
  }[];
  readonly categories: readonly {
    readonly key: string;
    /** Label by language; "" is the default. */
    readonly label: Readonly<Record<string, string>>;
    readonly description: Readonly<Record<string, string>>;
    readonly required: boolean;
    readonly defaultOn: boolean;
  }[];
  /** Channels with a switch. */
  readonly channels: readonly string[];
}

export interface InboxFeedOptions {
  /** Address such as `wss://belfry.example.com/connection/websocket`. */
  wsUrl: string;
  /**
   * Asks the page's own backend; called at every start and before each expiry. The answer may bring the
   * channels; null: nobody is logged in, no further try. A throw is followed by another try.
   */
  getToken(): Promise<string | { token: string; channels?: string[] } | null>;
  /** Channels, if the token's answer does not name them. */
  channels?: readonly string[];
  /** Default 30. */
  pageItems?: number;
  /** Further options of the centrifuge client. */
  client?: Partial<Options>;
}

/**
 * Fires `change`, `load` when the list was read, `notification` (a `CustomEvent<InboxItem>`) for each that comes live, `marked` when something
 * was read here or elsewhere, and `preferences` when those of the user were changed over a connection: read them anew.
 */
export class InboxFeed extends EventTarget {
  constructor(options: InboxFeedOptions);
  /** Newest first; what was snoozed by the time at which it came back. */
  readonly items: readonly InboxItem[];
  /** Unread items in the whole inbox, not only among the listed ones. */
  readonly unread: number;
  readonly state: "connecting" | "connected" | "disconnected";
  readonly reason: string;
  /** The problem with connecting: nobody is logged in, there was no token, or no answer. Empty: none. */
  readonly problem: "" | "signedOut" | "noToken" | "unreachable";
  readonly hasMore: boolean;
  /** The list was read at least once. */
  readonly isLoaded: boolean;
  readonly view: InboxView;
  /** Lists something else. */
  show(view: InboxView): void;
  start(): void;
  stop(): void;
  reconnect(): void;
  /** Rejects when it could not be stored; the items then say what is true. */
  markRead(id: string): Promise<void>;
  /** Marks the listed part as read: the whole inbox or the category. */
  markAllRead(): Promise<void>;
  /** Archives the listed part. Does nothing in the archive and for snoozed items. */
  archiveAll(): Promise<void>;
  /** The same of any change; and of a deletion, which nothing brings back. */
  change(id: string, change: InboxChange): Promise<void>;
  remove(id: string): Promise<void>;
  readTabs(): Promise<InboxTabs>;
  loadMore(): Promise<void>;
  readPreferences(): Promise<ShownPreferences>;
  /** All of them or none; answers what is true then. Rejects when it could not be stored. */
  changePreferences(changes: readonly PreferenceChange[]): Promise<ShownPreferences>;
}
