import { icon } from "./inbox-icons.js";
import { make } from "./inbox-rows.js";

/**
 * Makes the frame of the two views: the bell, the panel with its head and states, and the live region. An element of class
 * `of-list` or `of-preferences` shows only in that view.
 */
export function makeFrame(labels) {
  const badges = [badge(), badge()];
  const away = make("span", { class: "away", hidden: "" });
  const bell = make(
    "button",
    {
      part: "bell",
      class: "bell",
      type: "button",
      "aria-haspopup": "dialog",
      "aria-controls": "panel",
    },
    ...[icon("bell"), badges[0], away],
  );
  const markAll = button("mark-all", "quiet of-list", labels.markAllRead);
  badges[1].classList.add("of-list");
  const titles = { list: labels.title, preferences: labels.preferences };
  const title = make("h2", { part: "title", id: "title" });
  const gear = iconButton("gear", "of-list", labels.preferences);
  const archiveAll = iconButton("archive-all", "of-list", labels.archiveAll, "archive");
  const back = iconButton("back", "back of-preferences", labels.back);
  const mark = make("span", { class: "mark of-list" }, icon("bell"));
  const head = make(
    "div",
    { part: "header", class: "head" },
    // Elements that appear late are not at the end, so that the others do not move.
    ...[back, mark, title, badges[1], gear, archiveAll, markAll],
  );
  const statusText = make("span", {});
  const again = button("reconnect", "", labels.reconnect);
  const status = make("p", { part: "status", class: "status" }, statusText, again);
  const tabs = make("div", {
    part: "tabs",
    class: "tabs of-list",
    role: "tablist",
    "aria-labelledby": "title",
    hidden: "",
  });
  const list = make("div", {
    part: "list",
    id: "list",
    class: "list of-list",
    role: "feed",
    "aria-labelledby": "title",
  });
  const empty = make("p", { part: "empty", class: "empty of-list" });
  const more = button("more", "quiet more of-list", labels.more);
  const undoText = make("span", {});
  const undoButton = button("undo", "quiet", labels.undo);
  const undo = make(
    "p",
    { part: "undone", class: "undone of-list", hidden: "" },
    undoText,
    undoButton,
  );
  const waiting = make("p", { part: "empty", class: "empty" });
  const readAgain = button("read-again", "quiet more", labels.readAgain);
  const rows = make("div", {});
  const preferences = make(
    "div",
    {
      part: "preferences",
      class: "preferences of-preferences",
      tabindex: "-1",
      role: "group",
      "aria-labelledby": "title",
    },
    ...[waiting, readAgain, rows],
  );
  const panel = make(
    "section",
    { part: "panel", class: "panel", id: "panel", "aria-labelledby": "title", tabindex: "-1" },
    ...[head, status, tabs, list, empty, more, undo, preferences],
  );
  const heard = make("div", { class: "heard", role: "status" });
  return {
    badges,
    away,
    bell,
    markAll,
    archiveAll,
    statusText,
    again,
    status,
    list,
    empty,
    more,
    panel,
    heard,
    title,
    titles,
    gear,
    back,
    preferences,
    waiting,
    readAgain,
    rows,
    tabs,
    undo,
    undoText,
    undoButton,
    nodes: [bell, panel, heard],
  };
}

function button(part, className, words) {
  return make("button", { part: `${part} button`, class: className, type: "button" }, words);
}

function iconButton(part, className, words, name = part) {
  const attributes = { "aria-label": words, title: words };
  return make(
    "button",
    { part: `${part} button`, class: `icon ${className}`, type: "button", ...attributes },
    icon(name),
  );
}

function badge() {
  return make("span", { part: "badge", class: "badge", "aria-hidden": "true" });
}
