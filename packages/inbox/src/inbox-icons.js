const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  bell: ["M6 9a6 6 0 0 1 12 0c0 6 2.5 7.5 2.5 7.5h-17S6 15 6 9Z", "M10.2 20a2 2 0 0 0 3.6 0"],
  gear: [
    "M12 5.6a6.4 6.4 0 1 1 0 12.8 6.4 6.4 0 0 1 0-12.8Z",
    "M12 9.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2Z",
    "M12 2.6v3M12 18.4v3M2.6 12h3M18.4 12h3M5.35 5.35l2.1 2.1M16.55 16.55l2.1 2.1M5.35 18.65l2.1-2.1M16.55 7.45l2.1-2.1",
  ],
  back: ["M14.5 5.5 8 12l6.5 6.5"],
  snooze: ["M12 4.5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15Z", "M12 8v4.4l2.8 1.8"],
  archive: ["M4 5h16v4H4zM5.5 9v10h13V9", "M10 13h4"],
  delete: ["M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7", "M10.3 10.5v5.5M13.7 10.5v5.5"],
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
