/**
 * A user's preferences as a table of switches: first all messages, then each category. A switch shows and changes the same
 * as on the hosted page of preferences; a test compares the two. preference-table.d.ts documents the functions.
 */

export const ANY = "*";

const nameOf = ({ category, channel }) => JSON.stringify([category, channel]);

export function preferenceRows({ channels, categories, preferences }) {
  const cells = new Map(preferences.map((one) => [nameOf(one), one.enabled]));
  const isOn = (category, channel, byDefault) => {
    const both = [channel, ANY].map((one) => cells.get(nameOf({ category, channel: one })));
    // An off always wins.
    return !both.includes(false) && (byDefault || both.includes(true));
  };
  const row = (key, required, byDefault) => ({
    key,
    required,
    on: new Map(channels.map((one) => [one, required || isOn(key, one, byDefault)])),
  });
  return [
    row(ANY, false, true),
    ...categories.map(({ key, required, defaultOn }) => row(key, required, defaultOn)),
  ];
}

export function changesOf(shown, key, channel) {
  const row = preferenceRows(shown).find((one) => one.key === key);
  if (row === undefined || row.required || !row.on.has(channel)) return [];
  const enabled = !row.on.get(channel);
  const allOff = shown.preferences.some(
    (one) => one.category === key && one.channel === ANY && !one.enabled,
  );
  if (!enabled || !allOff) return [{ category: key, channel, enabled }];
  // An off of the whole row would win against a switch that is on, so it becomes one off per channel.
  return [
    { category: key, channel: ANY, enabled: null },
    ...[...row.on.keys()].map((one) => ({ category: key, channel: one, enabled: one === channel })),
  ];
}

export function applied(preferences, changes) {
  const cells = new Map(preferences.map((one) => [nameOf(one), one]));
  for (const change of changes) {
    if (change.enabled === null) cells.delete(nameOf(change));
    else cells.set(nameOf(change), change);
  }
  return [...cells.values()];
}
