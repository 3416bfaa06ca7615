import type { InputFault } from "@belfry/administration/input-error";
import type { TObject } from "@sinclair/typebox";

/** A form drawn from a provider's settings schema, and read back. */
export interface SettingsField {
  kind: keyof typeof LOOKS;
  name: string;
  label: string;
  hint: string;
  required: boolean;
  value: string;
  /** Of a box. */
  checked: boolean;
  placeholder: string;
}

/** What the view draws for each kind of setting. */
const LOOKS = {
  text: {},
  number: { inputmode: "numeric" },
  secret: { type: "password", autocomplete: "new-password" },
  lines: { lines: 6, code: true },
  yes: {},
};

/** `saved`: the settings as they are shown, masked; `given`: what was typed, which comes first. */
export function fieldsOf(
  schema: TObject,
  saved: Record<string, unknown> | undefined,
  given: URLSearchParams | undefined,
): SettingsField[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const isSecret = property.secret === true;
    const shown = saved?.[name];
    // A secret that was typed is not shown again either.
    const value = isSecret ? "" : (given?.get(`settings.${name}`) ?? text(shown));
    const isStored = isSecret && shown !== undefined;
    const description = property.description ?? "";
    const kind = kindOf(property);
    return {
      autocomplete: "off",
      ...LOOKS[kind],
      kind,
      name: `settings.${name}`,
      label: property.title ?? name,
      hint: isStored ? `${description} Stored: ${shown}. Leave it empty to keep it.` : description,
      required: required.has(name) && !isStored,
      value,
      checked: value === "true",
      placeholder: text(property.default).split(" ")[0] ?? "",
    };
  });
}

/** What is left empty is left out. */
export function settingsOf(schema: TObject, form: URLSearchParams): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const typed = form.get(`settings.${name}`) ?? "";
    const value = property.multiline === true ? typed.replaceAll("\r\n", "\n") : typed.trim();
    if (property.type === "boolean") settings[name] = form.has(`settings.${name}`);
    else if (value === "") continue;
    else if (property.type === "integer" || property.type === "number") {
      settings[name] = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    } else settings[name] = value;
  }
  return settings;
}

/** `settings` faults begin with their field's name (`apiKey: is missing`); others are as they are. */
export function settingsFaults(faults: readonly InputFault[]): Record<string, string> {
  const byField: Record<string, string> = {};
  for (const { field, message } of faults) {
    const [, name, rest] = /^(\w+): (.*)$/s.exec(message) ?? [];
    if (field === "settings" && name !== undefined) byField[`settings.${name}`] = rest ?? message;
    else byField[field] = message;
  }
  return byField;
}

function kindOf(property: Record<string, unknown>): SettingsField["kind"] {
  if (property.multiline === true) return "lines";
  if (property.secret === true) return "secret";
  if (property.type === "boolean") return "yes";
  return property.type === "integer" || property.type === "number" ? "number" : "text";
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
