/** The template editor. Connects its parts: text, toolbar, sample values, preview, draft and test. */

import { createCodeField } from "./code-field.js";
import { createDraft } from "./draft.js";
import { showFieldFaults, wireDigestLoss } from "./field-faults.js";
import { insertDialogs } from "./insert-dialogs.js";
import { createPreview, faultWords, wireChoice } from "./live-preview.js";
import { createSampleValues } from "./sample-values.js";
import { createActions, createToolbar, insertVariable } from "./toolbar.js";
import { createWritingMode } from "./writing-mode.js";

const form = document.getElementById("template-form");
const byId = (id) => document.getElementById(id);
const field = (name) => form.elements.namedItem(name);
/** Returns a mail's format; `text` if the form has no field for it. */
const format = () => field("format")?.value ?? "text";
const isMarkdown = () => format() === "markdown";
const mayEdit = form.dataset.mayEdit === "true";

let preview;
let draft;
const changed = () => {
  preview?.later();
  draft?.changed();
};

const area = field("content");
let samples;
const names = () => samples?.names() ?? [];
/** Returns the faults that saving would report for a text. */
const check = async (text) => {
  const body = new URLSearchParams(new FormData(form));
  body.set("content", text);
  if (body.has("format") && !isMarkdown()) body.set("format", "text");
  const answer = await fetch(form.dataset.preview, { method: "POST", body }).catch(() => undefined);
  const { ok, faults } = answer?.ok ? await answer.json() : { ok: true };
  const fault = ok ? undefined : faults.find(({ field: name }) => name === "content");
  return fault && faultWords(fault);
};
const dialogs = insertDialogs({ names, check });
const actions = createActions(() => mode.edits(), dialogs);
const run = (name) => () => {
  if (!isMarkdown()) return false;
  actions[name]();
  return true;
};
const code = createCodeField(area, {
  label: "Content",
  format: format(),
  names,
  filters: JSON.parse(area.dataset.filters),
  onChange: changed,
  keys: mayEdit
    ? [
        { key: "Mod-b", run: run("bold") },
        { key: "Mod-i", run: run("italic") },
      ]
    : [],
});
const mode = createWritingMode({
  area,
  code,
  isMarkdown,
  actions,
  names,
  onChange: changed,
  edit: dialogs.change,
  onSwitch: () => preview?.ask(),
});

samples = createSampleValues({
  host: byId("values"),
  area: field("sampleVariables"),
  others: byId("other-values"),
  onChange: changed,
  onInsert: (name, value) => insertVariable(mode.edits(), name, value),
});
const bar = byId("toolbar");
const toolbar = bar && createToolbar(bar, { actions, isMarkdown });

preview = createPreview({
  form,
  place: (fault) => mode.place(fault),
  goTo(line) {
    form.querySelector('[data-pane="write"]').click();
    mode.goTo(line);
  },
  onChecked(checked, faults) {
    if (mayEdit) showFieldFaults(form, checked.settingFaults);
    // Before the faults are marked: marking redraws the `/` menu, which lists these variables.
    if (checked.variables) samples.show(checked.variables);
    const all = [...faults, ...(checked.warnings ?? [])];
    const ofContent = all.filter(({ field: name }) => name === "content");
    mode.markFaults(ofContent.map((fault) => ({ ...fault, message: faultWords(fault) })));
    const count = byId("values-none");
    if (checked.variables) count.hidden = checked.variables.length > 0;
  },
});

if (mayEdit) {
  draft = createDraft({
    form,
    state: byId("draft-state"),
    isHeld: form.dataset.held === "true",
    onSaved({ revision }) {
      field("revision").value = revision;
    },
    onConflict({ by }) {
      byId("draft-conflict").hidden = false;
      byId("draft-conflict-by").textContent = by ?? "Somebody";
      byId("draft-compare").focus();
    },
  });
  byId("draft-compare").addEventListener("click", () => {
    draft.stop();
    form.submit();
  });
  form.addEventListener("submit", async (event) => {
    if (draft.isStopped()) return;
    event.preventDefault();
    const { submitter } = event;
    if (!(await draft.flush())) {
      // The server shows the fault beside its field.
      draft.stop();
      form.submit();
      return;
    }
    location.assign(submitter?.value === "publish" ? form.dataset.publish : form.action);
  });
}

form.addEventListener("input", changed);
form.addEventListener("change", (event) => {
  if (event.target.name === "format") {
    code.setFormat(format());
    mode.show();
    toolbar?.showFor();
  }
  changed();
});

wireDigestLoss();
const insertEvents = byId("insert-events");
if (insertEvents) {
  insertEvents.hidden = false;
  insertEvents.addEventListener("click", () => {
    insertVariable(mode.edits(), "$items", samples.events());
  });
}

byId("use-event")?.addEventListener("click", async () => {
  const answer = await fetch(form.dataset.sample);
  if (!answer.ok) return;
  byId("samples-of").value = "event";
  byId("of-event").hidden = false;
  samples.replace((await answer.json()).variables);
});

byId("send-test")?.addEventListener("click", async () => {
  const answer = byId("test-answer");
  answer.textContent = "Sending …";
  const response = await fetch(form.dataset.test, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
  });
  const told = await response.json().catch(() => ({ ok: false, text: "It could not be sent." }));
  answer.textContent = told.ok ? `Sent. ${told.text}` : `Not sent: ${told.text}`;
});

// On a phone, only one part is visible at a time.
wireChoice(form, "pane", (pane) => {
  form.dataset.shows = pane;
});
await preview.ask();
