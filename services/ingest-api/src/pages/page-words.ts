import { CHANNEL_ROWS, type ReadersWords } from "@belfry/contracts/channels";
import { canonicalLocale, localeChain, widerLocales } from "@belfry/contracts/locale";
import { ANY, type PreferenceChannel } from "@belfry/contracts/preferences";

/** The texts of the pages in one language. `filled` replaces `{what}`, `{by}` and `{name}`. */
export interface PageWords {
  language: string;
  /** The value of `{what}` for a deleted category; `everything` is the value for all categories. */
  these: string;
  everything: string;
  /** The quotation marks around a category's name. */
  quoted: readonly [string, string];
  unsubscribe: string;
  ask: string;
  unsubscribed: string;
  noMore: string;
  subscribeAgain: string;
  subscribed: string;
  asBefore: string;
  required: string;
  requiredWhy: string;
  preferences: string;
  choose: string;
  allMessages: string;
  allHint: string;
  always: string;
  save: string;
  saved: string;
  allOff: string;
  gone: string;
  goneHint: string;
}

const EN: PageWords = {
  language: "en",
  these: "messages of this kind",
  everything: "messages",
  quoted: ["“", "”"],
  unsubscribe: "Unsubscribe",
  ask: "{name} sends you {what} {by}. Do you no longer want that?",
  unsubscribed: "You are unsubscribed",
  noMore: "{name} will no longer send you {what} {by}.",
  subscribeAgain: "Subscribe again",
  subscribed: "You are subscribed again",
  asBefore: "{name} may send you {what} {by} again.",
  required: "These messages cannot be turned off",
  requiredWhy: "{name} must send you {what}.",
  preferences: "Your messages",
  choose: "Choose what {name} may send you.",
  allMessages: "All messages",
  allHint: "What you turn off here is off for everything below, too.",
  always: "Always sent",
  save: "Save",
  saved: "Your choice is saved.",
  allOff: "Turn everything off",
  gone: "This link does not work",
  goneHint: "It is not complete or no longer valid. Please use the link in a newer message.",
};

const DE: PageWords = {
  language: "de",
  these: "Nachrichten dieser Art",
  everything: "Nachrichten",
  quoted: ["„", "“"],
  unsubscribe: "Abmelden",
  ask: "{name} schickt Ihnen {what} {by}. Möchten Sie das nicht mehr?",
  unsubscribed: "Sie sind abgemeldet",
  noMore: "{name} schickt Ihnen {what} {by} nicht mehr.",
  subscribeAgain: "Wieder anmelden",
  subscribed: "Sie sind wieder angemeldet",
  asBefore: "{name} darf Ihnen {what} {by} wieder schicken.",
  required: "Diese Nachrichten lassen sich nicht abbestellen",
  requiredWhy: "{name} schickt {what} allen, die es angeht.",
  preferences: "Ihre Nachrichten",
  choose: "Wählen Sie, was {name} Ihnen schicken darf.",
  allMessages: "Alle Nachrichten",
  allHint: "Was Sie hier ausschalten, ist auch für alles darunter aus.",
  always: "Wird immer gesendet",
  save: "Speichern",
  saved: "Ihre Auswahl ist gespeichert.",
  allOff: "Alles ausschalten",
  gone: "Dieser Link funktioniert nicht",
  goneHint:
    "Er ist unvollständig oder nicht mehr gültig. Bitte nehmen Sie den Link aus einer neueren Nachricht.",
};

const FR: PageWords = {
  language: "fr",
  these: "des messages de ce type",
  everything: "des messages",
  quoted: ["« ", " »"],
  unsubscribe: "Se désabonner",
  ask: "{name} vous envoie {what} {by}. Vous ne le souhaitez plus ?",
  unsubscribed: "Vous êtes désabonné(e)",
  noMore: "{name} ne vous enverra plus {what} {by}.",
  subscribeAgain: "Se réabonner",
  subscribed: "Vous êtes de nouveau abonné(e)",
  asBefore: "{name} peut de nouveau vous envoyer {what} {by}.",
  required: "Ces messages ne peuvent pas être désactivés",
  requiredWhy: "{name} envoie {what} à toutes les personnes concernées.",
  preferences: "Vos messages",
  choose: "Choisissez ce que {name} peut vous envoyer.",
  allMessages: "Tous les messages",
  allHint: "Ce que vous désactivez ici l’est aussi pour tout ce qui suit.",
  always: "Toujours envoyé",
  save: "Enregistrer",
  saved: "Votre choix est enregistré.",
  allOff: "Tout désactiver",
  gone: "Ce lien ne fonctionne pas",
  goneHint:
    "Il est incomplet ou n’est plus valable. Veuillez utiliser le lien d’un message plus récent.",
};

const ES: PageWords = {
  language: "es",
  these: "mensajes de este tipo",
  everything: "mensajes",
  quoted: ["«", "»"],
  unsubscribe: "Darse de baja",
  ask: "{name} le envía {what} {by}. ¿Ya no lo desea?",
  unsubscribed: "Se ha dado de baja",
  noMore: "{name} ya no le enviará {what} {by}.",
  subscribeAgain: "Volver a suscribirse",
  subscribed: "Se ha vuelto a suscribir",
  asBefore: "{name} puede volver a enviarle {what} {by}.",
  required: "Estos mensajes no se pueden desactivar",
  requiredWhy: "{name} envía {what} a todas las personas interesadas.",
  preferences: "Sus mensajes",
  choose: "Elija qué puede enviarle {name}.",
  allMessages: "Todos los mensajes",
  allHint: "Lo que desactive aquí queda desactivado también para todo lo siguiente.",
  always: "Se envía siempre",
  save: "Guardar",
  saved: "Su elección se ha guardado.",
  allOff: "Desactivar todo",
  gone: "Este enlace no funciona",
  goneHint: "Está incompleto o ya no es válido. Use el enlace de un mensaje más reciente.",
};

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
