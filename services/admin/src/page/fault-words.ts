import {
  type Catalogue,
  faultCatalogueOf,
  fill,
  type Language,
  Phrase,
  phrase,
} from "./language.ts";
import { type Form, formsIn, valuesIn } from "./sentence-forms.ts";
import { fieldName } from "./words.ts";

/**
 * Acts report faults in English for the command line and the API: `must be at most 255 characters`. The Admin UI finds
 * the catalogue's sentence with places that matches the message, and translates it.
 */

const FORMS = new Map<Catalogue, readonly Form[]>();

function formsOf(catalogue: Catalogue): readonly Form[] {
  const known = FORMS.get(catalogue);
  if (known !== undefined) return known;
  const forms = formsIn(Object.keys(catalogue));
  FORMS.set(catalogue, forms);
  return forms;
}

/** Returns a fault's message for a page. A message that is in no catalogue stays English. */
export function faultWords(message: string): Phrase {
  return new Phrase((language) => told(message, language));
}

/** Translates faults for the script of a page. */
export function inWords<F extends { message: string }>(faults: readonly F[]) {
  return faults.map((fault) => ({ ...fault, message: faultWords(fault.message) }));
}

/** Joins faults into one text, for pages that do not show them beside their fields. */
export function refusalWords(faults: readonly { field: string; message: string }[]): Phrase {
  const lines = faults.map(({ field, message }) =>
    phrase("{0} {1}", [fieldName(field), faultWords(message)]),
  );
  return new Phrase((language) => lines.map((line) => line.in(language)).join("\n"));
}

const OR: Readonly<Record<Language, string>> = { en: " or ", de: " oder ", fr: " ou " };
/** Matches the part of a field before its fault, as in `fromEmail: is missing` or `from must be a time of day`. */
const PART = /^(\S{0,64} )(.+)$/s;
const MOST_NESTED = 3;

function told(message: string, language: Language, depth = 0): string {
  const catalogue = faultCatalogueOf(language);
  const whole = Object.hasOwn(catalogue, message) ? catalogue[message] : undefined;
  if (whole !== undefined || depth === MOST_NESTED) return whole ?? message;
  for (const form of formsOf(catalogue)) {
    const values = valuesIn(message, form);
    if (values === undefined) continue;
    return fill(catalogue[form.english]!, (at) => valueIn(values[at] ?? "", language, depth));
  }
  const [, part, rest] = PART.exec(message) ?? [];
  return part === undefined ? message : part + told(rest ?? "", language, depth + 1);
}

/** Translates a value that is itself a list or a fault. Quoted text is somebody's input and stays as it is. */
function valueIn(value: string, language: Language, depth: number): string {
  if (value.startsWith('"')) return value;
  const words = told(value, language, depth + 1);
  return words === value ? value.replace(/ or (?=\S+$)/, OR[language]) : words;
}
