import type { Category } from "@belfry/administration/users/categories";

/** A category as its form has it. */
export interface CategoryValues {
  key: string;
  /** The default first; then each language, and on its own page an empty row for one more. */
  texts: { language: string; label: string; description: string }[];
  required: boolean;
  defaultOn: boolean;
  position: string;
}

const NO_TEXT = { language: "", label: "", description: "" };
const MAX_KEY_CHARACTERS = 64;

export const NEW_CATEGORY: CategoryValues = {
  key: "",
  texts: [NO_TEXT],
  required: false,
  defaultOn: true,
  position: "",
};

export function valuesOfCategory(category: Category): CategoryValues {
  const { key, label, description, required, defaultOn, position } = category;
  const named = new Set([...Object.keys(label), ...Object.keys(description)]);
  named.delete("");
  return {
    ...{ key, required, defaultOn, position: String(position) },
    texts: ["", ...[...named].sort()].map((language) => ({
      language,
      label: label[language] ?? "",
      description: description[language] ?? "",
    })),
  };
}

export function typedCategory(form: URLSearchParams): CategoryValues {
  const labels = form.getAll("label");
  const [languages, descriptions] = [form.getAll("language"), form.getAll("description")];
  return {
    key: (form.get("key") ?? "").trim(),
    texts: (labels.length === 0 ? [""] : labels).map((label, at) => ({
      // The first is the default, whatever is sent as its language.
      language: at === 0 ? "" : (languages[at] ?? "").trim(),
      label: label.trim(),
      description: (descriptions[at] ?? "").trim(),
    })),
    required: form.has("required"),
    defaultOn: form.get("defaultOn") !== "off",
    position: (form.get("position") ?? "").trim(),
  };
}

/** A key from the name where none was typed: `Offers & news` becomes `offers-news`. */
export function keyOf({ key, texts }: CategoryValues): string {
  if (key !== "") return key;
  const words =
    (texts[0]?.label ?? "")
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, MAX_KEY_CHARACTERS);
}

/** The form has all languages: one that it does not name any more is taken away from the category before it. */
export function categoryInput(values: CategoryValues, before?: Category) {
  const { key, texts, required, defaultOn, position } = values;
  // The row for one more language was left empty; without a language the texts would be the default's.
  const filled = texts.filter(({ language }, at) => at === 0 || language !== "");
  const by = (name: "label" | "description") => ({
    ...Object.fromEntries(Object.keys(before?.[name] ?? {}).map((language) => [language, ""])),
    ...Object.fromEntries(filled.map((text) => [text.language, text[name]])),
  });
  // NaN for what is no number: the act says so beside the field.
  const order = /^\d{1,9}$/.test(position) ? Number(position) : Number.NaN;
  return {
    ...{ key, required, defaultOn, label: by("label"), description: by("description") },
    position: position === "" ? 0 : order,
  };
}
