/**
 * A page that imports lines. A chosen file's text is put into the field, where a person can see it before it is sent.
 * The lines are imported in shares, and the page shows the progress. Each request contains all lines, so that a faulty
 * line makes the server refuse all of them.
 */

const MOST_BYTES = 500_000;
/** Maximum number of shares. It is small, because each request sends the whole text again. */
const MOST_SHARES = 10;
const SHARE_CHARACTERS = 25_000;
const byId = (id) => document.getElementById(id);
const file = byId("file");
const note = byId("file-note");
const lines = byId("lines");
const form = lines.form;
const state = byId("import-state");
const bar = byId("import-bar");
const faulty = byId("import-faults");
const format = new Intl.NumberFormat(document.documentElement.lang);

byId("file-field").hidden = false;
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

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button[type=submit]");
  const body = new URLSearchParams(new FormData(form));
  const parts = Math.min(MOST_SHARES, Math.ceil(lines.value.length / SHARE_CHARACTERS));
  const sums = {};
  let of = 0;
  // Hides the messages about an earlier import.
  for (const told of document.querySelectorAll("[data-told]")) told.hidden = true;
  faulty.hidden = true;
  button.disabled = true;
  state.textContent = "Reading the lines …";
  bar.hidden = false;
  bar.removeAttribute("value");
  try {
    for (let part = 1; part <= parts; part += 1) {
      body.set("part", part);
      body.set("parts", parts);
      const answer = await fetch(form.action, {
        method: "POST",
        body,
        headers: { accept: "application/json" },
        redirect: "manual",
      });
      const result = answer.ok || answer.status === 422 ? await answer.json() : {};
      if (result.faults && !answer.ok) {
        showFaults(result.faults, part > 1);
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      add(sums, result);
      of = result.lines;
      bar.value = part / parts;
      const done = Math.floor((of * part) / parts);
      state.textContent = `${format.format(done)} of ${format.format(of)} lines …`;
    }
    showOutcome(sums, of);
    lines.defaultValue = "";
    form.reset();
  } catch {
    state.textContent = `It stopped after ${format.format(Math.floor(of * (bar.value || 0)))} lines: the server could not be reached, or you are signed out. Import the same lines again: those that are done stay as they are.`;
  } finally {
    button.disabled = false;
    bar.hidden = true;
  }
});

/** Adds a share's counts to the sums. Values that are the same for all shares are not added up. */
function add(sums, { lines: _, repeated, leftOut, faults, ignoredColumns, ...counts }) {
  Object.assign(sums, { repeated, leftOut, faults, ignoredColumns });
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

function showOutcome(sums, of) {
  const { turnedOff, alreadyOff, added, alreadyThere, repeated, leftOut, faults = [] } = sums;
  const columns = (sums.ignoredColumns ?? []).map(({ column, suggestion }) => {
    const name = column || "–";
    return suggestion === null ? name : `${name} (did you mean ${suggestion}?)`;
  });
  const said = (number) => format.format(number);
  const told = [`Done. Lines: ${said(of)}.`];
  if (turnedOff !== undefined) told.push(`Newly turned off: ${said(turnedOff)}.`);
  if (alreadyOff) told.push(`Already off: ${said(alreadyOff)}.`);
  if (added !== undefined) told.push(`Added: ${said(added)}.`);
  if (alreadyThere) told.push(`Already suppressed: ${said(alreadyThere)}.`);
  if (repeated) told.push(`Duplicates: ${said(repeated)}.`);
  if (leftOut) told.push(`Left out: ${said(leftOut)}.`);
  if (columns.length > 0) told.push(`These columns are not read: ${columns.join(", ")}`);
  state.textContent = told.join(" ");
  if (faults.length > 0) list(faults, "These lines have errors:");
}

function showFaults(faults, isBegun) {
  state.textContent = "";
  list(
    faults,
    isBegun
      ? "It stopped, because these lines are no longer right:"
      : "Nothing was imported. Fix these lines and try again:",
  );
  // Offers to skip faulty lines once there is one.
  const skipping = byId("skipping");
  if (skipping) skipping.hidden = false;
}

function list(faults, words) {
  faulty.querySelector("p").textContent = words;
  faulty
    .querySelector("ul")
    .replaceChildren(
      ...faults.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
    );
  faulty.hidden = false;
}
