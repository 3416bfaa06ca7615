import { textFor } from "./inbox-labels.js";
import { make } from "./inbox-rows.js";
import { PreferenceStore } from "./preference-store.js";
import { ANY, preferenceRows } from "./preference-table.js";

/**
 * The user's preferences: the gear, shown if there are any, and the view. Reads them only while the panel is
 * open: when it opens, when the gateway reports a change, and when the connection is back.
 */
export class InboxPreferences {
  #parts;
  #on;
  #labels;
  #store;
  #feed;
  #listening;
  #drawn = "";
  #isOpen = false;
  #wasConnected = false;
  /** Feeds whose last answer had preferences or categories. Their gear is shown before the next answer. */
  #withSome = new WeakSet();

  /**
   * @param {{ gear: HTMLElement, preferences: HTMLElement, rows: HTMLElement, waiting: HTMLElement, readAgain: HTMLElement }} parts
   * @param {{ saving(work: Promise<void>): void, languages(): readonly string[] }} on
   */
  constructor(parts, labels, on) {
    this.#parts = parts;
    this.#labels = labels;
    this.#on = on;
    parts.gear.hidden = true;
    parts.rows.addEventListener("click", ({ target }) => this.#onClick(target.closest("button")));
    parts.rows.addEventListener("keydown", (event) => this.#onKey(event));
    parts.readAgain.addEventListener("click", () => {
      // The button will be hidden, which would drop the focus.
      parts.preferences.focus();
      this.#store?.read();
      this.#show();
    });
  }

  /**
   * Sets the feed of an open panel, or undefined for a closed one. Changes that are being sent still reach the gateway.
   * @param {import("./inbox-feed.d.ts").InboxFeed | undefined} feed
   */
  watch(feed) {
    if (feed === this.#feed) return;
    this.#listening?.abort();
    this.#feed = feed;
    this.#store = undefined;
    this.#wasConnected = false;
    this.#parts.gear.hidden = feed === undefined || !this.#withSome.has(feed);
    if (feed !== undefined) {
      this.#store = new PreferenceStore(feed);
      this.#listening = new AbortController();
      const { signal } = this.#listening;
      this.#store.addEventListener("change", () => this.#onChange(), { signal });
      feed.addEventListener("preferences", () => this.#store.read(), { signal });
      feed.addEventListener("change", () => this.#onState(), { signal });
      this.#onState();
    }
    if (this.#isOpen) this.open();
  }

  open() {
    this.#isOpen = true;
    this.#drawn = "";
    if (this.#focused() !== null) this.focus();
    this.#parts.rows.replaceChildren();
    this.#show();
  }

  close() {
    this.#isOpen = false;
  }

  focus() {
    this.#parts.preferences.focus();
  }

  #onState() {
    const isConnected = this.#feed.state === "connected";
    // Changes that were made while there was no connection are not reported.
    if (isConnected && !this.#wasConnected) this.#store.read();
    if (isConnected !== this.#wasConnected) {
      this.#wasConnected = isConnected;
      this.#show();
    }
  }

  /** Shows what was read. Never hides the gear while the panel is open, as the user may be about to use it. */
  #onChange() {
    const { categories = [], preferences = [] } = this.#store.shown ?? {};
    if (categories.length > 0 || preferences.length > 0) {
      this.#withSome.add(this.#feed);
      this.#parts.gear.hidden = false;
    } else if (this.#store.shown !== undefined) {
      this.#withSome.delete(this.#feed);
    }
    this.#show();
  }

  #show() {
    if (!this.#isOpen) return;
    const { rows, waiting, readAgain } = this.#parts;
    const { shown, hasFailed = false } = this.#store ?? {};
    waiting.hidden = shown !== undefined;
    waiting.textContent = hasFailed ? this.#labels.failed : this.#labels.loading;
    readAgain.hidden = shown !== undefined || !hasFailed;
    if (shown === undefined) return;
    const languages = this.#on.languages();
    const wanted = JSON.stringify([shown.categories, shown.channels, languages]);
    if (wanted !== this.#drawn) {
      const { key, channel } = this.#focused()?.dataset ?? {};
      drawPreferences(rows, shown, this.#labels, languages);
      this.#drawn = wanted;
      if (key !== undefined) {
        const again = this.#switches().find(
          ({ dataset }) => dataset.key === key && dataset.channel === channel,
        );
        (again ?? this.#parts.preferences).focus();
      }
    }
    setSwitches(rows, shown, this.#wasConnected);
  }

  /** Returns the switches that the user may change. */
  #switches() {
    return [...this.#parts.rows.querySelectorAll("[role=switch]:enabled")];
  }

  #focused() {
    const { activeElement } = this.#parts.rows.getRootNode();
    return this.#parts.rows.contains(activeElement) ? activeElement : null;
  }

  #onClick(node) {
    if (node === null || node.disabled || !this.#wasConnected || this.#store === undefined) return;
    this.#on.saving(this.#store.toggle(node.dataset.key, node.dataset.channel));
  }

  /** Handles the arrow keys. The Tab key stops at every switch; arrow keys are faster in a long table. */
  #onKey(event) {
    const at = event.target.closest("[role=switch]");
    if (at === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = this.#switches();
    const column = all.filter(({ dataset }) => dataset.channel === at.dataset.channel);
    const isRightToLeft = getComputedStyle(at).direction === "rtl";
    const next = isRightToLeft ? -1 : 1;
    const to = {
      ArrowDown: column[column.indexOf(at) + 1],
      ArrowUp: column[column.indexOf(at) - 1],
      ArrowRight: all[all.indexOf(at) + next],
      ArrowLeft: all[all.indexOf(at) - next],
      Home: column[0],
      End: column.at(-1),
    };
    if (!Object.hasOwn(to, event.key)) return;
    event.preventDefault();
    to[event.key]?.focus();
  }
}

/** The id of the hint in the row of all messages. */
const ALL_HINT = "hint-all";

/** Makes a row of switches. `at` is the row's number, because the key of a category may not be valid as an id. */
function row({ key, required, on }, category, at, labels, languages) {
  const label = category === undefined ? labels.allMessages : textFor(category.label, languages);
  const description = category === undefined ? "" : textFor(category.description, languages);
  const hints = [
    ...(key === ANY ? [make("p", { id: ALL_HINT, class: "hint" }, labels.allHint)] : []),
    ...(description === ""
      ? []
      : [make("p", { id: `about-${at}`, class: "hint" }, make("bdi", {}, description))]),
    ...(required ? [make("p", { id: `always-${at}`, class: "hint" }, labels.alwaysSent)] : []),
  ];
  const switches = [...on.keys()].map((channel) =>
    make(
      "button",
      {
        part: "switch",
        class: "switch",
        type: "button",
        role: "switch",
        "data-key": key,
        "data-channel": channel,
        id: `switch-${at}-${channel}`,
        "aria-labelledby": `row-${at} switch-${at}-${channel}`,
        disabled: required ? "" : undefined,
      },
      make("span", { part: "track", class: "track", "aria-hidden": "true" }),
      labels.channel(channel),
    ),
  );
  return make(
    "div",
    {
      part: "preference",
      class: "preference",
      role: "group",
      "aria-labelledby": `row-${at}`,
      "aria-describedby": hints.map(({ id }) => id).join(" "),
    },
    make("strong", { part: "preference-label", id: `row-${at}` }, make("bdi", {}, label || key)),
    ...hints,
    make("div", { class: "switches" }, ...switches),
  );
}

/**
 * Draws all rows. All texts come from outside, so they are set as text.
 * @param {HTMLElement} list
 * @param {import("./inbox-feed.d.ts").ShownPreferences} shown
 * @param {import("./belfry-inbox.d.ts").InboxLabels} labels
 * @param {readonly string[]} languages
 */
function drawPreferences(list, shown, labels, languages) {
  const categories = new Map(shown.categories.map((one) => [one.key, one]));
  const rows = preferenceRows(shown).map((one, at) =>
    row(one, categories.get(one.key), at, labels, languages),
  );
  list.replaceChildren(...rows);
}

/**
 * Sets the drawn switches. Marks those that the row of all messages overrules; they still show their own value.
 * @param {HTMLElement} list
 * @param {import("./inbox-feed.d.ts").ShownPreferences} shown
 * @param {boolean} isConnected
 */
function setSwitches(list, shown, isConnected) {
  const rows = new Map(preferenceRows(shown).map((one) => [one.key, one]));
  for (const node of list.querySelectorAll("[role=switch]")) {
    const { key, channel } = node.dataset;
    const { required, on } = rows.get(key);
    const isOverruled = key !== ANY && !required && !rows.get(ANY).on.get(channel);
    node.setAttribute("aria-checked", String(on.get(channel)));
    node.toggleAttribute("data-overruled", isOverruled);
    if (isOverruled) node.setAttribute("aria-describedby", ALL_HINT);
    else node.removeAttribute("aria-describedby");
    if (isConnected) node.removeAttribute("aria-disabled");
    else node.setAttribute("aria-disabled", "true");
  }
}
