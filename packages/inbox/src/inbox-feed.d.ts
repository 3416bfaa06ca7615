import type { Options } from "centrifuge";
import type { PushDevice } from "./web-push.d.ts";

/** A notification as the page shows it. All texts are data: set them as text, never as HTML. */
export interface InboxItem {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** The event type, such as `order.confirmed`. */
  readonly category: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly read: boolean;
  /** Whether the item arrived while the page was open. */
  readonly isLive: boolean;
  /** The link's target: https, or a path of the page's site. Absent if there is none. */
  readonly url?: string;
  /** At most two buttons, checked like `url`. Absent if there are none. */
  readonly actions?: readonly InboxAction[];
  /** ISO 8601: when the item's snooze ends, or has ended. Absent if the item was not snoozed. */
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
  /** ISO 8601; null ends the snooze at once. */
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
   * Gets a token from the page's own backend, at every start and before each token expires. The answer may name the
   * channels; null means that nobody is logged in, and there is no further try. If it throws, another try follows.
   */
  getToken(): Promise<string | { token: string; channels?: string[] } | null>;
  /** Channels, if the token's answer does not name them. */
  channels?: readonly string[];
  /** Items per page. Default: 30. */
  pageItems?: number;
  /** Further options of the centrifuge client. */
  client?: Partial<Options>;
}

/**
 * Fires `change`; `load` after the list was read; `notification` (a `CustomEvent<InboxItem>`) for each item that
 * arrives; `marked` after items were marked as read, here or elsewhere; and `preferences` after the user's preferences
 * were changed over a connection: read them again then.
 */
export class InboxFeed extends EventTarget {
  constructor(options: InboxFeedOptions);
  /** Newest first. The time of an item that was snoozed is the end of the snooze. */
  readonly items: readonly InboxItem[];
  /** Unread items in the whole inbox, not only among the listed ones. */
  readonly unread: number;
  readonly state: "connecting" | "connected" | "disconnected";
  readonly reason: string;
  /** Why there is no connection: nobody is logged in, no token, or no answer. Empty if there is no problem. */
  readonly problem: "" | "signedOut" | "noToken" | "unreachable";
  readonly hasMore: boolean;
  /** Whether the list was read at least once. */
  readonly isLoaded: boolean;
  readonly view: InboxView;
  /** Lists another view. */
  show(view: InboxView): void;
  /** Whether `start` was called, and `stop` was not called after it. */
  readonly isStarted: boolean;
  start(): void;
  stop(): void;
  reconnect(): void;
  /** Rejects if the mark could not be stored; the items then show the stored state. */
  markRead(id: string): Promise<void>;
  /** Marks the listed part as read: the whole inbox or the category. */
  markAllRead(): Promise<void>;
  /** Archives the listed part. Does nothing in the archive and for snoozed items. */
  archiveAll(): Promise<void>;
  /** Changes an item and rejects like `markRead`. `remove` deletes an item, which cannot be undone. */
  change(id: string, change: InboxChange): Promise<void>;
  remove(id: string): Promise<void>;
  readTabs(): Promise<InboxTabs>;
  loadMore(): Promise<void>;
  readPreferences(): Promise<ShownPreferences>;
  /** Makes all changes or none. Resolves to the stored preferences. Rejects if the changes could not be stored. */
  changePreferences(changes: readonly PreferenceChange[]): Promise<ShownPreferences>;
  /** `register` of web-push.js over the feed's connection. Rejects with code 103 unless the tenant allows it. */
  putDevice(device: PushDevice): Promise<void>;
  /** `unregister` of web-push.js. */
  deleteDevice(deviceId: string): Promise<void>;
}
