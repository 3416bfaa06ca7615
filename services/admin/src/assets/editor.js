import { createCodeField } from "./code-field.js";
import { createDraft } from "./draft.js";
import { showFieldFaults, wireDigestLoss } from "./field-faults.js";
import { createPreview, wireChoice } from "./live-preview.js";
import { createSampleValues } from "./sample-values.js";
import { createToolbar } from "./toolbar.js";

/** The template editor: text with its toolbar, values, preview, draft and test, each in a module of its own. */

const form = document.getElementById("template-form");
const byId = (id) => document.getElementById(id);
const field = (name) => form.elements.namedItem(name);
/** Of a mail: how it is written. */
const format = () => field("format")?.value ?? "text";
const isMarkdown = () => format() === "markdown";
const mayEdit = form.dataset.mayEdit === "true";

let preview;
let draft;
const changed = () => {
  preview?.later();
  draft?.changed();
};

let toolbar;
const run = (name) => () => {
  if (!isMarkdown()) return false;
  toolbar.actions[name]();
  return true;
};
const code = createCodeField(field("content"), {
  ...{ label: "Content", format: format(), onChange: changed },
  keys: mayEdit
    ? [
        { key: "Mod-b", run: run("bold") },
        { key: "Mod-i", run: run("italic") },
      ]
    : [],
});

const samples = createSampleValues({
  host: byId("values"),
  area: field("sampleVariables"),
  others: byId("other-values"),
  onChange: changed,
  onInsert: (name, value) => toolbar.insertVariable(name, value),
});
const bar = byId("toolbar");
if (bar) toolbar = createToolbar(bar, code.view, { names: () => samples.names(), isMarkdown });

preview = createPreview({
  form,
  onChecked(checked, faults) {
    if (mayEdit) showFieldFaults(form, checked.settingFaults);
    const all = [...faults, ...(checked.warnings ?? [])];
    code.markFaults(all.filter(({ field: name }) => name === "content"));
    if (checked.variables) samples.show(checked.variables);
    const count = byId("values-none");
    if (checked.variables) count.hidden = checked.variables.length > 0;
  },
});

if (mayEdit) {
  draft = createDraft({
    ...{ form, state: byId("draft-state"), isHeld: form.dataset.held === "true" },
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
      // Shown by the server, beside its field.
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
    toolbar?.showFor();
  }
  changed();
});

wireDigestLoss();
const insertEvents = byId("insert-events");
if (insertEvents) {
  insertEvents.hidden = false;
  insertEvents.addEventListener("click", () => {
    toolbar.insertVariable("$items", samples.events());
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

// On a phone one part is seen at a time.
wireChoice(form, "pane", (pane) => {
  form.dataset.shows = pane;
});
await preview.ask();
