import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The languages of the Admin UI, as each calls itself. English is what the views and the code say. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" } as const;
export type Language = keyof typeof LANGUAGES;

/** English texts with `{0}`, `{1}`, … in place of their values, and what each is in the language. */
export type Catalogue = Readonly<Record<string, string>>;

const CATALOGUES: Readonly<Record<Language, Catalogue>> = {
  en: {},
  de: readCatalogue("de"),
  fr: readCatalogue("fr"),
};

/** Catalogues of acts' faults: see `fault-words.ts`. */
const FAULT_CATALOGUES: Readonly<Record<Language, Catalogue>> = {
  en: {},
  de: readCatalogue("de-faults"),
  fr: readCatalogue("fr-faults"),
};

function readCatalogue(name: string): Catalogue {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../languages/${name}.json`), "utf8"));
}

export function catalogueOf(language: Language): Catalogue {
  return CATALOGUES[language];
}

export function faultCatalogueOf(language: Language): Catalogue {
  return FAULT_CATALOGUES[language];
}

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(LANGUAGES, value);
}

/** The first of ours that an `Accept-Language` header names; English if it names none. */
export function acceptedLanguage(header: string | undefined): Language {
  const named = (header ?? "").slice(0, 200).split(",");
  const bases = named.map((one) => one.trim().slice(0, 2).toLowerCase());
  return bases.find(isLanguage) ?? "en";
}

/** The language of the view that is being rendered; English where none is. */
let rendered: Language = "en";

/** Runs `render`, in which the string of each phrase is in `language`: a view may join phrases. */
export function renderedIn<T>(language: Language, render: () => T): T {
  const before = rendered;
  rendered = language;
  try {
    return render();
  } finally {
    rendered = before;
  }
}

/**
 * Words that a page writes in its reader's language. Outside a view their string is English, so that what is not a page
 * (a log line, JSON) can use them, too.
 */
export class Phrase {
  readonly #write: (language: Language) => string;

  constructor(write: (language: Language) => string) {
    this.#write = write;
  }

  in(language: Language): string {
    return this.#write(language);
  }

  toString(): string {
    return this.#write(rendered);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Text for a view: data stays, a phrase is translated. */
export type Words = string | Phrase;

/** One whole sentence, as a template literal; its values may be phrases. */
export function say(parts: TemplateStringsArray, ...values: readonly unknown[]): Phrase {
  const english = parts.map((part, at) => (at === 0 ? part : `{${at - 1}}${part}`)).join("");
  return phrase(english, values);
}

/** The phrase of an English text that a catalogue knows by its form. */
export function phrase(english: string, values: readonly unknown[] = []): Phrase {
  return new Phrase((language) =>
    fill(CATALOGUES[language][english] ?? english, (at) => written(values[at], language)),
  );
}

/** The same of a text whose places have names, as `{until}`. */
export function named(english: string, values: Readonly<Record<string, unknown>>): Phrase {
  return new Phrase((language) =>
    (CATALOGUES[language][english] ?? english).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      written(values[name] ?? "", language),
    ),
  );
}

export function written(value: unknown, language: Language): string {
  return value instanceof Phrase ? value.in(language) : String(value);
}

/** A list of names with commas between. */
export function joined(names: readonly Words[]): Phrase {
  return new Phrase((language) => names.map((name) => written(name, language)).join(", "));
}

/** Puts values into the places `{0}`, `{1}`, … of a text. */
export function fill(text: string, value: (at: number) => string): string {
  return text.replaceAll(/\{(\d+)\}/g, (_, at) => value(Number(at)));
}
