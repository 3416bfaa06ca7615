import { applied, changesOf } from "./preference-table.js";

/**
 * A user's preferences: the gateway's last answer with the changes that are being saved. Runs one call at a time, so
 * that an older answer never arrives last. Fires `change`.
 */
export class PreferenceStore extends EventTarget {
  /** @type {import("./inbox-feed.d.ts").ShownPreferences | undefined} Undefined until it was read. */
  shown;
  /** Whether the last reading failed. */
  hasFailed = false;

  #feed;
  #known;
  #unsaved = [];
  #isStale = false;
  #isAtWork = false;

  /** @param {import("./inbox-feed.d.ts").InboxFeed} feed */
  constructor(feed) {
    super();
    this.#feed = feed;
  }

  /** Reads all preferences again, after pending changes are saved. */
  read() {
    this.#isStale = true;
    this.hasFailed = false;
    void this.#work();
  }

  /**
   * Toggles a switch and shows it at once. Rejects if the change was not stored, and then reads the stored state.
   * @param {string} category
   * @param {string} channel
   */
  async toggle(category, channel) {
    if (this.shown === undefined) return;
    const changes = changesOf(this.shown, category, channel);
    if (changes.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#unsaved.push({ changes, resolve, reject });
    this.#changed();
    void this.#work();
    await promise;
  }

  async #work() {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    while (this.#unsaved.length > 0 || this.#isStale) {
      await (this.#unsaved.length > 0 ? this.#save() : this.#load());
    }
    this.#isAtWork = false;
  }

  async #load() {
    this.#isStale = false;
    try {
      this.#known = await this.#feed.readPreferences();
    } catch {
      this.hasFailed = true;
    }
    this.#changed();
  }

  async #save() {
    const { changes, resolve, reject } = this.#unsaved[0];
    try {
      this.#known = await this.#feed.changePreferences(changes);
      resolve();
    } catch (error) {
      this.#isStale = true;
      reject(error);
    }
    this.#unsaved.shift();
    this.#changed();
  }

  #changed() {
    if (this.#known !== undefined) {
      const unsaved = this.#unsaved.flatMap(({ changes }) => changes);
      const preferences = applied(this.#known.preferences, unsaved);
      this.shown = { ...this.#known, preferences };
    }
    this.dispatchEvent(new Event("change"));
  }
}
