/** The toolbar above the text. Its actions change the text or the visual editor's document, whichever is shown. */

/** Returns actions by a button's `data-do`. `edits()` returns the current mode's edits; `dialogs` ask for input. */
export function createActions(edits, dialogs) {
  const put = (name) => async () => {
    const given = await dialogs[name](edits().selected());
    if (given) edits()[name](given);
  };
  const actions = {};
  for (const name of DIRECT) actions[name] = () => edits()[name]();
  for (const name of ASKED) actions[name] = put(name);
  actions.unsubscribe = ({ words }) => {
    const [leave, choose] = words.split("|");
    edits().unsubscribe({ leave, choose });
  };
  return actions;
}

const DIRECT = ["bold", "italic", "heading", "list", "divider", "up", "down", "undo", "redo"];
const ASKED = ["link", "button", "image", "variable", "condition", "loop"];

/** Inserts a variable by its name. For a list, it inserts a loop with up to four fields of the first entry. */
export function insertVariable(edits, name, value) {
  if (!Array.isArray(value)) {
    edits.variable(name);
    return;
  }
  const [first] = value;
  const isObject = typeof first === "object" && first !== null;
  const fields = isObject ? Object.keys(first).slice(0, 4) : [];
  edits.loop({ item: "item", list: name, fields: fields.length > 0 ? fields : [""] });
}

/** Connects the buttons of `bar`. Tab reaches one button, and the arrow keys reach the others, as in every toolbar. */
export function createToolbar(bar, { actions, isMarkdown }) {
  const buttons = [...bar.querySelectorAll("button[data-do]")];
  const shown = () => buttons.filter((button) => !button.closest("[hidden]"));
  const setStop = (button) => {
    for (const one of buttons) one.tabIndex = one === button ? 0 : -1;
  };
  bar.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-do]");
    if (!button) return;
    setStop(button);
    await actions[button.dataset.do](button.dataset);
  });
  bar.addEventListener("keydown", (event) => {
    const all = shown();
    const at = all.indexOf(document.activeElement);
    const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (at === -1 || !(event.key in steps)) return;
    event.preventDefault();
    const next = all.at(steps[event.key] % all.length);
    setStop(next);
    next.focus();
  });
  const showFor = () => {
    for (const part of bar.querySelectorAll("[data-markdown]")) part.hidden = !isMarkdown();
    setStop(shown()[0]);
  };
  showFor();
  return { showFor };
}
