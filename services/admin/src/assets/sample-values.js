import { element, makeButton } from "./element.js";
import { fieldTable, makeField, readValue } from "./value-fields.js";

/**
 * Shows one input for each variable of the template. `area` has the values as JSON, and the form sends `area`. Values
 * that the template does not use are kept, and listed in `others` if it is given. Checkboxes for required variables are
 * shown only if `host` has `data-required`.
 */
export function createSampleValues({ host, area, others, onChange, onInsert }) {
  let values = read(area.value) ?? {};
  let shapes = [];
  let drawn = "";

  const isTranslation = host.dataset.translation === "true";
  const asksRequired = host.dataset.required !== undefined;

  const write = () => {
    area.value = JSON.stringify(values, null, 2);
    onChange();
  };
  const set = (name, value) => {
    if (value === undefined) delete values[name];
    else values[name] = value;
    write();
  };

  const draw = () => {
    // Redraws only for other fields, so that a person who types keeps the cursor.
    const signature = JSON.stringify([shapes, values === null]);
    if (signature === drawn) return;
    drawn = signature;
    const required = new Set(
      [...host.querySelectorAll("input[name=requiredVariables]:checked")].map((one) => one.value),
    );
    for (const name of requiredAtFirst.splice(0)) required.add(name);
    host.replaceChildren(
      ...shapes.map((shape) =>
        rowOf(shape, {
          values,
          set,
          required,
          isTranslation,
          asksRequired,
          isReadOnly: area.readOnly,
        }),
      ),
    );
    drawOthers();
  };

  /** Lists the values that the text does not use, at most 30. A click inserts one. */
  const drawOthers = () => {
    if (others === undefined) return;
    const used = new Set(shapes.map(({ name }) => name));
    const unused = Object.keys(values).filter(
      (name) => !used.has(name) && !/^\$|[{}%|]/.test(name),
    );
    others.hidden = unused.length === 0 || area.readOnly;
    const chipOf = (name) => makeButton(name, () => onInsert(name, values[name]), "chip");
    others
      .querySelector("ul")
      .replaceChildren(...unused.slice(0, 30).map((name) => element("li", {}, chipOf(name))));
  };

  const requiredAtFirst = JSON.parse(host.dataset.required ?? "[]");
  area.addEventListener("input", () => {
    const typed = read(area.value);
    if (typed === undefined) return;
    values = typed;
    drawn = "";
    draw();
  });
  return {
    /** Shows inputs for these variables, `{name, kind, fields}`. */
    show(variables) {
      shapes = variables;
      draw();
    },
    /** Replaces all values. */
    replace(next) {
      values = next;
      area.value = JSON.stringify(values, null, 2);
      drawn = "";
      draw();
      onChange();
    },
    /** Returns the events of a digest in the values, or else one event with the names of the template's variables. */
    events() {
      const { $items, ...own } = values;
      if (Array.isArray($items) && $items.length > 0) return $items;
      const named = shapes.map(({ name }) => name).filter((name) => !name.startsWith("$"));
      return [{ ...Object.fromEntries(named.map((name) => [name, ""])), ...own }];
    },
    /** Returns all known variables: those of the template, and then the others in the values. */
    names() {
      const known = new Set(shapes.map(({ name }) => name));
      const more = Object.entries(values).filter(([name]) => !known.has(name));
      return [...shapes, ...more.map(([name, value]) => ({ name, kind: kindOf(value) }))];
    },
  };
}

function kindOf(value) {
  if (Array.isArray(value)) return "list";
  return typeof value === "object" && value !== null ? "object" : "text";
}

function read(text) {
  if (text.trim() === "") return {};
  try {
    const value = JSON.parse(text);
    return kindOf(value) === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the row of a variable: its value, and whether it is required for sending. */
function rowOf(shape, { values, set, required, isTranslation, asksRequired, isReadOnly }) {
  const { name, kind, fields } = shape;
  const id = `value-${name}`;
  const box = element("input", { type: "checkbox", name: "requiredVariables", value: name });
  box.checked = required.has(name);
  box.disabled = isReadOnly || isTranslation;
  const said = element("span", { className: "visually-hidden", textContent: ` ${name}` });
  const needed = element("label", { className: "needed" }, box, "required", said);
  const headOf = (caption, hasBox) =>
    element("div", { className: "value-head" }, caption, ...(hasBox ? [needed] : []));

  const value = values[name];
  const isTable = kind === "list" || Array.isArray(value);
  const isGroup = !isTable && (kind === "object" || kindOf(value) === "object");
  if (isTable || isGroup) {
    // Belfry fills in a variable with `$`, so it is never missing and cannot be set as required.
    const isOurs = name.startsWith("$");
    const textContent = isOurs ? "Events of the digest" : name;
    const caption = element("code", { id: `${id}-name`, textContent });
    const columns = columnsOf(fields ?? [], value);
    const table = fieldTable({
      name,
      columns,
      isReadOnly,
      isList: isTable,
      rows: isTable ? (Array.isArray(value) ? value : []) : [value ?? {}],
      onChange: (rows) => set(name, isTable ? orNone(rows) : rows[0]),
    });
    return element("div", { className: "value" }, headOf(caption, asksRequired && !isOurs), table);
  }
  const caption = element("label", { htmlFor: id }, element("code", { textContent: name }));
  const input = makeField({ value, kind, id, isReadOnly });
  input.addEventListener("input", () => set(name, readValue(input, values[name])));
  return element("div", { className: "value" }, headOf(caption, asksRequired), input);
}

function orNone(rows) {
  return rows.length === 0 ? undefined : rows;
}

/** Returns the columns of the template, then the others in the values; at most 12. */
function columnsOf(fields, value) {
  const rows = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const columns = new Set(fields);
  for (const row of rows.slice(0, 20)) {
    if (kindOf(row) === "object") for (const name of Object.keys(row)) columns.add(name);
  }
  return [...columns].slice(0, 12);
}
