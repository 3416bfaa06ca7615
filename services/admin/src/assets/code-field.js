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

/** A text area as an editor of code: tags and Markdown are seen, faults stand at their place. */

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
/** By the name of a format; what is not here is plain text. */
const LANGUAGES = {
  markdown: () => MARKDOWN,
  mjml: () => [html({ matchClosingTags: false }), lineNumbers()],
  html: () => [html({ matchClosingTags: false }), lineNumbers()],
};

/**
 * Puts an editor in the place of `area`, which keeps the text for the form. `keys` are commands by key,
 * as CodeMirror's keymap takes them.
 */
export function createCodeField(area, { label, format, keys = [], onChange }) {
  const language = new Compartment();
  const languageOf = (name) => LANGUAGES[name]?.() ?? [];
  const host = document.createElement("div");
  host.className = "editor";
  area.after(host);
  area.hidden = true;
  // In a shadow root its styles are sheets of script, which need no leave of the content policy.
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
        // Tab goes on to the next field: nobody is caught in here.
        keymap.of([...keys, ...defaultKeymap, ...historyKeymap]),
        syntaxHighlighting(classHighlighter),
        language.of(languageOf(format)),
        TAGS,
        theme,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          area.value = update.state.doc.toString();
          onChange();
        }),
      ],
    }),
  });
  document.querySelector(`label[for="${area.id}"]`)?.addEventListener("click", () => view.focus());
  return {
    view,
    setFormat: (name) => view.dispatch({ effects: language.reconfigure(languageOf(name)) }),
    /** Underlines what is wrong in the text. */
    markFaults(faults) {
      const { doc } = view.state;
      const diagnostics = faults
        .filter(({ line }) => line && line <= doc.lines)
        .map(({ line, column, message }) => {
          const from = Math.min(doc.line(line).from + column - 1, doc.line(line).to);
          return { from, to: Math.min(from + 1, doc.length), severity: "error", message };
        });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
  };
}
