/**
 * The command palette (Ctrl+K or Cmd+K). It opens a page of the navigation by a few letters of the page's name, or
 * searches for the typed text. `?` lists the shortcuts, `/` moves to the search field.
 */

const palette = document.getElementById("palette");
const shortcuts = document.getElementById("shortcuts");
const field = palette?.querySelector("input");
const list = palette?.querySelector("ul");
const find = document.querySelector("form.find");

function show(text) {
  const wanted = text.trim().toLowerCase();
  const links = [...document.querySelectorAll(".side nav a, .side a.who, .head .actions a")];
  const found = links.filter((link) => link.textContent.trim().toLowerCase().includes(wanted));
  const entries = found.slice(0, 12).map((link) => [link.textContent.trim(), link.href]);
  if (find !== null && wanted !== "") {
    const query = new URLSearchParams({ q: text.trim() });
    entries.push([`Search for “${text.trim()}”`, `${find.action}?${query}`]);
  }
  list.replaceChildren(
    ...entries.map(([name, href]) => {
      const link = Object.assign(document.createElement("a"), { href, textContent: name });
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
}

/** Moves the focus by some steps among the field and the entries. */
function move(by) {
  const places = [field, ...list.querySelectorAll("a")];
  const at = places.indexOf(document.activeElement);
  places[(Math.max(at, 0) + by + places.length) % places.length].focus();
}

const isTyping = (target) => target.closest("input,textarea,select,[contenteditable]") !== null;

document.addEventListener("keydown", (event) => {
  if (palette === null) return;
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    // In an editor, Ctrl+K is a key of the editor.
    if (!palette.open && event.target.closest("textarea, [contenteditable]") !== null) return;
    event.preventDefault();
    if (palette.open) return palette.close();
    field.value = "";
    show("");
    palette.showModal();
    return;
  }
  if (palette.open) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && document.activeElement === field) {
      event.preventDefault();
      list.querySelector("a")?.click();
    }
    return;
  }
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isPlain || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") shortcuts.showModal();
  if (event.key === "/" && find !== null) {
    event.preventDefault();
    find.elements.q.focus();
  }
});
field?.addEventListener("input", () => show(field.value));
