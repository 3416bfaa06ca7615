import { element, makeButton } from "./element.js";

/**
 * Shows a small dialog with text fields. Resolves with the typed values by name, or undefined if it was cancelled. If
 * `check` returns a fault (a text, or a promise of one), the dialog stays open and shows it.
 */
export function ask({ title, button = "Insert", fields, hint, check = () => undefined }) {
  const heading = element("h2", { id: "ask-title", textContent: title });
  const form = element("form", { method: "dialog" }, heading);
  fields.forEach(({ name, label, value = "", placeholder = "", suggestions = [] }, index) => {
    const id = `ask-${index}`;
    const input = element("input", { id, name, value, placeholder, required: true });
    input.autocomplete = "off";
    const caption = element("label", { htmlFor: id, textContent: label });
    const field = element("div", { className: "field" }, caption, input);
    if (suggestions.length > 0)
      field.append(chips(suggestions, input, fields.length === 1 && form));
    form.append(field);
  });
  if (hint) form.append(element("p", { className: "soft small", textContent: hint }));
  const fault = element("p", { id: "ask-fault", className: "fault", role: "alert" });
  const cancel = makeButton("Cancel", () => dialog.close(), "plain");
  const go = element("button", { className: "primary", value: "yes", textContent: button });
  form.append(fault, element("div", { className: "row" }, cancel, go));
  const dialog = element("dialog", {}, form);
  dialog.setAttribute("aria-labelledby", heading.id);
  document.body.append(dialog);
  dialog.showModal();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.textContent = (await check(Object.fromEntries(new FormData(form)))) ?? "";
    if (fault.textContent === "") dialog.close("yes");
  });
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const values = Object.fromEntries(new FormData(form));
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? values : undefined);
    });
  });
}

/** Shows names to choose from. If the form has nothing else to fill in, choosing one submits it. */
function chips(names, input, form) {
  const items = names.map((name) => {
    const choose = () => {
      input.value = name;
      if (form) form.requestSubmit(form.querySelector("button.primary"));
      else input.focus();
    };
    return element("li", {}, makeButton(name, choose, "chip"));
  });
  return element("ul", { className: "chips" }, ...items);
}
