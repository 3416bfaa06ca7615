/** Turns a text area into a code editor that highlights tags and Markdown, and shows faults at their place. */

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  WidgetType,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", maxHeight: "560px", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", minHeight: "160px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "10px 0" },
  ".cm-line": { padding: "0 12px" },
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
  ".tok-block, .tok-block *": {
    color: "light-dark(#5b3aa8, #c9b3ff)",
    background: "light-dark(#f0ebfc, #2c2445)",
    borderRadius: "4px",
  },
  ".cm-fault": {
    padding: "0 12px",
    color: "var(--bad)",
    fontFamily: "system-ui, sans-serif",
    fontWeight: "550",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".md-heading": { fontWeight: "700" },
  ".md-strong": { fontWeight: "700" },
  ".md-link": { color: "light-dark(#1d5fa8, #86bdf5)" },
  ".cm-tooltip": {
    background: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
  },
});

function marked(regexp, className) {
  const decorator = new MatchDecorator({
    regexp,
    decoration: Decoration.mark({ class: className }),
  });
  return ViewPlugin.define(
    (view) => ({
      marks: decorator.createDeco(view),
      update(update) {
        this.marks = decorator.updateDeco(update, this.marks);
      },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}

const TAGS = [marked(/\{\{[^{}]*\}\}/g, "tok-tag"), marked(/\{%[^{}]*%\}/g, "tok-block")];
const MARKDOWN = [
  marked(/^#{1,6} .*$/g, "md-heading"),
  marked(/\*\*[^*]+\*\*/g, "md-strong"),
  marked(/\[[^\][]*\]\([^()]*\)/g, "md-link"),
];
/** Languages by the name of a format. Other formats are plain text. */
const LANGUAGES = {
  markdown: () => MARKDOWN,
  mjml: () => [html({ matchClosingTags: false })],
  html: () => [html({ matchClosingTags: false })],
};

const WORDS = ["if", "elsif", "else", "endif", "unless", "endunless", "for", "endfor"];

/** Returns a source of completions: variables after `{{`, filters after `|`, words and variables after `{%`. */
function completions({ names, filters }) {
  /** Inserts a blank after the braces, and the end of the tag if it is missing. */
  const option = (label, end) => ({
    label,
    apply(view, _, from, to) {
      const { doc } = view.state;
      const begin = /[{%|-]/.test(doc.sliceString(from - 1, from)) ? " " : "";
      const isEnded = /^\s*-?[%}]\}/.test(doc.sliceString(to, to + 4));
      const insert = begin + label + (isEnded ? "" : end);
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
    },
  });
  const variables = (end) => names().map(({ name }) => option(name, end));
  const words = WORDS.map((word) => option(word, /^e(nd|lse$)/.test(word) ? " %}" : " "));
  const ofFilters = filters.map((filter) => option(filter, ""));
  return (context) => {
    const { from, text } = context.matchBefore(/\{[{%][^{}]*/) ?? {};
    if (text === undefined) return null;
    const typed = /[\w.$]*$/.exec(text)[0];
    const before = text.slice(0, text.length - typed.length);
    const isFirst = /^\{%-?\s*$/.test(before);
    const isFilter = /\|\s*$/.test(before);
    const isValue = /^\{\{-?\s*$/.test(before);
    const options = isFirst ? words : isFilter ? ofFilters : variables(isValue ? " }}" : "");
    return { from: from + before.length, options, validFor: /^[\w.$]*$/ };
  };
}

/** Shows a fault below its line, so that nobody needs to point at the mark. */
class FaultLine extends WidgetType {
  constructor(message) {
    super();
    this.message = message;
  }
  eq({ message }) {
    return message === this.message;
  }
  toDOM() {
    const line = document.createElement("div");
    line.className = "cm-fault";
    line.textContent = this.message;
    return line;
  }
}
const setFaultLines = StateEffect.define();
const faultLines = StateField.define({
  create: () => Decoration.none,
  update(lines, { changes, effects }) {
    const replaced = effects.find((effect) => effect.is(setFaultLines));
    return replaced === undefined ? lines.map(changes) : replaced.value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Shows an editor instead of `area`, which still has the text for the form. `keys` are key bindings of CodeMirror;
 * `names` and `filters` are offered as completions in tags.
 */
export function createCodeField(area, options) {
  const { label, format, keys = [], names = () => [], filters = [], onChange } = options;
  const language = new Compartment();
  /** Returns the extensions of a format. HTML is shown from left to right, whatever the language of its text. */
  const languageOf = (name) => [
    LANGUAGES[name]?.() ?? [],
    EditorView.contentAttributes.of({ dir: name === "html" ? "ltr" : area.dir || "ltr" }),
  ];
  const host = document.createElement("div");
  host.className = "editor";
  area.after(host);
  area.hidden = true;
  // In a shadow root, CodeMirror sets its styles by script, which the content security policy does not forbid.
  const root = host.attachShadow({ mode: "open" });
  const isReadOnly = area.readOnly;
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        history(),
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        // Tab has no binding, so that it moves to the next field and keyboard users can leave the editor.
        keymap.of([
          ...keys,
          ...completionKeymap,
          ...lintKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        lineNumbers(),
        lintGutter(),
        faultLines,
        autocompletion({ override: [completions({ names, filters })], icons: false }),
        syntaxHighlighting(classHighlighter),
        language.of(languageOf(format)),
        TAGS,
        theme,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || area.value === update.state.doc.toString()) return;
          area.value = update.state.doc.toString();
          onChange();
        }),
      ],
    }),
  });
  return {
    view,
    host,
    setFormat: (name) => view.dispatch({ effects: language.reconfigure(languageOf(name)) }),
    /** Shows the text of `area` after other code has changed it. */
    open() {
      const { doc } = view.state;
      if (doc.toString() === area.value) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: area.value } });
    },
    goTo(line) {
      const at = view.state.doc.line(Math.min(line, view.state.doc.lines)).from;
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    },
    /** Marks the faults in the text, and shows each below its line. */
    markFaults(faults) {
      const { doc } = view.state;
      const placed = faults.filter(({ line }) => line && line <= doc.lines);
      const diagnostics = placed.map(({ line, column, message }) => {
        const from = Math.min(doc.line(line).from + column - 1, doc.line(line).to);
        return { from, to: Math.min(from + 1, doc.length), severity: "error", message };
      });
      const below = placed.map(({ line, message }) =>
        Decoration.widget({ widget: new FaultLine(message), block: true, side: 1 }).range(
          doc.line(line).to,
        ),
      );
      const effect = setFaultLines.of(Decoration.set(below, true));
      view.dispatch(setDiagnostics(view.state, diagnostics), { effects: effect });
    },
  };
}
