import { textEdits } from "./text-edits.js";
import { createVisualEditor } from "./visual-editor.js";
import { createVisualLine } from "./visual-line.js";

/**
 * Switches between the visual editor and the text editor. Only a simple mail can use the visual one. Both fill `area`.
 */

const byId = (id) => document.getElementById(id);

/** The menu of the visual editor: labels and their actions. */
const MENU = [
  ["Heading", (edits) => edits.heading(1)],
  ["Smaller heading", (edits) => edits.heading(2)],
  ["List", (edits) => edits.list()],
  ["Numbered list", (edits) => edits.numbers()],
  ["Quotation", (edits) => edits.quote()],
  ["Line", (edits) => edits.divider()],
  ["Text behind the subject", (edits) => edits.preheader()],
];
const ASKED = [
  ["Button …", "button"],
  ["Image …", "image"],
  ["Variable …", "variable"],
  ["If …", "condition"],
  ["For each …", "loop"],
];

/** Shows the names of the parts that pasting left out, until something else is pasted. */
function showLeftOut(names) {
  byId("visual-pasted").hidden = names.length === 0;
  for (const part of byId("visual-pasted").querySelectorAll("[data-left-out]")) {
    part.hidden = !names.includes(part.dataset.leftOut);
  }
}

export function createWritingMode(options) {
  const { area, code, isMarkdown, actions, names, edit, onChange, onSwitch } = options;
  const host = document.createElement("div");
  host.className = "visual";
  host.dir = area.dir;
  code.host.after(host);
  const visual = createVisualEditor(area, {
    host,
    label: "Content",
    help: "visual-help",
    edit,
    onChange,
    onPasted: showLeftOut,
    entries: () => [
      ...MENU.map(([label, act]) => ({ label, run: () => act(visual.edits) })),
      ...ASKED.map(([label, name]) => ({ label, run: () => actions[name]() })),
      ...names().map(({ name }) => ({ label: name, run: () => visual.edits.variable(name) })),
    ],
  });
  const { subject: input } = area.form.elements;
  const subject = input && createVisualLine(input, { label: "Subject", names, edit, onChange });
  const edits = textEdits(code.view, isMarkdown);
  const choice = byId("writing-mode");
  const buttons = [...choice.querySelectorAll("button")];
  let isVisual = false;
  let wantsText = false;

  const show = () => {
    const reason = isMarkdown() && !wantsText ? visual.open() : undefined;
    isVisual = isMarkdown() && !wantsText && reason === undefined;
    if (!isVisual) code.open();
    code.host.hidden = isVisual;
    host.hidden = !isVisual;
    subject?.show(isVisual);
    choice.hidden = !isMarkdown();
    byId("visual-help").hidden = !isVisual || area.readOnly;
    const told = byId("visual-reason");
    told.hidden = reason === undefined;
    told.querySelector("span").textContent = reason ?? "";
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String((button.dataset.mode === "visual") === isVisual));
    }
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      wantsText = button.dataset.mode === "text";
      show();
      onSwitch();
    });
  }
  document.querySelector(`label[for="${area.id}"]`)?.addEventListener("click", () => {
    if (isVisual) visual.focus();
    else code.view.focus();
  });
  show();
  return {
    show,
    edits: () => (isVisual ? visual.edits : edits),
    /** Returns the place of a fault, such as `, line 3`; empty if the mode does not show lines. */
    place: ({ line }) => (isVisual ? "" : `, line ${line}`),
    goTo: (line) => (isVisual ? visual : code).goTo(line),
    markFaults(faults) {
      if (isVisual) visual.markFaults(faults);
      else code.markFaults(faults);
    },
  };
}
