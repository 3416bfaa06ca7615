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
}

export interface InboxAction {
  readonly label: string;
  readonly url: string;
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

/** Fires `change`, and `notification` (a `CustomEvent<InboxItem>`) for each that comes live. */
export class InboxFeed extends EventTarget {
  constructor(options: InboxFeedOptions);
  /** Newest first. */
  readonly items: readonly InboxItem[];
  /** Of the whole inbox, not only of the items. */
  readonly unread: number;
  readonly state: "connecting" | "connected" | "disconnected";
  readonly reason: string;
  readonly hasMore: boolean;
  /** The history was read at least once. */
  readonly isLoaded: boolean;
  start(): void;
  stop(): void;
  reconnect(): void;
  /** Rejects when it could not be stored; the items then say what is true. */
  markRead(id: string): Promise<void>;
  markAllRead(): Promise<void>;
  loadMore(): Promise<void>;
}
