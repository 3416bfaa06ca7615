import type { PreferenceChange, ShownPreferences } from "./inbox-feed.d.ts";

/** For a category or a channel: all of them. */
export const ANY: "*";

export interface PreferenceRow {
  /** A category's key, or *. */
  readonly key: string;
  readonly required: boolean;
  /** By channel: what its own row says, apart from that of all messages. */
  readonly on: ReadonlyMap<string, boolean>;
}

/** First all messages, then each category. */
export function preferenceRows(shown: ShownPreferences): PreferenceRow[];

/** What a click on a switch changes; nothing where it is fixed, or not there. */
export function changesOf(
  shown: ShownPreferences,
  key: string,
  channel: string,
): PreferenceChange[];

/** What is said after the changes. */
export function applied(
  preferences: ShownPreferences["preferences"],
  changes: readonly PreferenceChange[],
): ShownPreferences["preferences"];
