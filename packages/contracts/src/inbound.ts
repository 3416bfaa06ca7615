/** What people answer to a tenant's text messages. */

/** Where a provider delivers them: `/webhooks/<kind of provider>/<tenant>/inbound`. */
export const INBOUND_PATH = "/webhooks/:provider/:tenantId/inbound";
export const MAX_INBOUND_BYTES = 64 * 1024;
export const MAX_INBOUND_CHARACTERS = 4_000;

export interface InboundText {
  /** By which the same message is known when it comes again: 1–255 characters. */
  vendorId: string;
  /** Who wrote it, as +12025550123; or what the vendor names, where it is no such number. */
  sender: string;
  /** The tenant's number, in the same form. */
  recipient: string;
  text: string;
  /** What the vendor itself took it for, where it says so. */
  keyword?: OptKeyword | undefined;
}

/** stop: nothing more is to be sent · start: it may be again. */
export type OptKeyword = "stop" | "start";

const KEYWORDS: Readonly<Record<string, OptKeyword>> = {
  STOP: "stop",
  STOPALL: "stop",
  UNSUBSCRIBE: "stop",
  CANCEL: "stop",
  END: "stop",
  QUIT: "stop",
  REVOKE: "stop",
  OPTOUT: "stop",
  "OPT OUT": "stop",
  START: "start",
  UNSTOP: "start",
};
/** Longer than any with what may stand around it. */
const MAX_KEYWORD_CHARACTERS = 40;

/**
 * What a message says if a keyword is all of it: in any case, with blanks around it and a full stop or
 * exclamation marks behind. Undefined: people have to read it.
 */
export function optKeyword(text: string): OptKeyword | undefined {
  const word = text.trim();
  if (word.length > MAX_KEYWORD_CHARACTERS) return undefined;
  const bare = word
    .replace(/[.!]{1,10}$/, "")
    .trimEnd()
    .replace(/\s+/g, " ")
    .toUpperCase();
  return Object.hasOwn(KEYWORDS, bare) ? KEYWORDS[bare] : undefined;
}

/** A text for the tenant's people: one that is no keyword. */
export interface InboundMessage {
  id: string;
  /** The kind of provider that it came through. */
  provider: string;
  sender: string;
  recipient: string;
  text: string;
  receivedAt: string;
}
