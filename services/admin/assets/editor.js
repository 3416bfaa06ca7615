import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

/** The template editor: highlighting, and the preview with every fault at its place as one types. */

const PREVIEW_AFTER_MS = 250;
const form = document.getElementById("template-form");
const byId = (id) => document.getElementById(id);
const field = (name) => form.elements.namedItem(name);
/** What holds of the chosen channel: its content, and whether it is sent or published. */
const allTraits = JSON.parse(form.dataset.traits);
const is = (trait) => allTraits[field("channel").value].includes(trait);

const tagMarks = new MatchDecorator({
  regexp: /\{\{[^{}]*\}\}/g,
  decoration: Decoration.mark({ class: "tok-tag" }),
});
const tags = ViewPlugin.define(
  (view) => ({
    marks: tagMarks.createDeco(view),
    update(update) {
      this.marks = tagMarks.updateDeco(update, this.marks);
    },
  }),
  { decorations: (plugin) => plugin.marks },
);

const theme = EditorView.theme({
  "&": { color: "var(--ink)", maxHeight: "520px", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", minHeight: "160px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "10px 0" },
  ".cm-gutters": { background: "var(--sunk)", color: "var(--soft)", border: "0" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      background: "light-dark(#cfe5dd, #2a4a41)",
    },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".tok-typeName, .tok-keyword": { color: "light-dark(#1d5fa8, #86bdf5)" },
  ".tok-propertyName": { color: "light-dark(#7a4a00, #e3bd7b)" },
  ".tok-string, .tok-string2": { color: "light-dark(#1c6a45, #8fd6ae)" },
  ".tok-comment, .tok-meta": { color: "var(--soft)" },
  ".tok-tag, .tok-tag *": {
    color: "light-dark(#8a2465, #f0a3d2)",
    background: "light-dark(#faeaf4, #3a2233)",
    borderRadius: "4px",
  },
  ".cm-tooltip": {
    background: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
  },
});

const language = new Compartment();
const languageOf = () => (is("email") ? html({ matchClosingTags: false }) : []);
const source = field("content");
const host = document.createElement("div");
host.className = "editor";
source.after(host);
source.hidden = true;
// In a shadow root its styles are sheets of script, which need no leave of the content policy.
const root = host.attachShadow({ mode: "open" });
const editor = new EditorView({
  parent: root,
  root,
  state: EditorState.create({
    doc: source.value,
    extensions: [
      lineNumbers(),
      history(),
      EditorView.lineWrapping,
      // Tab goes on to the next field: nobody is caught in here.
      keymap.of([...defaultKeymap, ...historyKeymap]),
      syntaxHighlighting(classHighlighter),
      language.of(languageOf()),
      tags,
      theme,
      EditorView.contentAttributes.of({ "aria-label": "Content", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        source.value = update.state.doc.toString();
        later();
      }),
    ],
  }),
});
document
  .querySelector(`label[for="${source.id}"]`)
  ?.addEventListener("click", () => editor.focus());

let timer;
/** One preview is asked for at a time; what was typed meanwhile is shown by the next one. */
let isAsking = false;
let isStale = false;
function later() {
  clearTimeout(timer);
  timer = setTimeout(preview, PREVIEW_AFTER_MS);
}

async function preview() {
  isStale = isAsking;
  if (isAsking) return;
  isAsking = true;
  try {
    show(await askPreview());
  } catch {
    // Without a connection: the next edit asks again.
  } finally {
    isAsking = false;
    if (isStale) later();
  }
}

/** Undefined where the server did not answer with a preview. */
async function askPreview() {
  const answer = await fetch(form.dataset.preview, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
  });
  return answer.ok ? await answer.json() : undefined;
}

function show(checked) {
  if (checked === undefined || isStale) return;
  const faults = checked.ok ? [] : [...checked.faults];
  if (checked.sampleFault) faults.push(checked.sampleFault);
  showFaults("faults", faults);
  showFaults("warnings", checked.ok ? checked.warnings : []);
  markFaults([...faults, ...(checked.warnings ?? [])]);
  if (checked.ok) showPreview(checked);
}

function showFaults(id, faults) {
  const names = {
    content: "Content",
    subject: "Subject",
    title: "Title",
    sampleVariables: "Sample values",
  };
  const list = byId(id);
  list.hidden = faults.length === 0;
  list.replaceChildren(
    ...faults.map(({ field: name, line, column, message }) => {
      const item = document.createElement("li");
      const place = line && id === "warnings" ? `line ${line}, column ${column}: ` : "";
      item.textContent = `${names[name] ?? name}, ${place}${message}`;
      return item;
    }),
  );
}

/** Underlines what is wrong in the text. */
function markFaults(faults) {
  const { doc } = editor.state;
  const diagnostics = faults
    .filter(({ field: name, line }) => name === "content" && line && line <= doc.lines)
    .map(({ line, column, message }) => {
      const from = Math.min(doc.line(line).from + column - 1, doc.line(line).to);
      return { from, to: Math.min(from + 1, doc.length), severity: "error", message };
    });
  editor.dispatch(setDiagnostics(editor.state, diagnostics));
}

let mail;
const frame = byId("preview-frame");
addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.data !== "ready") return;
  showMail();
});
// Whichever of the two is there last: the frame asks when it is ready, and gets what is new.
function showMail() {
  // To whoever is in the frame: it has no origin to name.
  if (mail !== undefined) frame.contentWindow.postMessage({ html: mail }, "*");
}

function showPreview({ preview: shown, variables }) {
  for (const stage of document.querySelectorAll(".stage")) {
    stage.hidden = stage.id !== `stage-${shown.kind}`;
  }
  const subject = byId("preview-subject");
  subject.hidden = shown.kind !== "email";
  let note = "";
  if (shown.kind === "email") {
    subject.textContent = shown.subject;
    mail = shown.html;
    showMail();
  } else if (shown.kind === "text") {
    byId("preview-text").textContent = shown.text;
    note = `${shown.segments} segment${shown.segments === 1 ? "" : "s"}, ${shown.encoding}`;
  } else {
    byId("preview-title").textContent = shown.title;
    byId("preview-body").textContent = shown.body;
    note = "As the browser shows it.";
  }
  byId("preview-note").textContent = note;
  byId("variables-title").hidden = variables.length === 0;
  byId("variables").replaceChildren(
    ...variables.map(({ name, filled }) => {
      const item = document.createElement("li");
      const isMissing = !filled;
      item.textContent = isMissing ? `${name} (no sample)` : name;
      item.className = isMissing ? "missing" : "";
      return item;
    }),
  );
}

form.addEventListener("input", later);
field("channel").addEventListener?.("change", () => {
  for (const part of form.querySelectorAll("[data-only]")) {
    part.hidden = !is(part.dataset.only);
  }
  editor.dispatch({ effects: language.reconfigure(languageOf()) });
  later();
});
for (const button of form.querySelectorAll("[data-width]")) {
  button.addEventListener("click", () => {
    for (const one of form.querySelectorAll("[data-width]")) {
      one.setAttribute("aria-pressed", String(one === button));
    }
    byId("stage-email").classList.toggle("phone", button.dataset.width === "phone");
  });
}
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
await preview();
