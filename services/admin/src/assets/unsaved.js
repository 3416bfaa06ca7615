/**
 * Asks before a person leaves a page with unsaved text. A form that saves by itself has `data-keeps`; a form that edits
 * nothing, such as a test, has `data-passing`.
 */

const forms = [
  ...document.querySelectorAll(
    "body.frame main form[method=post]:not([data-keeps]):not([data-passing])",
  ),
];
const touched = new Set();
let leaving;

/** Returns the form that the server refused. Its values are only in the page. */
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
    // The form was sent before, but the page stayed open.
    if (form === leaving) leaving = undefined;
  });
}
// Listens on the window, so that it runs after other listeners that may prevent the form from being sent.
addEventListener("submit", (event) => {
  if (!event.defaultPrevented) leaving = event.target;
});
addEventListener("beforeunload", (event) => {
  if (forms.some(isUnsaved)) event.preventDefault();
});
