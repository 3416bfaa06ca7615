/** Behaviour of every page: copying, menus, confirmation before acts, parts that are refreshed, local times. */

import "./palette.js";
import "./unsaved.js";

// The answer to a form gets the URL of the page with the form, so that a reload opens the form again and sends nothing.
// `done` and `shown` are removed from the URL, because what they show is shown only once.
const isAnswer = document.body.dataset.answer !== undefined;
// A page whose URL is secret sends only its origin as referrer. Its form posts to this URL itself.
const hasReferrer = !["", `${location.origin}/`].includes(document.referrer);
const here = new URL(isAnswer && hasReferrer ? document.referrer : location.href);
for (const name of ["done", "shown"]) here.searchParams.delete(name);
if (here.origin === location.origin && (isAnswer || here.href !== location.href)) {
  history.replaceState(null, "", here);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.copy) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  }
  if (button?.dataset.menu !== undefined) {
    const open = document.getElementById("side").classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
  }
});

/** Closes the open drop-downs except one, and returns the focus from them to their summary. */
function closeDrops(except) {
  for (const drop of document.querySelectorAll("details.drop[open]")) {
    if (drop === except) continue;
    drop.open = false;
    if (drop.contains(document.activeElement)) drop.querySelector("summary").focus();
  }
}
document.addEventListener("pointerdown", (event) =>
  closeDrops(event.target.closest("details.drop")),
);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeDrops();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  const dialog = document.getElementById("confirm");
  if (!form.dataset.confirm || form.dataset.confirmed || !dialog) return;
  event.preventDefault();
  const button = form.querySelector("button[type=submit]");
  const { confirm, yes = button.textContent.trim(), no = "Cancel" } = form.dataset;
  document.getElementById("confirm-text").textContent = confirm;
  const [noButton, yesButton] = ["no", "yes"].map((value) =>
    dialog.querySelector(`[value="${value}"]`),
  );
  noButton.textContent = no;
  yesButton.textContent = yes;
  yesButton.className = button.classList.contains("danger") ? "danger" : "primary";
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener(
    "close",
    () => {
      if (dialog.returnValue !== "yes") return;
      form.dataset.confirmed = "yes";
      form.requestSubmit();
    },
    { once: true },
  );
});

const FORMS = {
  full: { dateStyle: "medium", timeStyle: "medium" },
  time: { timeStyle: "medium" },
  day: { month: "short", day: "numeric" },
};
const STEPS = [
  [60, "second", 1],
  [3600, "minute", 60],
  [86_400, "hour", 3600],
  [Number.POSITIVE_INFINITY, "day", 86_400],
];
/** English dates are British: the day comes before the month. */
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

function ago(at) {
  const seconds = (at - Date.now()) / 1000;
  const [, unit, length] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  if (seconds <= 0 && seconds > -5) return "just now";
  // A future time is shown as `in 1 second` at least, never as now.
  return relative.format(Math.round(seconds / length) || Math.sign(seconds), unit);
}

export function showTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    const { form } = element.dataset;
    element.title = at.toLocaleString(language, FORMS.full);
    element.textContent = form === "ago" ? ago(at) : at.toLocaleString(language, FORMS[form]);
  }
  for (const element of root.querySelectorAll("text[data-at]")) {
    const at = new Date(element.dataset.at);
    element.textContent =
      element.dataset.form === "day"
        ? at.toLocaleString(language, FORMS.day)
        : at.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
  }
}

/** Areas of the page that are refreshed regularly, all with one request. Their children are matched by id. */
const areas = [...document.querySelectorAll("[data-live]")];
// While a dialog is open, the form that it asks about must not be replaced.
const isUntouched = (area) =>
  !area.contains(document.activeElement) &&
  area.querySelector("details[open]") === null &&
  document.querySelector("dialog[open]") === null;

async function refresh() {
  if (document.hidden || !areas.some(isUntouched)) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  // Checks again, because the reader may have begun to use an area during the request.
  const parts = areas
    .filter(isUntouched)
    .flatMap((area) => [...area.querySelectorAll(":scope > [id]")]);
  for (const part of parts) {
    const next = fresh.getElementById(part.id);
    if (next === null) continue;
    showTimes(next);
    if (next.outerHTML !== part.outerHTML) part.replaceWith(document.adoptNode(next));
  }
}

if (areas.length > 0) {
  const everyMs = Math.min(...areas.map((area) => Number(area.dataset.live))) * 1000;
  const again = () =>
    setTimeout(
      () =>
        refresh()
          .catch(() => {})
          .finally(again),
      everyMs,
    );
  again();
}
showTimes(document);
