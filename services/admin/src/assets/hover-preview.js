/**
 * The list of templates. Shows a preview of the message under the pointer or with the keyboard's focus. Loads a preview
 * only when it is needed, and one at a time. Escape hides it; it stays open while the pointer is on it.
 */

import { mailFrame, showPreview } from "./live-preview.js";

const ASK_AFTER_MS = 300;
const HIDE_AFTER_MS = 250;
const GAP_PX = 6;

const popup = document.getElementById("hover-preview");
const mail = mailFrame(document.getElementById("preview-frame"));
const known = new Map();
let timer;
let hiding;
/** The link whose preview is wanted; undefined if there is none. */
let wanted;
let isAsking = false;

async function ask(asked) {
  wanted = asked;
  if (isAsking) return;
  isAsking = true;
  let link;
  // Another link may become wanted during a request. It is loaded next.
  while (wanted !== undefined && wanted !== link) {
    link = wanted;
    const { preview: address } = link.dataset;
    if (!known.has(address)) known.set(address, await answerOf(address));
    if (wanted === link) show(link, known.get(address));
  }
  isAsking = false;
}

async function answerOf(address) {
  try {
    const response = await fetch(address);
    return response.ok ? await response.json() : undefined;
  } catch {
    // There is no connection.
  }
}

function show(link, rendered) {
  if (rendered === undefined) return;
  document.getElementById("hover-fault").hidden = rendered.ok;
  document.getElementById("hover-shown").hidden = !rendered.ok;
  if (rendered.ok) showPreview(rendered.preview, mail);
  popup.showPopover();
  const at = link.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popup;
  const isBelow = at.bottom + GAP_PX + height <= innerHeight || at.top < innerHeight - at.bottom;
  popup.style.left = `${Math.max(GAP_PX, Math.min(at.left, innerWidth - width - GAP_PX))}px`;
  popup.style.top = `${isBelow ? at.bottom + GAP_PX : at.top - GAP_PX - height}px`;
}

function want(link) {
  clearTimeout(hiding);
  if (wanted === link) return;
  clearTimeout(timer);
  timer = setTimeout(ask, ASK_AFTER_MS, link);
}

function hide() {
  clearTimeout(timer);
  wanted = undefined;
  popup.hidePopover();
}

function hideSoon() {
  clearTimeout(timer);
  clearTimeout(hiding);
  hiding = setTimeout(hide, HIDE_AFTER_MS);
}

// A touch screen has no hover: there, a tap opens the template.
if (matchMedia("(hover: hover)").matches) {
  for (const link of document.querySelectorAll("a[data-preview]")) {
    link.addEventListener("pointerenter", () => want(link));
    link.addEventListener("pointerleave", hideSoon);
    link.addEventListener("focus", () => link.matches(":focus-visible") && want(link));
    link.addEventListener("blur", hideSoon);
  }
  popup.addEventListener("pointerenter", () => clearTimeout(hiding));
  popup.addEventListener("pointerleave", hideSoon);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
}
