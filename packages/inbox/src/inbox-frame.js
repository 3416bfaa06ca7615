import { make } from "./inbox-rows.js";

const SVG = "http://www.w3.org/2000/svg";
const BELL = ["M6 9a6 6 0 0 1 12 0c0 6 2.5 7.5 2.5 7.5h-17S6 15 6 9Z", "M10.2 20a2 2 0 0 0 3.6 0"];
const GEAR = [
  "M12 5.6a6.4 6.4 0 1 1 0 12.8 6.4 6.4 0 0 1 0-12.8Z",
  "M12 9.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2Z",
  "M12 2.6v3M12 18.4v3M2.6 12h3M18.4 12h3M5.35 5.35l2.1 2.1M16.55 16.55l2.1 2.1M5.35 18.65l2.1-2.1M16.55 7.45l2.1-2.1",
];
const BACK = ["M14.5 5.5 8 12l6.5 6.5"];

/**
 * What stands around the two views: the bell, the panel with its head and states, and what is read out. What
 * is of class `of-list` or `of-preferences` is seen in that view alone.
 */
export function makeFrame(labels) {
  const badges = [badge(), badge()];
  const away = make("span", { class: "away", hidden: "" });
  const bell = make(
    "button",
    {
      ...{ part: "bell", class: "bell", type: "button" },
      ...{ "aria-haspopup": "dialog", "aria-controls": "panel" },
    },
    ...[icon(BELL), badges[0], away],
  );
  const markAll = button("mark-all", "quiet of-list", labels.markAllRead);
  badges[1].classList.add("of-list");
  const titles = { list: labels.title, preferences: labels.preferences };
  const title = make("h2", { part: "title", id: "title" });
  const gear = iconButton("gear", "of-list", labels.preferences, GEAR);
  const back = iconButton("back", "back of-preferences", labels.back, BACK);
  const mark = make("span", { class: "mark of-list" }, icon(BELL));
  const head = make(
    "div",
    { part: "header", class: "head" },
    // What comes late is not at the end: the others stay where they are.
    ...[back, mark, title, badges[1], gear, markAll],
  );
  const statusText = make("span", {});
  const again = button("reconnect", "", labels.reconnect);
  const status = make("p", { part: "status", class: "status" }, statusText, again);
  const list = make("div", {
    part: "list",
    class: "list of-list",
    role: "feed",
    "aria-labelledby": "title",
  });
  const empty = make("p", { part: "empty", class: "empty of-list" });
  const more = button("more", "quiet more of-list", labels.more);
  const waiting = make("p", { part: "empty", class: "empty" });
  const readAgain = button("read-again", "quiet more", labels.readAgain);
  const rows = make("div", {});
  const preferences = make(
    "div",
    {
      ...{ part: "preferences", class: "preferences of-preferences", tabindex: "-1" },
      ...{ role: "group", "aria-labelledby": "title" },
    },
    ...[waiting, readAgain, rows],
  );
  const panel = make(
    "section",
    { part: "panel", class: "panel", id: "panel", "aria-labelledby": "title", tabindex: "-1" },
    ...[head, status, list, empty, more, preferences],
  );
  const heard = make("div", { class: "heard", role: "status" });
  return {
    ...{ badges, away, bell, markAll, statusText, again, status, list, empty, more, panel, heard },
    ...{ title, titles, gear, back, preferences, waiting, readAgain, rows },
    nodes: [bell, panel, heard],
  };
}

function button(part, className, words) {
  return make("button", { part: `${part} button`, class: className, type: "button" }, words);
}

function iconButton(part, className, words, paths) {
  const attributes = { "aria-label": words, title: words };
  return make(
    "button",
    { part: `${part} button`, class: `icon ${className}`, type: "button", ...attributes },
    icon(paths),
  );
}

function badge() {
  return make("span", { part: "badge", class: "badge", "aria-hidden": "true" });
}

function icon(paths) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
