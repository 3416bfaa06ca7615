import { ANY, type PreferenceChange, type PreferenceChannel } from "@belfry/contracts/preferences";
import type { Category, Preference } from "@belfry/database/preferences";

/** A row of the page: all messages, or a category. */
export interface PreferenceRow {
  /** A category's key, or *. */
  key: string;
  required: boolean;
  /** By channel: what its own row says, apart from that of all messages. */
  on: ReadonlyMap<PreferenceChannel, boolean>;
}

/** What a user has said, as a table of boxes: first all messages, then each category. */
export function preferenceRows(
  channels: readonly PreferenceChannel[],
  categories: readonly Pick<Category, "key" | "required" | "defaultOn">[],
  said: readonly Preference[],
): PreferenceRow[] {
  const cells = new Map(said.map((one) => [`${one.category}/${one.channel}`, one.enabled]));
  const isOn = (key: string, channel: PreferenceChannel, byDefault: boolean) => {
    const both = [cells.get(`${key}/${channel}`), cells.get(`${key}/${ANY}`)];
    // An off never loses.
    return !both.includes(false) && (byDefault || both.includes(true));
  };
  const row = (key: string, required: boolean, byDefault: boolean): PreferenceRow => ({
    key,
    required,
    on: new Map(channels.map((one) => [one, required || isOn(key, one, byDefault)])),
  });
  return [
    row(ANY, false, true),
    ...categories.map(({ key, required, defaultOn }) => row(key, required, defaultOn)),
  ];
}

export const cellName = (key: string, channel: PreferenceChannel) => `${key}/${channel}`;

/**
 * What a form says beside what its page had shown: `was` are the boxes that were set, `is` those that are.
 * Only boxes of these rows count, and those alone that were changed: another tab's changes stay.
 */
export function changesOf(
  rows: readonly PreferenceRow[],
  said: readonly Preference[],
  was: ReadonlySet<string>,
  is: ReadonlySet<string>,
): PreferenceChange[] {
  return rows.flatMap(({ key, required, on }) => {
    if (required) return [];
    const changed = [...on.keys()].filter((channel) => {
      const name = cellName(key, channel);
      return was.has(name) !== is.has(name);
    });
    const wanted = (channel: PreferenceChannel) => {
      return changed.includes(channel) ? is.has(cellName(key, channel)) : on.get(channel) === true;
    };
    const cellsOf = (channels: readonly PreferenceChannel[]): PreferenceChange[] =>
      channels.map((channel) => ({ category: key, channel, enabled: wanted(channel) }));
    const allOff = said.some((one) => one.category === key && one.channel === ANY && !one.enabled);
    // An off of the whole row would win against a box that is set: it becomes one off a channel.
    if (allOff && changed.some(wanted)) {
      return [{ category: key, channel: ANY, enabled: null }, ...cellsOf([...on.keys()])];
    }
    return cellsOf(changed);
  });
}
