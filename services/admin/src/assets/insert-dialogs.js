import { ask } from "./ask.js";
import { chooseImage } from "./image-picker.js";
import { shownAddress } from "./visual-blocks.js";
import { tagWords } from "./visual-document.js";
import { writtenAddress } from "./visual-schema.js";

/**
 * Returns the dialogs for the parts that the toolbar and the menu insert. `names()` returns the known variables.
 * `check(text)` resolves with the fault that saving this text would report, so that a dialog refuses it, too.
 */
export function insertDialogs({ names, check }) {
  const known = () => names().map(({ name }) => name);
  const lists = () => names().filter(({ kind }) => kind === "list");
  const address = (value = "") => ({
    name: "address",
    label: "Address",
    placeholder: "https://…",
    value: shownAddress(value),
    suggestions: names()
      .filter(({ kind }) => kind === "text")
      .map(({ name }) => name),
  });
  /** Returns the typed address. A bare name becomes the tag of the variable that contains the address. */
  const addressOf = ({ address: typed }) => {
    const given = typed.trim();
    const isName = known().includes(given) || /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(given);
    return isName ? `{{ ${given} }}` : writtenAddress(given);
  };
  const leads = (given) => check(`[x](${addressOf(given)})`);
  const shows = (given) => check(`![x](${addressOf(given)})`);
  const hint = "An https address, or the name of a variable that holds one.";
  const variableField = (value = "") => ({
    name: "name",
    label: "Name",
    value,
    suggestions: known(),
  });
  const conditionField = (value = "") => ({ ...variableField(value), label: "Variable" });
  const isVariable = ({ name }) => check(`{{ ${name.trim()} }}`);

  return {
    async link({ text: words, address: leadsTo }) {
      const text = { name: "text", label: "Words of the link", value: words };
      const fields = [text, address(leadsTo)];
      const given = await ask({ title: "Link", hint, fields, check: leads });
      return given && { text: given.text, address: addressOf(given) };
    },
    async button() {
      const text = { name: "text", label: "Words on the button", placeholder: "See your order" };
      const given = await ask({ title: "Button", hint, fields: [text, address()], check: leads });
      return given && { text: given.text, address: addressOf(given) };
    },
    async image() {
      const chosen = await chooseImage();
      if (chosen === undefined) return undefined;
      const text = { name: "text", label: "What it shows, for people who cannot see it" };
      const fields = [{ ...address(), value: chosen }, text];
      const given = await ask({ title: "Image", hint, fields, check: shows });
      return given && { text: given.text, address: addressOf(given) };
    },
    async variable() {
      const told = "As your service calls it when it triggers the event.";
      const asked = { title: "Insert a variable", hint: told, fields: [variableField()] };
      return (await ask({ ...asked, check: isVariable }))?.name.trim();
    },
    async condition() {
      const told = "What you write inside is shown only where this variable has a value.";
      const given = await ask({
        title: "Show only if …",
        hint: told,
        fields: [conditionField()],
        check: ({ name }) => check(`{% if ${name.trim()} %}x{% endif %}`),
      });
      return given?.name.trim();
    },
    async loop() {
      const told = "What you write inside is repeated for each entry of the list.";
      const suggestions = lists().map(({ name }) => name);
      const list = { name: "list", label: "List", suggestions, placeholder: "items" };
      const item = { name: "item", label: "One entry is called", value: "item" };
      const given = await ask({
        title: "Repeat for each …",
        hint: told,
        fields: [list, item],
        check: (one) => check(`{% for ${one.item.trim()} in ${one.list.trim()} %}x{% endfor %}`),
      });
      if (!given) return undefined;
      const name = given.list.trim();
      const fields = lists().find((one) => one.name === name)?.fields ?? [];
      return {
        item: given.item.trim(),
        list: name,
        fields: fields.length > 0 ? fields.slice(0, 4) : ["name"],
      };
    },
    /** Resolves with the new attributes of a node of the visual editor; undefined if nothing is to change. */
    async change({ type, attrs }) {
      const button = "Change";
      if (type.name === "button") {
        const fields = [address(attrs.href)];
        const given = await ask({ title: "Button", button, hint, fields, check: leads });
        return given && { href: addressOf(given) };
      }
      if (type.name === "image") {
        const text = {
          name: "text",
          label: "What it shows, for people who cannot see it",
          value: attrs.alt,
        };
        const fields = [address(attrs.src), text];
        const given = await ask({ title: "Image", button, hint, fields, check: shows });
        return given && { src: addressOf(given), alt: given.text };
      }
      const code = attrs.code ?? attrs.tag;
      const { word, rest } = tagWords(code) ?? {};
      if (word === undefined) {
        const fields = [variableField(code.slice(2, -2).trim())];
        const given = await ask({ title: "Variable", button, fields, check: isVariable });
        return given && { code: `{{ ${given.name.trim()} }}` };
      }
      if (rest === "") return undefined;
      const ends = { for: "endfor", unless: "endunless" };
      const opening = word === "elsif" ? "if" : word;
      const given = await ask({
        title: word === "for" ? "Repeat for each …" : "Show only if …",
        button,
        fields: [
          { ...conditionField(rest), label: word === "for" ? "Entry and list" : "Condition" },
        ],
        check: ({ name }) =>
          check(`{% ${opening} ${name.trim()} %}x{% ${ends[opening] ?? "endif"} %}`),
      });
      const made = given && `{% ${word} ${given.name.trim()} %}`;
      return made && (attrs.code === undefined ? { tag: made } : { code: made });
    },
  };
}
