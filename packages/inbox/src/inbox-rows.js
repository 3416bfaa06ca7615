import { SNOOZES } from "./inbox-changes.js";
import { icon } from "./inbox-icons.js";
import { linkAttributes } from "./inbox-links.js";

/**
 * Makes an element with attributes and children. Skips attributes that are `null` or `undefined`. Children that are
 * strings are set as text, never as HTML, because they come from outside.
 * @param {string} tag
 * @param {Record<string, string | null | undefined>} attributes
 * @param {...(Node | string)} children
 */
export function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/**
 * @typedef {{
 *   labels: typeof import("./inbox-labels.js").ENGLISH,
 *   languages: readonly string[],
 *   hasTypes: boolean,
 *   view: "inbox" | "archived" | "snoozed",
 * }} RowStyle
 */

function time({ createdAt, snoozedUntil }, { labels, languages, view }) {
  const iso = view === "snoozed" ? snoozedUntil : createdAt;
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date().toDateString();
  const text = isToday
    ? at.toLocaleTimeString(languages, { timeStyle: "short" })
    : at.toLocaleDateString(languages, { dateStyle: "medium" });
  const attributes = { part: "time", datetime: iso, title: at.toLocaleString(languages) };
  return make("time", attributes, view === "snoozed" ? labels.until(text) : text);
}

/** Makes the title, as a link if there is one. The Tab key stops at the row: Enter on it follows this link. */
function titleOf({ url, title }) {
  if (url === undefined) return title;
  const attributes = { part: "item-link", "data-action": "open", tabindex: "-1" };
  return make("a", { ...attributes, ...linkAttributes(url) }, title);
}

function actionsOf({ id, actions }) {
  const links = actions.map(({ label, url }, index) =>
    make(
      "a",
      {
        part: "action button",
        class: "quiet",
        tabindex: "-1",
        "data-action": "follow",
        "data-index": String(index),
        "aria-describedby": `title-${id}`,
        ...linkAttributes(url),
      },
      label,
    ),
  );
  return make("div", { part: "actions", class: "actions" }, ...links);
}

/** The buttons of a row for each view, with the names of their labels. */
const BUTTONS = {
  inbox: ({ read }) => ({
    ...(read ? { "mark-unread": "markUnread" } : { "mark-read": "markRead" }),
    snooze: "snooze",
    archive: "archive",
    delete: "delete",
  }),
  snoozed: () => ({ unsnooze: "unsnooze", archive: "archive", delete: "delete" }),
  archived: () => ({ unarchive: "unarchive", delete: "delete" }),
};
const WITH_ICON = ["snooze", "archive", "delete"];

function buttonsOf(item, { labels, view }) {
  return Object.entries(BUTTONS[view](item)).map(([action, name]) => {
    const hasIcon = WITH_ICON.includes(action);
    const attributes = {
      part: `${action} button`,
      type: "button",
      tabindex: "-1",
      "data-action": action,
      class: hasIcon ? "icon" : "quiet",
      "aria-describedby": `title-${item.id}`,
      ...(hasIcon && { "aria-label": labels[name], title: labels[name] }),
      "aria-expanded": action === "snooze" ? "false" : undefined,
    };
    return make("button", attributes, hasIcon ? icon(action) : labels[name]);
  });
}

/** Makes the choices of a snooze, for a row whose snooze button was pressed. */
export function snoozeChoices(id, labels) {
  const choices = Object.keys(SNOOZES).map((name) =>
    make(
      "button",
      {
        part: "snooze-for button",
        type: "button",
        class: "quiet",
        "data-action": "snooze-for",
        "data-name": name,
        "aria-describedby": `title-${id}`,
      },
      labels[name],
    ),
  );
  const attributes = { class: "choices", role: "group", "aria-label": labels.snooze };
  return make("div", attributes, ...choices);
}

function row(item, style) {
  const { labels, hasTypes } = style;
  const state = item.read ? "read" : "unread";
  const title = make("strong", { part: "item-title", id: `title-${item.id}` }, titleOf(item));
  const node = make(
    "article",
    {
      part: `item item-${state}`,
      class: item.isLive ? "item arrived" : "item",
      tabindex: "-1",
      "aria-labelledby": item.read ? `title-${item.id}` : `dot-${item.id} title-${item.id}`,
      "aria-describedby": `body-${item.id}`,
      "data-id": item.id,
      "data-state": state,
    },
    ...(item.read
      ? []
      : [
          make("span", {
            part: "dot",
            id: `dot-${item.id}`,
            role: "img",
            "aria-label": labels.unreadItem,
          }),
        ]),
    title,
    time(item, style),
    make("p", { part: "item-body", id: `body-${item.id}` }, item.body),
    ...(item.actions === undefined ? [] : [actionsOf(item)]),
  );
  const foot = make("div", { class: "foot" });
  if (hasTypes) foot.append(make("code", { part: "item-category" }, item.category));
  foot.append(...buttonsOf(item, style));
  node.append(foot);
  return node;
}

/**
 * Shows the items in the list. Rows that are up to date stay, and with them focus and scroll position.
 * @param {HTMLElement} list
 * @param {RowStyle} style
 */
export function showRows(list, items, style) {
  const there = new Map([...list.children].map((node) => [node.dataset.id, node]));
  const wanted = items.map((item) => {
    const old = there.get(item.id);
    if (old?.dataset.state === (item.read ? "read" : "unread")) return old;
    const made = row(item, style);
    if (old !== undefined) made.classList.remove("arrived");
    return made;
  });
  const kept = new Set(wanted);
  for (const [index, node] of wanted.entries()) {
    node.setAttribute("aria-posinset", String(index + 1));
    node.setAttribute("aria-setsize", String(wanted.length));
    const at = list.children[index];
    if (at === node) continue;
    if (at !== undefined && !kept.has(at)) at.replaceWith(node);
    else list.insertBefore(node, at ?? null);
  }
  while (list.children.length > wanted.length) list.lastChild?.remove();
}
