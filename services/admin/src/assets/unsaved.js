/**
 * Asks before a page is left on which something was typed and not saved. A form that keeps what is typed by
 * itself says so by `data-keeps`, one that edits nothing, such as a test, by `data-passing`.
 */

const forms = [
  ...document.querySelectorAll(
    "body.frame main form[method=post]:not([data-keeps]):not([data-passing])",
  ),
];
const touched = new Set();
let leaving;

/** Returns the form that the server refused. Its values are saved nowhere but in the page. */
export function refusedForm() {
  if (document.body.dataset.answer === undefined) return undefined;
  return forms.find((form) => new URL(form.action).pathname === location.pathname);
}
const refused = refusedForm();

function isChanged(control) {
  if (!control.name || control.type === "hidden" || control.disabled) return false;
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    const byDefault = Math.max(
      0,
      options.findIndex((option) => option.defaultSelected),
    );
    return control.selectedIndex !== byDefault;
  }
  if (control.type === "checkbox" || control.type === "radio") {
    return control.checked !== control.defaultChecked;
  }
  return "defaultValue" in control && control.value !== control.defaultValue;
}

const isUnsaved = (form) =>
  form !== leaving &&
  form.isConnected &&
  (form === refused || (touched.has(form) && [...form.elements].some(isChanged)));

for (const name of ["input", "change"]) {
  document.addEventListener(name, ({ target }) => {
    const form = target.form ?? target.closest?.("form");
    if (!forms.includes(form)) return;
    touched.add(form);
    // It was sent, and the page stayed.
    if (form === leaving) leaving = undefined;
  });
}
// On the window: behind whoever holds a form back, to ask or to send it otherwise.
addEventListener("submit", (event) => {
  if (!event.defaultPrevented) leaving = event.target;
});
addEventListener("beforeunload", (event) => {
  if (forms.some(isUnsaved)) event.preventDefault();
});
