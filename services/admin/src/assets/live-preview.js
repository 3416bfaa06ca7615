/** Shows, while a person types, the message that would be sent, and every fault with its place. */

import { element, makeButton } from "./element.js";

const PREVIEW_AFTER_MS = 250;
/** Wait before another try if the server failed: the person may type nothing more that would start one. */
const ASK_AGAIN_AFTER_MS = 3_000;
const NAMES = {
  content: "Content",
  subject: "Subject",
  title: "Title",
  sampleVariables: "Sample values",
  url: "Address",
  actions: "Actions",
  layout: "Design",
  variables: "Variables",
  links: "Leads nowhere",
};
const byId = (id) => document.getElementById(id);

/**
 * `bodyOf` returns the body of a request; default: the form. `onChecked` gets each answer, `{ok, faults, warnings,
 * preview, variables, sampleFault}`, and all faults. `place` returns the place of a content fault as text, in the
 * editor's terms, and `goTo` moves to its line.
 */
export function createPreview({
  form,
  address = form.dataset.preview,
  bodyOf = () => new FormData(form),
  onChecked = () => {},
  ...at
}) {
  const mail = mailFrame(byId("preview-frame"));
  let timer;
  /** Only one request runs at a time. The next one shows the text that was typed meanwhile. */
  let isAsking = false;
  let isStale = false;
  let hasShown = false;

  const later = (ms = PREVIEW_AFTER_MS) => {
    clearTimeout(timer);
    timer = setTimeout(ask, ms);
  };
  const ask = async () => {
    isStale = isAsking;
    if (isAsking) return;
    isAsking = true;
    let isAnswered = false;
    try {
      const body = new URLSearchParams(bodyOf());
      const answer = await fetch(address, { method: "POST", body });
      const checked = answer.ok ? await answer.json() : undefined;
      isAnswered = answer.status < 500;
      if (checked !== undefined) show(checked);
    } catch {
      // There is no connection.
    } finally {
      isAsking = false;
      if (isStale) later();
      else if (!isAnswered) later(ASK_AGAIN_AFTER_MS);
    }
  };
  const show = (checked) => {
    if (isStale) return;
    const faults = checked.ok ? [] : [...checked.faults];
    if (checked.sampleFault) faults.push(checked.sampleFault);
    showFaults("faults", faults, at);
    showFaults("warnings", checked.ok ? warningsOf(checked) : [], at);
    if (checked.ok) showPreview(checked.preview, mail);
    hasShown ||= checked.ok;
    showStale(!checked.ok && checked.faults.length > 0, hasShown);
    onChecked(checked, faults);
  };

  wireChoice(form, "width", (width) => {
    byId("stage-email").classList.toggle("phone", width === "phone");
    byId("stage-email").classList.toggle("as-text", width === "text");
  });
  return { later, ask };
}

/** Returns the warnings about the text, and about links that are left out with the current values. */
function warningsOf({ warnings = [], preview: { linksLeftOut = [] } }) {
  const links = linksLeftOut.map((message) => ({ field: "links", message }));
  return [...warnings, ...links];
}

/** Returns a fault's message without its place, which the server may have put before it. */
export function faultWords({ line, column, message }) {
  const place = `line ${line}, column ${column}: `;
  return message.startsWith(place) ? message.slice(place.length) : message;
}

function showFaults(id, faults, { place = () => "", goTo }) {
  const list = byId(id);
  list.hidden = faults.length === 0;
  list.replaceChildren(
    ...faults.map((fault) => {
      const { field, line } = fault;
      const item = document.createElement("li");
      const isPlaced = field === "content" && line > 0;
      const name = NAMES[field] ?? field;
      if (field === "") item.textContent = `${faultWords(fault)} `;
      else {
        const where = isPlaced ? name + place(fault) : name;
        item.textContent = `${where}: ${faultWords(fault)} `;
      }
      if (isPlaced && goTo) {
        item.append(makeButton("Show", () => goTo(line)));
      }
      return item;
    }),
  );
}

/** Shows a note if the preview is not of the current text: either an older one, or none at all (`hasShown`). */
function showStale(isStale, hasShown) {
  for (const [id, isMeant] of [
    ["preview-stale", hasShown],
    ["preview-none", !hasShown],
  ]) {
    const note = byId(id);
    if (note) note.hidden = !(isStale && isMeant);
  }
  byId("preview-note")?.parentElement.classList.toggle("is-stale", isStale);
}

/** Shows a text with its unfilled parts marked. The server splits the text into `parts`. */
function setMarked(place, parts) {
  place.replaceChildren(
    ...parts.map(({ text, unfilled }) => {
      if (!unfilled) return document.createTextNode(text);
      return element("mark", { className: "unfilled", title: "no value", textContent: text });
    }),
  );
}

/** Shows a preview in the stages of `preview-stages.eta`. */
export function showPreview(shown, mail) {
  for (const stage of document.querySelectorAll(".stage")) {
    stage.hidden = stage.id !== `stage-${shown.kind === "chat" ? "text" : shown.kind}`;
  }
  const subject = byId("preview-subject");
  if (subject) subject.hidden = shown.kind !== "email";
  let note = "";
  if (shown.kind === "email") {
    if (subject) setMarked(subject, shown.subject);
    const text = byId("preview-text-part");
    if (text) setMarked(text, shown.text);
    mail.show(shown.html);
  } else if (shown.kind === "chat") {
    setMarked(byId("preview-text"), shown.text);
    note = "Without its marks. Each chat shows them in its own way.";
  } else if (shown.kind === "text") {
    setMarked(byId("preview-text"), shown.text);
    const { characters, segments, encoding } = shown;
    note = `${characters} characters, ${segments} segments, ${encoding}`;
    if (segments === 1) note = `${characters} characters, ${segments} segment, ${encoding}`;
    if (characters === 1) note = `${characters} character, ${segments} segment, ${encoding}`;
    if (encoding !== "GSM-7") {
      note = `${note}: a character outside of GSM-7 makes the segments shorter`;
    }
  } else {
    setMarked(byId("preview-title"), shown.title);
    setMarked(byId("preview-body"), shown.body);
    showLinks(shown);
    note = "As the browser shows it.";
  }
  byId("preview-note").textContent = note;
}

function showLinks({ url, actions = [] }) {
  const line = byId("preview-url");
  line.hidden = !url;
  line.textContent = url ? `opens ${url}` : "";
  const list = byId("preview-actions");
  list.replaceChildren(
    ...actions.map(({ label, url: title }) =>
      element("span", { className: "toast-action", textContent: label, title }),
    ),
  );
}

/** Shows mails in the frame. The frame may load after the mail: it reports when it is ready, and then gets the mail. */
export function mailFrame(frame) {
  let html;
  const post = () => {
    // The target is "*", because the sandboxed frame has no origin.
    if (html !== undefined) frame.contentWindow.postMessage({ html }, "*");
  };
  addEventListener("message", (event) => {
    if (event.source === frame?.contentWindow && event.data === "ready") post();
  });
  return {
    show(next) {
      if (next === html) return;
      html = next;
      post();
    },
  };
}

/** Connects buttons of which one is pressed at a time. `data-<name>` has the value of each. */
export function wireChoice(root, name, onChoose) {
  const all = [...root.querySelectorAll(`[data-${name}]`)].filter(
    (one) => one.tagName === "BUTTON",
  );
  for (const button of all) {
    button.addEventListener("click", () => {
      for (const one of all) one.setAttribute("aria-pressed", String(one === button));
      onChoose(button.dataset[name]);
    });
  }
}
