/**
 * Shows a small dialog with text fields. Resolves with the typed values by name, or undefined if it was cancelled. If
 * `check` returns a fault (a text, or a promise of one), the dialog stays open and shows it.
 */
export function ask({ title, button = "Insert", fields, hint, check = () => undefined }) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "ask-title");
  const form = document.createElement("form");
  form.method = "dialog";
  const heading = document.createElement("h2");
  heading.id = "ask-title";
  heading.textContent = title;
  form.append(heading);
  fields.forEach(({ name, label, value = "", placeholder = "", suggestions = [] }, index) => {
    const field = document.createElement("div");
    field.className = "field";
    const caption = document.createElement("label");
    const input = document.createElement("input");
    input.id = `ask-${index}`;
    input.name = name;
    input.value = value;
    input.placeholder = placeholder;
    input.required = true;
    input.autocomplete = "off";
    caption.htmlFor = input.id;
    caption.textContent = label;
    field.append(caption, input);
    if (suggestions.length > 0)
      field.append(chips(suggestions, input, fields.length === 1 && form));
    form.append(field);
  });
  if (hint) {
    const line = document.createElement("p");
    line.className = "soft small";
    line.textContent = hint;
    form.append(line);
  }
  const fault = document.createElement("p");
  fault.id = "ask-fault";
  fault.className = "fault";
  fault.setAttribute("role", "alert");
  form.append(fault);
  const row = document.createElement("div");
  row.className = "row";
  const cancel = makeButton("Cancel", "plain");
  cancel.addEventListener("click", () => dialog.close());
  const go = makeButton(button, "primary");
  go.type = "submit";
  go.value = "yes";
  row.append(cancel, go);
  form.append(row);
  dialog.append(form);
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
  const list = document.createElement("ul");
  list.className = "chips";
  for (const name of names) {
    const item = document.createElement("li");
    const button = makeButton(name, "chip");
    button.addEventListener("click", () => {
      input.value = name;
      if (form) form.requestSubmit(form.querySelector("button.primary"));
      else input.focus();
    });
    item.append(button);
    list.append(item);
  }
  return list;
}

function makeButton(text, className) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = className;
  button.textContent = text;
  return button;
}
