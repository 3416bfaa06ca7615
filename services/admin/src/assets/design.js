/** The page of a tenant's design: previews a sample mail while a person types, and has a picker beside each colour. */

import { chooseImage } from "./image-picker.js";
import { createPreview, wireChoice } from "./live-preview.js";

const form = document.getElementById("design-form");
const preview = createPreview({ form });
form.addEventListener("input", (event) => {
  const { swatch } = event.target.dataset;
  if (swatch) form.elements.namedItem(swatch).value = event.target.value;
  preview.later();
});
for (const picker of form.querySelectorAll("[data-swatch]")) {
  const field = form.elements.namedItem(picker.dataset.swatch);
  const show = () => {
    const shown = field.value.trim() || field.placeholder;
    if (/^#[0-9a-f]{6}$/i.test(shown)) picker.value = shown;
  };
  field.addEventListener("input", show);
  show();
}
const chooseLogo = document.getElementById("choose-logo");
if (chooseLogo) {
  chooseLogo.hidden = false;
  chooseLogo.addEventListener("click", async () => {
    const address = await chooseImage();
    if (address === undefined) return;
    form.elements.namedItem("logoUrl").value = address;
    preview.later();
  });
}
wireChoice(form, "pane", (pane) => {
  form.dataset.shows = pane;
});
await preview.ask();
