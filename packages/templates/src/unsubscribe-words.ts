/** The texts of the links below a mail with which a reader unsubscribes. */
export interface UnsubscribeWords {
  unsubscribe: string;
  preferences: string;
}

/** The texts in the languages of the pages that the links open. */
const WORDS: Readonly<Record<string, UnsubscribeWords>> = {
  en: { unsubscribe: "Unsubscribe", preferences: "Preferences" },
  de: { unsubscribe: "Abmelden", preferences: "Einstellungen" },
  fr: { unsubscribe: "Se désabonner", preferences: "Préférences" },
  es: { unsubscribe: "Darse de baja", preferences: "Preferencias" },
};

/** Returns the texts in a mail's language, such as `de-AT`, or in English if there are none in it. */
export function unsubscribeWords(language = ""): UnsubscribeWords {
  const [code = ""] = language.toLowerCase().split("-", 1);
  return WORDS[code] ?? (WORDS.en as UnsubscribeWords);
}

/** Whether a text has its own unsubscribe link. */
export function linksToUnsubscribe(text: string): boolean {
  return text.includes("$unsubscribe_url") || text.includes("$list_unsubscribe_url");
}
