import {
  MAX_VENDOR_ANSWER_BYTES,
  type OutcomeClass,
  type SendOutcome,
} from "@belfry/contracts/sending";

/** An outcome of which only what is known is given. */
export function outcome(
  outcomeClass: OutcomeClass,
  reason: string,
  known: Partial<Omit<SendOutcome, "class" | "reason">> = {},
): SendOutcome {
  return {
    class: outcomeClass,
    reason,
    messageId: null,
    vendorStatus: null,
    vendorAnswer: null,
    retryAfterSeconds: null,
    ...known,
  };
}

/** Nothing was asked of the vendor. */
export function notBegun(reason: string): SendOutcome {
  return outcome("transient", reason, { notBegun: true });
}

/** Carries an outcome out through a vendor's library. */
export class NotAccepted extends Error {
  readonly outcome: SendOutcome;
  constructor(notAccepted: SendOutcome) {
    super(notAccepted.reason);
    this.name = "NotAccepted";
    this.outcome = notAccepted;
  }
}

/** What `send` returns when a vendor's library threw: what it carried, else a fault of the settings or message. */
export function thrownOutcome(error: unknown, otherwise: OutcomeClass): SendOutcome {
  if (error instanceof NotAccepted) return error.outcome;
  return outcome(otherwise, "the vendor's library refused the message before any call");
}

/**
 * The first KB of a vendor's answer, fit for a text column: credentials masked (a vendor may echo
 * them), no NUL, no lone surrogate, cut between characters. Null for an empty answer.
 */
export function vendorAnswer(text: string, secrets: readonly string[]): string | null {
  let clean = text;
  for (const secret of secrets) {
    for (const form of writtenForms(secret)) clean = clean.replaceAll(form, "••••");
  }
  clean = clean.replace(/\b(Bearer|Basic)(\s+)[\w+/=.~-]{8,}/gi, "$1$2••••");
  clean = clean.replaceAll("\u0000", "").toWellFormed().trim();
  if (clean === "") return null;
  const bytes = Buffer.from(clean);
  if (bytes.length <= MAX_VENDOR_ANSWER_BYTES) return clean;
  let end = MAX_VENDOR_ANSWER_BYTES;
  // A continuation byte (10xxxxxx) at the cut belongs to a character that began before it.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

function writtenForms(secret: string): string[] {
  // Too short to be told from ordinary text: masking it would only spoil the answer.
  if (secret.length < 4) return [];
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}
