const CHANNELS = new Map([
  ["EMAIL", "Email"],
  ["SMS", "SMS"],
  ["PUSH", "In the app"],
  ["DEVICE", "On your devices"],
  ["CHAT", "Chat"],
]);

/**
 * The inbox's words in English. Set other words with the element's `labels`, as a property or as an attribute in JSON. In
 * place of a function, a text may name its value, such as `{unread}`; in place of `channel`, an object.
 */
export const ENGLISH = {
  title: "Notifications",
  /** The bell's name for a screen reader. */
  bell: (unread) => (unread === 0 ? "Notifications" : `Notifications, ${unread} unread`),
  unreadItem: "Unread",
  markRead: "Mark read",
  markAllRead: "Mark all read",
  markUnread: "Mark unread",
  archive: "Archive",
  archiveAll: "Archive all",
  /** Label of the same button after the first press. */
  archiveAllSure: "Archive all?",
  /** Moves an item out of the archive. */
  unarchive: "Move to inbox",
  snooze: "Snooze",
  snoozeHour: "In an hour",
  snoozeTomorrow: "Tomorrow",
  snoozeWeek: "In a week",
  /** Ends a snooze early. */
  unsnooze: "Show now",
  /** Replaces the time of a snoozed item. */
  until: (time) => `Until ${time}`,
  delete: "Delete",
  /** Label of the same button after the first press. */
  deleteSure: "Delete for good?",
  /** Messages after a change, beside the button that undoes it. */
  archived: "Archived.",
  snoozed: "Snoozed.",
  undo: "Undo",
  /** Tabs in addition to those of the categories. */
  all: "All",
  snoozedTab: "Snoozed",
  archivedTab: "Archived",
  /** Text on a category's tab for a screen reader. */
  tabUnread: (unread) => `${unread} unread`,
  emptyTab: "Nothing here.",
  more: "Show earlier ones",
  empty: "Nothing yet. New notifications appear here.",
  loading: "Loading…",
  /** Replaces the list until it was read once. */
  notShown: "Your notifications cannot be shown right now.",
  connecting: "Connecting…",
  reconnecting: "Connection lost. Reconnecting…",
  disconnected: (reason) => (reason === "" ? "Disconnected." : `Disconnected: ${reason}.`),
  reconnect: "Reconnect",
  /** The page's backend says that nobody is logged in. */
  signedOut: "You are signed out.",
  /** The page's backend answers something other than a token, or not at all. */
  noToken: "The page could not sign you in here. Trying again…",
  unreachable: "No connection. Trying again…",
  tryNow: "Try now",
  /** A screen reader reads this when a notification arrives. */
  arrived: (title) => `New notification: ${title}`,
  failed: "That did not work. Try again in a moment.",
  /** Label of the gear, and title of the view that it opens. */
  preferences: "Preferences",
  back: "Back",
  readAgain: "Try again",
  allMessages: "All messages",
  allHint: "What you turn off here is off for everything below, too.",
  /** Text on a category that nobody can turn off. */
  alwaysSent: "Always sent",
  channel: (name) => CHANNELS.get(name) ?? name,
  notSaved: "That was not saved. Try again in a moment.",
};

const MAX_COUNT = 99;

/** Returns a badge's text for a count. */
export function countText(count) {
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(count);
}

/** Values of the labels that are functions, by name. */
const VALUES = {
  bell: "unread",
  tabUnread: "unread",
  disconnected: "reason",
  arrived: "title",
  channel: "name",
  until: "time",
};

/**
 * Returns the English words, replaced by the given ones. Values that are no words are ignored.
 * @param {Record<string, unknown> | null | undefined} words
 */
export function labelsWith(words) {
  const labels = { ...ENGLISH };
  for (const [name, said] of Object.entries(words ?? {})) {
    const value = VALUES[name];
    if (typeof said === "function" && value !== undefined) labels[name] = said;
    else if (typeof said === "object" && said !== null && name === "channel") {
      labels.channel = (channel) => said[channel] ?? ENGLISH.channel(channel);
    } else if (typeof said !== "string" || !Object.hasOwn(ENGLISH, name)) continue;
    else if (value === undefined) labels[name] = said;
    else labels[name] = (given) => said.replaceAll(`{${value}}`, () => String(given));
  }
  if (typeof words?.bell === "string") {
    const some = labels.bell;
    labels.bell = (unread) => (unread === 0 ? labels.title : some(unread));
  }
  return labels;
}

/**
 * Returns the text in the first of these languages that it has, or in a wider one (`de` for `de-AT`), else the
 * default text. Ignores the case of languages.
 * @param {Record<string, string>} texts
 * @param {readonly string[]} languages
 */
export function textFor(texts, languages) {
  const byLanguage = new Map(
    Object.entries(texts).map(([language, text]) => [language.toLowerCase(), text]),
  );
  for (const language of languages) {
    const parts = language.toLowerCase().split("-");
    for (; parts.length > 0; parts.pop()) {
      const text = byLanguage.get(parts.join("-"));
      if (text !== undefined) return text;
    }
  }
  return byLanguage.get("") ?? "";
}

/**
 * Returns the language of an element's page, looked up across shadow roots; if the page names none, the languages of
 * its reader.
 * @param {Element} element
 * @returns {readonly string[]}
 */
export function pageLanguages(element) {
  for (let at = element; at != null; at = at.getRootNode().host) {
    const said = at.closest("[lang]")?.lang;
    if (said && isLanguage(said)) return [said];
  }
  return navigator.languages;
}

function isLanguage(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
