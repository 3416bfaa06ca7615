import { make } from "./inbox-rows.js";
import { ANY, preferenceRows } from "./preference-table.js";

/** The rows of the preferences. Every text is set as text: it comes from outside. */

const ALL_HINT = "hint-all";

/**
 * A text in the first of these languages that it is there in, or in a wider one (`de` for `de-AT`), else its
 * default one. The case of a language does not matter.
 * @param {Record<string, string>} texts
 * @param {readonly string[]} languages
 */
function textFor(texts, languages) {
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

/** `at`: a number of its own for each row, as a category's key is no id. */
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
        ...{ part: "switch", class: "switch", type: "button", role: "switch" },
        ...{ "data-key": key, "data-channel": channel, id: `switch-${at}-${channel}` },
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
      ...{ part: "preference", class: "preference", role: "group" },
      ...{
        "aria-labelledby": `row-${at}`,
        "aria-describedby": hints.map(({ id }) => id).join(" "),
      },
    },
    make("strong", { part: "preference-label", id: `row-${at}` }, make("bdi", {}, label || key)),
    ...hints,
    make("div", { class: "switches" }, ...switches),
  );
}

/**
 * Draws all rows.
 * @param {HTMLElement} list
 * @param {import("./inbox-feed.d.ts").ShownPreferences} shown
 * @param {import("./belfry-inbox.d.ts").InboxLabels} labels
 * @param {readonly string[]} languages
 */
export function drawPreferences(list, shown, labels, languages) {
  const categories = new Map(shown.categories.map((one) => [one.key, one]));
  const rows = preferenceRows(shown).map((one, at) =>
    row(one, categories.get(one.key), at, labels, languages),
  );
  list.replaceChildren(...rows);
}

/**
 * Sets each switch that was drawn. One that is off for all messages shows what its own row says, and that.
 * @param {HTMLElement} list
 * @param {import("./inbox-feed.d.ts").ShownPreferences} shown
 * @param {boolean} isConnected
 */
export function setSwitches(list, shown, isConnected) {
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
