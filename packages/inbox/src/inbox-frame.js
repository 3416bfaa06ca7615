import { make } from "./inbox-rows.js";

const SVG = "http://www.w3.org/2000/svg";
const BELL = ["M6 9a6 6 0 0 1 12 0c0 6 2.5 7.5 2.5 7.5h-17S6 15 6 9Z", "M10.2 20a2 2 0 0 0 3.6 0"];

/** What stands around the list: the bell, the panel with its head and states, and what is read out. */
export function makeFrame(labels) {
  const badges = [badge(), badge()];
  const away = make("span", { class: "away", hidden: "" });
  const bell = make(
    "button",
    {
      ...{ part: "bell", class: "bell", type: "button" },
      ...{ "aria-haspopup": "dialog", "aria-controls": "panel" },
    },
    ...[icon(), badges[0], away],
  );
  const markAll = button("mark-all", "quiet", labels.markAllRead);
  const title = make("h2", { part: "title", id: "title" }, labels.title);
  const head = make("div", { part: "header", class: "head" }, icon(), title, badges[1], markAll);
  const statusText = make("span", {});
  const again = button("reconnect", "", labels.reconnect);
  const status = make("p", { part: "status", class: "status" }, statusText, again);
  const list = make("div", {
    part: "list",
    class: "list",
    role: "feed",
    "aria-labelledby": "title",
  });
  const empty = make("p", { part: "empty", class: "empty" });
  const more = button("more", "quiet more", labels.more);
  const panel = make(
    "section",
    { part: "panel", class: "panel", id: "panel", "aria-labelledby": "title", tabindex: "-1" },
    ...[head, status, list, empty, more],
  );
  const heard = make("div", { class: "heard", role: "status" });
  return {
    ...{ badges, away, bell, markAll, statusText, again, status, list, empty, more, panel, heard },
    nodes: [bell, panel, heard],
  };
}

function button(part, className, words) {
  return make("button", { part: `${part} button`, class: className, type: "button" }, words);
}

function badge() {
  return make("span", { part: "badge", class: "badge", "aria-hidden": "true" });
}

function icon() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of BELL) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
