/** The hour at which a snooze of one or more days ends. */
const MORNING_HOUR = 9;

/** Returns the end of a snooze, by the label of the choice. */
export const SNOOZES = {
  snoozeHour: (now) => new Date(now.getTime() + 3_600_000),
  snoozeTomorrow: (now) => morningIn(now, 1),
  snoozeWeek: (now) => morningIn(now, 7),
};

function morningIn(now, days) {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR);
}

/** Changes by button: the change to the item, the label of the message afterwards, and the change that undoes it. */
const CHANGES = {
  "mark-unread": () => ({ change: { read: false } }),
  archive: () => ({ change: { archived: true }, said: "archived", undo: { archived: false } }),
  unarchive: () => ({ change: { archived: false } }),
  "snooze-for": (name) => ({
    change: { snoozedUntil: SNOOZES[name](new Date()).toISOString() },
    said: "snoozed",
    undo: { snoozedUntil: null },
  }),
  unsnooze: () => ({ change: { snoozedUntil: null } }),
};

/** Runs a user's changes to items, and offers to undo the last one. */
export class InboxChanges {
  #parts;
  #labels;
  #on;
  #undo;

  /**
   * @param {{ undo: HTMLElement, undoText: HTMLElement, undoButton: HTMLElement, panel: HTMLElement }} parts
   * @param {{ feed(): (import("./inbox-feed.d.ts").InboxFeed | undefined), doing(work: Promise<void> | undefined): void, say(words: string): void }} on
   */
  constructor(parts, labels, on) {
    this.#parts = parts;
    this.#labels = labels;
    this.#on = on;
    parts.undoButton.addEventListener("click", () => {
      const undo = this.#undo;
      // The button will be hidden, which would drop the focus.
      parts.panel.focus();
      this.forget();
      this.#on.doing(undo?.());
    });
  }

  /** Runs a button's change; `name` is the choice that the button offered. */
  run(action, id, name) {
    const feed = this.#on.feed();
    if (feed === undefined) return;
    this.forget();
    if (action === "mark-read") return this.#on.doing(feed.markRead(id));
    if (action === "delete") return this.#on.doing(feed.remove(id));
    const { change, said, undo } = CHANGES[action](name);
    const wasRead = feed.items.find((item) => item.id === id)?.read;
    this.#on.doing(feed.change(id, change));
    if (said === undefined) return;
    this.#undo = async () => {
      await feed.change(id, undo);
      // A snooze makes the item unread.
      if (wasRead) await feed.change(id, { read: true });
    };
    this.#parts.undoText.textContent = this.#labels[said];
    this.#parts.undo.hidden = false;
    this.#on.say(this.#labels[said]);
  }

  forget() {
    this.#undo = undefined;
    this.#parts.undo.hidden = true;
  }
}
