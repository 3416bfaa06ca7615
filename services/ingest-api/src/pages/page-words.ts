import { CHANNEL_ROWS, type ReadersWords } from "@belfry/contracts/channels";
import { canonicalLocale, localeChain, widerLocales } from "@belfry/contracts/locale";
import { ANY, type PreferenceChannel } from "@belfry/contracts/preferences";
import DE from "./languages/de.json" with { type: "json" };
import EN from "./languages/en.json" with { type: "json" };
import ES from "./languages/es.json" with { type: "json" };
import FR from "./languages/fr.json" with { type: "json" };

/**
 * The texts of the pages in one language. `filled` replaces `{what}`, `{by}` and `{name}`. `{what}` is the name of a
 * category in `quoted`, `these` for a deleted category, or `everything` for all categories.
 */
export type PageWords = typeof EN;

export const PAGE_WORDS: readonly PageWords[] = [EN, DE, FR, ES];

const MAX_LANGUAGES = 20;
const MAX_CHARACTERS = 1000;

/**
 * Returns the reader's languages from `Accept-Language`, the preferred one first, each followed by its wider locales.
 */
export function readersLanguages(header: string | undefined): string[] {
  const wanted = (header ?? "")
    .slice(0, MAX_CHARACTERS)
    .split(",", MAX_LANGUAGES)
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().split(";");
      const weight = parameters
        .map((one) => /^\s*q=(\d(?:\.\d{0,3})?)$/.exec(one)?.[1])
        .find(Boolean);
      return { tag: tag.trim().toLowerCase(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,3}$/.test(tag) && weight > 0)
    .sort((one, other) => other.weight - one.weight);
  return [...new Set(wanted.flatMap(({ tag }) => [...localeChain(tag), ...widerOf(tag)]))];
}

/** Returns the wider locales of a tag, in lower case; none if messages cannot have the tag as their locale. */
function widerOf(tag: string): string[] {
  const locale = canonicalLocale(tag);
  return locale === undefined ? [] : widerLocales(locale).map((one) => one.toLowerCase());
}

/** Returns the texts in the first of the languages that the pages support, or else in English. */
export function wordsFor(languages: readonly string[]): PageWords {
  for (const language of languages) {
    const words = PAGE_WORDS.find((one) => one.language === language);
    if (words !== undefined) return words;
  }
  return EN;
}

/**
 * Returns a tenant's text in the reader's language, or else the default text. The keys are locales in any letter case.
 */
export function textFor(texts: Readonly<Record<string, string>>, languages: readonly string[]) {
  const byLanguage = new Map(
    Object.entries(texts).map(([locale, text]) => [locale.toLowerCase(), text]),
  );
  const language = languages.find((one) => byLanguage.has(one));
  return byLanguage.get(language ?? "") ?? "";
}

/** Returns a channel's words for the reader of a page; empty for all channels. */
export function channelWords(words: PageWords, channel: PreferenceChannel): ReadersWords {
  if (channel === ANY) return { label: "", by: "" };
  const { words: ours, readersWords } = CHANNEL_ROWS[channel];
  return readersWords?.[words.language] ?? { label: ours.label, by: "" };
}
