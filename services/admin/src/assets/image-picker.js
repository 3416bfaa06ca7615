/** A dialog in which a person chooses one of the tenant's images, uploads one, or enters the URL of another one. */

import { element, makeButton } from "./element.js";

const MOST_BYTES = 2 * 1024 * 1024;
const TYPES = "image/png,image/jpeg,image/gif,image/webp";

/** Opens the dialog. Resolves with the image's URL, or undefined if the dialog was cancelled. */
export function chooseImage() {
  const images = `${/^\/tenants\/[^/]+/.exec(location.pathname)}/images`;
  const list = element("ul", { className: "image-choices" });
  const note = element("p", { className: "small", role: "status" });
  const file = element("input", { type: "file", accept: TYPES, id: "image-picker-file" });
  const address = element("input", {
    type: "url",
    id: "image-picker-address",
    placeholder: "https://…",
    autocomplete: "off",
  });
  const use = element("button", { type: "submit", className: "primary", textContent: "Use it" });
  const cancel = makeButton("Cancel", () => dialog.close(), "plain");
  const row = element("div", { className: "row" }, cancel, use);
  const title = element("h2", { id: "image-picker-title", textContent: "Choose an image" });
  const upload = field("Upload one: PNG, JPEG, GIF or WebP, up to 2 MB", file);
  const other = field("or the address of another", address);
  const form = element("form", { method: "dialog" }, title, list, upload, note, other, row);
  const dialog = element("dialog", {}, form);
  dialog.setAttribute("aria-labelledby", title.id);
  document.body.append(dialog);

  const offer = ({ name, url }) => {
    const button = makeButton("", () => dialog.close(url), "plain");
    button.append(element("img", { className: "thumbnail", src: url, alt: "" }), name);
    return element("li", {}, button);
  };
  const show = async () => {
    const answer = await fetch(images);
    // The platform's own templates have no images of a tenant.
    upload.hidden = !answer.ok;
    if (answer.ok) list.replaceChildren(...(await answer.json()).images.map(offer));
  };
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) {
      note.textContent = `${chosen.name} is larger than 2 MB.`;
      return;
    }
    note.textContent = "Uploading …";
    const body = new FormData();
    body.append("_token", document.querySelector('input[name="_token"]').value);
    body.append("file", chosen);
    const headers = { accept: "application/json" };
    const answer = await fetch(images, { method: "POST", body, headers }).catch(() => undefined);
    const told = await answer?.json().catch(() => undefined);
    if (told?.image) dialog.close(told.image.url);
    else note.textContent = told?.text ?? "It could not be uploaded. Try again.";
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close(address.value.trim());
  });
  dialog.showModal();
  show().catch(() => {
    note.textContent = "The images could not be loaded.";
  });
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || undefined);
    });
  });
}

function field(label, input) {
  const caption = element("label", { htmlFor: input.id, textContent: label });
  return element("div", { className: "field" }, caption, input);
}
