import type { PreferenceChange, ShownPreferences } from "./inbox-feed.d.ts";

/** Stands for all categories or all channels. */
export const ANY: "*";

export interface PreferenceRow {
  /** A category's key, or *. */
  readonly key: string;
  readonly required: boolean;
  /** State by channel, without the row for all messages. */
  readonly on: ReadonlyMap<string, boolean>;
}

/** Returns the rows: first all messages, then each category. */
export function preferenceRows(shown: ShownPreferences): PreferenceRow[];

/** Returns the changes of a click on a switch; none if it is fixed or absent. */
export function changesOf(
  shown: ShownPreferences,
  key: string,
  channel: string,
): PreferenceChange[];

/** Returns the preferences after the changes. */
export function applied(
  preferences: ShownPreferences["preferences"],
  changes: readonly PreferenceChange[],
): ShownPreferences["preferences"];
