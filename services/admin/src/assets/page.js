import "./palette.js";
import "./unsaved.js";

/** Behaviour of every page: copying, confirming what cannot be undone, live parts, local times. */

// The answer to a form that was refused stands at the form's own address: a reload opens the form again, and
// sends nothing. What an address says once, and shows once, leaves it.
const isAnswer = document.body.dataset.answer !== undefined;
// A page with a secret address sends only its origin as referrer. Its form posts to that address itself.
const isTold = !["", `${location.origin}/`].includes(document.referrer);
const here = new URL(isAnswer && isTold ? document.referrer : location.href);
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

/** Closes open drop-downs, as menus do. */
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
/** English is written as in Britain: the day before the month. */
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

function ago(at) {
  const seconds = (at - Date.now()) / 1000;
  const [, unit, length] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  if (seconds <= 0 && seconds > -5) return "just now";
  // A time to come is never now: `in 1 second` at least.
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

/** Parts of the page that are read again now and then, all by one request; each is found again by its id. */
const areas = [...document.querySelectorAll("[data-live]")];
// While a dialog asks, the form that it asks about stays.
const isUntouched = (area) =>
  !area.contains(document.activeElement) &&
  area.querySelector("details[open]") === null &&
  document.querySelector("dialog[open]") === null;

async function refresh() {
  if (document.hidden || !areas.some(isUntouched)) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  // Looked at again: a reader may have begun meanwhile.
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
