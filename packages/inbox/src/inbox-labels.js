const CHANNELS = new Map([
  ["EMAIL", "Email"],
  ["SMS", "SMS"],
  ["PUSH", "In the app"],
]);

/** What the inbox says, in English. Give other words by the element's `labels`. */
export const ENGLISH = {
  title: "Notifications",
  /** The bell's name for a screen reader. */
  bell: (unread) => (unread === 0 ? "Notifications" : `Notifications, ${unread} unread`),
  unreadItem: "Unread",
  markRead: "Mark read",
  markAllRead: "Mark all read",
  more: "Show earlier ones",
  empty: "Nothing yet. What is new shows up here.",
  loading: "Loading…",
  connecting: "Connecting…",
  reconnecting: "Connection lost. Reconnecting…",
  disconnected: (reason) => (reason === "" ? "Disconnected." : `Disconnected: ${reason}.`),
  reconnect: "Reconnect",
  /** Read out when one arrives. */
  arrived: (title) => `New notification: ${title}`,
  failed: "That did not work. Try again in a moment.",
  /** The gear, and the title of what is behind it. */
  preferences: "Preferences",
  back: "Back",
  readAgain: "Try again",
  allMessages: "All messages",
  allHint: "What you turn off here is off for everything below, too.",
  /** Of a category that nobody can turn off. */
  alwaysSent: "Always sent",
  channel: (name) => CHANNELS.get(name) ?? name,
  notSaved: "That was not saved. Try again in a moment.",
};
