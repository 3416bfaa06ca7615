import type { InboxFeed, ShownPreferences } from "./inbox-feed.d.ts";
import type { PreferenceRow } from "./preference-table.d.ts";

/** The feed's state; `InboxFeed` documents the parts. Before the first answer, and on a server, `isLoaded` is false. */
export type InboxState = Pick<
  InboxFeed,
  "items" | "unread" | "state" | "reason" | "problem" | "hasMore" | "isLoaded" | "view"
>;

/** The feed's methods. Pass them on as they are; they reject as the feed's methods do. */
export type InboxActions = Pick<
  InboxFeed,
  | ("markRead" | "markAllRead" | "archiveAll" | "change" | "remove")
  | ("loadMore" | "show" | "readTabs" | "reconnect")
>;

export interface PreferencesState {
  /** The stored preferences with the changes that are being saved. Undefined until they were read. */
  readonly preferences: ShownPreferences | undefined;
  /** The same as a table of switches; empty until it was read. */
  readonly rows: readonly PreferenceRow[];
  /** Whether the last reading or the last change failed. After a failed change, the state shows what is stored. */
  readonly problem: "" | "notRead" | "notSaved";
}

/** The promises never reject: see `problem`. A required category, or an unknown one, does not change. */
export interface PreferencesActions {
  /** Toggles a switch, by the key of its row and its channel. */
  toggle(category: string, channel: string): Promise<void>;
  /** Turns a switch on or off. */
  set(category: string, channel: string, enabled: boolean): Promise<void>;
  readAgain(): void;
}

/** A part of the state that a framework subscribes to. */
interface Source<State> {
  subscribe(listener: () => void): () => void;
  /** Returns the same object while the state is the same. */
  read(): State;
  readonly initial: State;
}

export function sourcesOf(feed: InboxFeed): {
  readonly inbox: Source<InboxState> & { readonly actions: InboxActions };
  readonly unread: Source<number>;
  readonly preferences: Source<PreferencesState> & { readonly actions: PreferencesActions };
};
