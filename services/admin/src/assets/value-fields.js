/** Inputs for values of variables: a field for text or a flag, a small table for a list or an object. */

import { element, makeButton } from "./element.js";

/** A typed text that matches becomes a number, unless the value was a text before. */
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/;

/** Returns a value as the text of its input. A list or an object is shown as JSON. */
function shown(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function makeField({ value, kind, id, label, isReadOnly }) {
  const isFlag = kind === "flag" || typeof value === "boolean";
  const input = document.createElement(isFlag ? "select" : "input");
  if (isFlag) {
    input.append(
      new Option("not set", ""),
      new Option("yes", "true", false, shown(value) === "true"),
      new Option("no", "false", false, shown(value) === "false"),
    );
  } else {
    input.value = shown(value);
    input.placeholder = "no value";
    input.autocomplete = "off";
    input.spellcheck = false;
  }
  if (id) input.id = id;
  if (label) input.setAttribute("aria-label", label);
  input.disabled = isReadOnly;
  return input;
}

/** Returns the typed text as a JSON value; undefined for an empty field. */
export function readValue(input, before) {
  const text = input.value;
  if (text === "") return undefined;
  if (input.tagName === "SELECT") return text === "true";
  if (typeof before === "object" && before !== null) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return typeof before !== "string" && NUMBER.test(text) ? Number(text) : text;
}

/**
 * Makes a table of inputs with a field for each column; without columns, each row is a plain value. An object has one
 * row, a list has a row for each entry.
 */
export function fieldTable({ name, columns, rows, isList, isReadOnly, onChange }) {
  const isPlain = columns.length === 0;
  const heads = isPlain ? ["Value"] : columns;
  let current = rows.map((row) => (isPlain ? row : { ...row }));
  const table = document.createElement("table");
  table.setAttribute("aria-labelledby", `value-${name}-name`);
  const headRow = table.createTHead().insertRow();
  for (const head of heads) {
    headRow.append(element("th", { scope: "col", textContent: head }));
  }
  const body = table.createTBody();
  const changed = () => onChange(current.map((row) => (isPlain ? (row ?? "") : { ...row })));

  const draw = () => {
    body.replaceChildren();
    current.forEach((row, index) => {
      const line = body.insertRow();
      for (const head of heads) {
        const value = isPlain ? row : row?.[head];
        const rowName = isList ? `${name} ${index + 1}` : name;
        const label = `${rowName}, ${head}`;
        const input = makeField({ value, label, isReadOnly });
        input.addEventListener("input", () => {
          const typed = readValue(input, value);
          if (isPlain) current[index] = typed;
          else if (typed === undefined) delete current[index][head];
          else current[index][head] = typed;
          changed();
        });
        line.insertCell().append(input);
      }
      if (isList && !isReadOnly) line.insertCell().append(removeButton(index));
    });
    empty.hidden = current.length > 0;
  };
  const removeButton = (index) => {
    const button = makeButton("×", () => {
      current.splice(index, 1);
      draw();
      changed();
      add.focus();
    });
    button.setAttribute("aria-label", `Remove ${name} ${index + 1}`);
    return button;
  };
  const empty = element("p", { className: "soft small", textContent: "No entry." });
  const add = makeButton("Add a row", () => {
    current = [...current, isPlain ? "" : {}];
    draw();
    changed();
    body.rows[body.rows.length - 1]?.querySelector("input, select")?.focus();
  });
  add.setAttribute("aria-label", `Add a row to ${name}`);
  if (isList && !isReadOnly) headRow.insertCell();
  draw();
  const parts = isList && !isReadOnly ? [table, empty, add] : [table, empty];
  return element("div", { className: "value-table" }, ...parts);
}
