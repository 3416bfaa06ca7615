import { ask } from "./ask.js";
import { chooseImage } from "./image-picker.js";
import { insert, insertBlock, markLines, wrap } from "./text-edits.js";

/** The toolbar over the text: Markdown for a simple mail, variables and logic for every text. */

const ADDRESS = { name: "address", label: "Address", placeholder: "https://…" };

/** By the `data-do` of a button. `names` says the variables that are known. */
function actionsOn(view, names, isMarkdown) {
  const variables = () => names().map(({ name }) => name);
  const lists = () =>
    names()
      .filter(({ kind }) => kind === "list")
      .map(({ name }) => name);
  /** Around whole lines in a mail, within the line in a short text. */
  const logic = (open, words, close) =>
    isMarkdown()
      ? insertBlock(view, `${open}\n${words}\n${close}`, words)
      : insert(view, `${open}${words}${close}`, words);
  return {
    bold: () => wrap(view, "**", "**", "bold words"),
    italic: () => wrap(view, "*", "*", "words"),
    heading: () => markLines(view, "## "),
    list: () => markLines(view, "- "),
    divider: () => insertBlock(view, "---"),
    async link() {
      const { from, to } = view.state.selection.main;
      const text = {
        name: "text",
        label: "Words of the link",
        value: view.state.sliceDoc(from, to),
      };
      const given = await ask({ title: "Link", fields: [text, ADDRESS] });
      if (given) insert(view, `[${given.text}](${given.address.trim()})`);
    },
    async button() {
      const text = { name: "text", label: "Words on the button", placeholder: "See your order" };
      const given = await ask({ title: "Button", fields: [text, ADDRESS] });
      if (given) insertBlock(view, `[${given.text}](${given.address.trim()})`);
    },
    unsubscribe({ words }) {
      const [leave, choose] = words.split("|");
      const links = `[${leave}]({{ $unsubscribe_url }}) · [${choose}]({{ $preferences_url }})`;
      insert(view, `{% if $unsubscribe_url %}${links}{% endif %}`);
    },
    async image() {
      const address = await chooseImage();
      if (address === undefined) return;
      const text = { name: "text", label: "What it shows, for people who cannot see it" };
      const given = await ask({ title: "Image", fields: [text] });
      if (given) insertBlock(view, `![${given.text}](${address})`);
    },
    async variable() {
      const hint = "As your service calls it when it triggers the event.";
      const name = { name: "name", label: "Name", suggestions: variables() };
      const given = await ask({ title: "Insert a variable", hint, fields: [name] });
      if (given) insert(view, `{{ ${given.name.trim()} }}`);
    },
    async condition() {
      const hint = "What you write inside is shown only where this variable has a value.";
      const name = { name: "name", label: "Variable", suggestions: variables() };
      const given = await ask({ title: "Show only if …", hint, fields: [name] });
      if (given) logic(`{% if ${given.name.trim()} %}`, "shown then", "{% endif %}");
    },
    async loop() {
      const hint = "What you write inside is repeated for each entry of the list.";
      const list = { name: "list", label: "List", suggestions: lists(), placeholder: "items" };
      const item = { name: "item", label: "One entry is called", value: "item" };
      const given = await ask({ title: "Repeat for each …", hint, fields: [list, item] });
      if (!given) return;
      const one = given.item.trim();
      const words = isMarkdown() ? `- {{ ${one}.name }}` : `{{ ${one}.name }} `;
      logic(`{% for ${one} in ${given.list.trim()} %}`, words, "{% endfor %}");
    },
  };
}

/** With the fields of the first entry, where it has some. */
function loopOver(item, list, value, isMarkdown) {
  const [first] = value;
  const fields = typeof first === "object" && first !== null ? Object.keys(first).slice(0, 4) : [];
  const names = fields.length > 0 ? fields.map((field) => `${item}.${field}`) : [item];
  const words = names.map((name) => `{{ ${name} }}`).join(", ");
  const [open, close] = [`{% for ${item} in ${list} %}`, "{% endfor %}"];
  return isMarkdown ? `${open}\n- ${words}\n${close}` : `${open}${words} ${close}`;
}

/** Wires the buttons of `bar`. One is reached by Tab, the others by the arrow keys, as in every toolbar. */
export function createToolbar(bar, view, { names, isMarkdown }) {
  const actions = actionsOn(view, names, isMarkdown);
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
  return {
    actions,
    showFor,
    /** Of a list, a loop over it. */
    insertVariable(name, value) {
      if (!Array.isArray(value)) insert(view, `{{ ${name} }}`);
      else if (isMarkdown()) insertBlock(view, loopOver("item", name, value, true));
      else insert(view, loopOver("item", name, value, false));
    },
  };
}
