import { emailAddress } from "@belfry/contracts/addresses";
import { PHONE, TRACE_ID } from "@belfry/contracts/identifiers";
import type { TermKind } from "./search-term-hash.ts";

/** A value by which an event is found, in the one form in which it is written and looked for. */
export interface SearchTerm {
  kind: TermKind;
  value: string;
}

/** So many digits of a number are the same however it is written: with its country, or as at home. */
const END_DIGITS = 8;
const LEAST_DIGITS = 6;
const MOST_DIGITS = 15;
const SEPARATORS = new Set(" \t\u00a0\u2009\u202f()[]./-\u2010\u2011\u2012\u2013\u2212");

/** Of an address that a message goes to, whatever the channel. */
export function addressTerms(address: string): SearchTerm[] {
  if (PHONE.test(address)) {
    return [
      { kind: "phone", value: address },
      { kind: "phone end", value: address.slice(-END_DIGITS) },
    ];
  }
  return address.includes("@") ? [{ kind: "email", value: mailbox(address) }] : [];
}

/** Of a vendor's id of a message: some stand between angle brackets, in one place and not in another. */
export function messageTerm(messageId: string): SearchTerm {
  return { kind: "message", value: unbracketed(messageId) };
}

/** Marks of direction, joiners, soft hyphens: nobody sees them, and copying brings them along. */
const UNSEEN = /\p{Cf}/gu;

/** In which writings an id may be stored that looks like the text: at most four, the text itself first. */
export function formsOfText(text: string): string[] {
  const seen = seenOf(text);
  return [...new Set([text, seen, seen.normalize("NFC"), seen.normalize("NFD")])];
}

/** What a person may mean by a text, a term each. Takes time by its length alone. */
export function termsOfText(given: string): SearchTerm[] {
  const terms = formsOfText(given).map((value): SearchTerm => ({ kind: "user", value }));
  const text = seenOf(given);
  const email = emailAddress(addressIn(text));
  if (email !== undefined) terms.push({ kind: "email", value: mailbox(email) });
  const phone = phoneIn(text);
  if (phone?.whole !== undefined) terms.push({ kind: "phone", value: phone.whole });
  else if (phone !== undefined && phone.digits.length >= END_DIGITS) {
    terms.push({ kind: "phone end", value: phone.digits.slice(-END_DIGITS) });
  }
  if (TRACE_ID.test(text)) terms.push({ kind: "trace", value: text });
  const message = unbracketed(text);
  terms.push({ kind: "message", value: message });
  // SendGrid's webhooks write more behind the id that it answered with.
  const dot = message.indexOf(".");
  if (dot > 0) terms.push({ kind: "message", value: message.slice(0, dot) });
  return terms;
}

export interface PhoneNumber {
  /** E.164; undefined: its country is not said. */
  whole: string | undefined;
  /** Without its country and the zero that stands for it, where it was not said. */
  digits: string;
}

/** A number in any usual writing: +49 (0)171 123-4567, 0049171…, 0171/1234567, (202) 555 0123. undefined: it is none. */
export function phoneIn(text: string): PhoneNumber | undefined {
  const plain = seenOf(text).normalize("NFKC").replace(/^tel:/i, "").replace("(0)", "");
  let digits = "";
  for (const letter of plain) {
    if (letter >= "0" && letter <= "9") digits += letter;
    else if (letter === "+" && digits === "") digits = "00";
    else if (!SEPARATORS.has(letter)) return undefined;
    if (digits.length > MOST_DIGITS + 3) return undefined;
  }
  const whole = digits.startsWith("00") ? `+${digits.slice(2)}` : undefined;
  if (whole !== undefined) {
    return PHONE.test(whole) ? { whole, digits: whole.slice(1) } : undefined;
  }
  const own = digits.startsWith("0") ? digits.slice(1) : digits;
  return own.length >= LEAST_DIGITS && own.length <= MOST_DIGITS
    ? { whole: undefined, digits: own }
    : undefined;
}

/** Where nothing is seen, the text as it is. */
function seenOf(text: string): string {
  return text.replace(UNSEEN, "").trim() || text;
}

/** In ordinary letters, however wide they were written: `Ann <ann@example.com>` and `mailto:ann@example.com` are what people paste. */
export function addressIn(given: string): string {
  const text = given.normalize("NFKC");
  const close = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  const inner = close < 0 ? text : text.slice(close + 1, -1);
  return inner.trim().replace(/^mailto:/i, "");
}

/** As suppressions are kept: ASCII letters in lower case. */
export function mailbox(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function unbracketed(text: string): string {
  return text.startsWith("<") && text.endsWith(">") ? text.slice(1, -1) : text;
}
