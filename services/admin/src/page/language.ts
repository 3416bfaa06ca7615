import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The languages of the Admin UI, by their own names. Views and code are written in English. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" } as const;
export type Language = keyof typeof LANGUAGES;

/** Translations of English texts, with `{0}`, `{1}`, … for their values. */
export type Catalogue = Readonly<Record<string, string>>;

const CATALOGUES: Readonly<Record<Language, Catalogue>> = {
  en: {},
  de: readCatalogue("de"),
  fr: readCatalogue("fr"),
};

/** Translations of the acts' faults: see `fault-words.ts`. */
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

/** Returns the first language of ours in an `Accept-Language` header; English if there is none. */
export function acceptedLanguage(header: string | undefined): Language {
  const named = (header ?? "").slice(0, 200).split(",");
  const bases = named.map((one) => one.trim().slice(0, 2).toLowerCase());
  return bases.find(isLanguage) ?? "en";
}

/** The language of the view that is being rendered; English outside a view. */
let rendered: Language = "en";

/** Runs `render` with phrases converted to strings in `language`, because a view may join phrases. */
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
 * Words that a page writes in its reader's language. Outside a view their string is English, so that log lines and JSON
 * can use them, too.
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

/** Text for a view: data stays as it is, a phrase is translated. */
export type Words = string | Phrase;

/** Returns the phrase of one whole sentence, a template literal whose values may be phrases. */
export function say(parts: TemplateStringsArray, ...values: readonly unknown[]): Phrase {
  const english = parts.map((part, at) => (at === 0 ? part : `{${at - 1}}${part}`)).join("");
  return phrase(english, values);
}

/** Returns the phrase of an English text with places for these values. Without a translation it stays English. */
export function phrase(english: string, values: readonly unknown[] = []): Phrase {
  return new Phrase((language) =>
    fill(CATALOGUES[language][english] ?? english, (at) => written(values[at], language)),
  );
}

/** Returns the phrase of an English text whose places have names, such as `{until}`. */
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

/** Returns a list of names with commas between them. */
export function joined(names: readonly Words[]): Phrase {
  return new Phrase((language) => names.map((name) => written(name, language)).join(", "));
}

/** Puts values into the places `{0}`, `{1}`, … of a text. */
export function fill(text: string, value: (at: number) => string): string {
  return text.replaceAll(/\{(\d+)\}/g, (_, at) => value(Number(at)));
}
