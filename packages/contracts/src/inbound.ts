/** Answers of people to a tenant's text messages. */

/** The path to which a provider delivers them: `/webhooks/<kind of provider>/<tenant>/inbound`. */
export const INBOUND_PATH = "/webhooks/:provider/:tenantId/inbound";
export const MAX_INBOUND_CHARACTERS = 4_000;

export interface InboundText {
  /** Identifies a message that comes again: 1–255 characters. */
  vendorId: string;
  /** The sender's number, such as +12025550123, or the vendor's text if it is no such number. */
  sender: string;
  /** The tenant's number, in the same form. */
  recipient: string;
  text: string;
  /** The keyword that the vendor itself recognized, if it says so. */
  keyword?: OptKeyword | undefined;
}

/** stop: send nothing more · start: sending is allowed again. */
export type OptKeyword = "stop" | "start";

/**
 * Whole messages that are keywords, in the languages of the hosted pages: in lower case, without accents, words separated
 * by one space. The list leaves out words that people also write about an order or a contract, such as cancelar or kündigen.
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
/** Longer than any with what may stand around it. */
const MAX_KEYWORD_CHARACTERS = 200;

/**
 * Returns the keyword of a message that consists of it alone. Ignores the case, width and accents of letters, and quotes,
 * punctuation, hyphens, blanks, emoji and invisible characters around it. Undefined: people must read the message.
 */
export function optKeyword(text: string): OptKeyword | undefined {
  if (text.length > MAX_KEYWORD_CHARACTERS) return undefined;
  const words = text
    // Before some of them become letters, as ™ does.
    .replaceAll(/\p{Extended_Pictographic}|[0-9#*]\ufe0f?\u20e3/gu, " ")
    .normalize("NFKD")
    .replaceAll(/[\p{Cf}\p{M}]+/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ");
  return KEYWORDS.get(words.trim().toLowerCase());
}
