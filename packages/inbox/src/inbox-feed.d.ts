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
  /** Where it leads: https, or a path of the page's site. Absent where it leads nowhere. */
  readonly url?: string;
  /** Its buttons, at most two, judged like `url`. Absent where it has none. */
  readonly actions?: readonly InboxAction[];
  /** ISO 8601: when it comes back, or came back, from being snoozed. Absent where it was not. */
  readonly snoozedUntil?: string;
}

/** What is listed: everything that is neither archived nor snoozed, of all categories or of one; or one of these. */
export type InboxView =
  | { readonly view: "inbox"; readonly category?: string }
  | { readonly view: "archived" | "snoozed"; readonly category?: undefined };

/** What is to be so of an item. */
export type InboxChange =
  | { readonly read: boolean }
  | { readonly archived: boolean }
  /** ISO 8601; null: it is back at once. */
  | { readonly snoozedUntil: string | null };

export interface InboxTabs {
  /** Those that something in the inbox is of. Labels are by language; "" is the default. */
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

/** What is to be written into a cell; null: forget what was said of it. */
export interface PreferenceChange {
  /** A category's key, or *. */
  readonly category: string;
  /** A channel, or *. */
  readonly channel: string;
  readonly enabled: boolean | null;
}

/** What a user wants, and what there is to say something of. All texts are data. */
export interface ShownPreferences {
  /** What the user has said; what is not here is as the category has it. */
  readonly preferences: readonly {
    readonly category: string;
    readonly channel: string;
    readonly enabled: boolean;
  }[];
  readonly categories: readonly {
    readonly key: string;
    /** By language; "" is the default. */
    readonly label: Readonly<Record<string, string>>;
    readonly description: Readonly<Record<string, string>>;
    readonly required: boolean;
    readonly defaultOn: boolean;
  }[];
  /** Those that there is a switch for. */
  readonly channels: readonly string[];
}

export interface InboxFeedOptions {
  /** As `wss://belfry.example.com/connection/websocket`. */
  wsUrl: string;
  /**
   * Asks the page's own backend; called at every start and before each expiry. The answer may bring the
   * channels; null: nobody is logged in, no further try. A throw is followed by another try.
   */
  getToken(): Promise<string | { token: string; channels?: string[] } | null>;
  /** Where the token's answer does not bring them. */
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
  /** Of the whole inbox, not only of the items. */
  readonly unread: number;
  readonly state: "connecting" | "connected" | "disconnected";
  readonly reason: string;
  /** What keeps it from connecting: nobody is logged in, there was no token, or no answer. Empty: nothing does. */
  readonly problem: "" | "signedOut" | "noToken" | "unreachable";
  readonly hasMore: boolean;
  /** What is listed was read at least once. */
  readonly isLoaded: boolean;
  readonly view: InboxView;
  /** Lists something else. */
  show(view: InboxView): void;
  start(): void;
  stop(): void;
  reconnect(): void;
  /** Rejects when it could not be stored; the items then say what is true. */
  markRead(id: string): Promise<void>;
  /** Of what is listed: the whole inbox, or the category's. */
  markAllRead(): Promise<void>;
  /** The same; nothing where the archive or what is snoozed is listed. */
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
