// Answers of people to a tenant's text messages.

/** The path to which a provider posts answers: `/webhooks/<kind of provider>/<tenant>/inbound`. */
export const INBOUND_PATH = "/webhooks/:provider/:tenantId/inbound";
export const MAX_INBOUND_CHARACTERS = 4_000;

export interface InboundText {
  /** Identifies the message, also if the provider posts it again: 1–255 characters. */
  vendorId: string;
  /** The sender's number, such as +12025550123, or the vendor's text if that is not such a number. */
  sender: string;
  /** The tenant's number, in the same form. */
  recipient: string;
  text: string;
  /** The keyword that the vendor recognized, if it reports one. */
  keyword?: OptKeyword | undefined;
}

/** stop: send no more messages. start: sending is allowed again. */
export type OptKeyword = "stop" | "start";

/**
 * Keywords, by the languages of the hosted pages, in lower case, without accents, words separated by one space. A
 * message must consist of the keyword alone. Words that people also write about an order or a contract, such as
 * cancelar or kündigen, are left out.
 */
export const OPT_WORDS: Readonly<Record<string, Readonly<Record<OptKeyword, readonly string[]>>>> =
  {
    en: {
      stop: [
        ...["stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "revoke"],
        ...["optout", "opt out"],
      ],
      start: ["start", "unstop"],
    },
    de: {
      stop: ["stopp", "abmelden", "abbestellen", "austragen"],
      start: ["anmelden"],
    },
    fr: {
      stop: [
        ...["stop sms", "arret", "arreter", "arretez", "desabonner", "desabonnement"],
        ...["desinscrire", "desinscription"],
      ],
      start: ["commencer", "reprendre"],
    },
    es: {
      stop: ["alto", "baja", "parar", "detener", "dar de baja", "darme de baja"],
      start: ["alta", "comenzar", "reanudar"],
    },
  };

const KEYWORDS: ReadonlyMap<string, OptKeyword> = new Map(
  Object.values(OPT_WORDS).flatMap(({ stop, start }) => [
    ...stop.map((word) => [word, "stop"] as const),
    ...start.map((word) => [word, "start"] as const),
  ]),
);
/** Longer than any keyword with the characters that may surround it. */
const MAX_KEYWORD_CHARACTERS = 200;

/**
 * Returns the keyword if the message consists of it alone; else undefined, so that a person reads the message. Ignores
 * case, width and accents of letters, and surrounding quotes, punctuation, hyphens, blanks, emoji and invisible
 * characters.
 */
export function optKeyword(text: string): OptKeyword | undefined {
  if (text.length > MAX_KEYWORD_CHARACTERS) return undefined;
  const words = text
    // Before NFKD, which turns some of them into letters, such as ™.
    .replaceAll(/\p{Extended_Pictographic}|[0-9#*]\ufe0f?\u20e3/gu, " ")
    .normalize("NFKD")
    .replaceAll(/[\p{Cf}\p{M}]+/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ");
  return KEYWORDS.get(words.trim().toLowerCase());
}
