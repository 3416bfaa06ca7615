/** A page that imports: a file's text goes into the field, where it can be seen before it is sent. */

const MOST_BYTES = 500_000;
const file = document.getElementById("file");
const note = document.getElementById("file-note");
const lines = document.getElementById("lines");

document.getElementById("file-field").hidden = false;
file.addEventListener("change", async () => {
  const [chosen] = file.files;
  if (chosen === undefined) return;
  if (chosen.size > MOST_BYTES) {
    note.textContent = `The file is too large for this page: import it by ${file.dataset.command}.`;
    return;
  }
  try {
    lines.value = new TextDecoder("utf-8", { fatal: true }).decode(await chosen.arrayBuffer());
    note.textContent = `${chosen.name} is in the field below.`;
  } catch {
    note.textContent = "The file must be UTF-8.";
  }
});
