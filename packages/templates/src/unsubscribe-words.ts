/** The words of the links below a mail with which a reader unsubscribes. */
export interface UnsubscribeWords {
  unsubscribe: string;
  preferences: string;
}

/** The languages of the pages that they lead to. */
const WORDS: Readonly<Record<string, UnsubscribeWords>> = {
  en: { unsubscribe: "Unsubscribe", preferences: "Preferences" },
  de: { unsubscribe: "Abmelden", preferences: "Einstellungen" },
  fr: { unsubscribe: "Se désabonner", preferences: "Préférences" },
  es: { unsubscribe: "Darse de baja", preferences: "Preferencias" },
};

/** In a mail's language, such as `de-AT`; in English where there are none. */
export function unsubscribeWords(language = ""): UnsubscribeWords {
  const [code = ""] = language.toLowerCase().split("-", 1);
  return WORDS[code] ?? (WORDS.en as UnsubscribeWords);
}

/** Whether a text has a link to unsubscribe of its own. */
export function linksToUnsubscribe(text: string): boolean {
  return text.includes("$unsubscribe_url") || text.includes("$list_unsubscribe_url");
}
