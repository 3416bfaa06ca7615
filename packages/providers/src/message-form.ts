import { emailAddress, wireAddress } from "@belfry/contracts/addresses";
import { fromNameFault, replyToFault } from "@belfry/contracts/envelope";
import type { ReasonCode } from "@belfry/contracts/reasons";
import type { ChatMessage, EmailMessage, ListHeaders, SmsMessage } from "@belfry/contracts/sending";

/**
 * A line of a mail has at most 998 characters (RFC 5322, 2.1.1), and a URL cannot be folded: if a server cuts the line,
 * the link is broken.
 */
const MAX_URL_CHARACTERS = 960;
const MAX_ID_CHARACTERS = 255;
const URL_FORM = /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/;
/** RFC 2919: a dot-atom of at least two parts. */
const LIST_ID_FORM = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/;
/** Only blanks and invisible characters. */
const EMPTY_LINE = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Returns why this message must not be handed to a provider, or null. The reason quotes nothing of the message. */
export function emailFault(message: EmailMessage): ReasonCode | null {
  if (emailAddress(message.to) === undefined) return "address-invalid";
  if (EMPTY_LINE.test(message.subject)) return "subject-empty";
  if (CONTROL_CHARACTER.test(message.subject)) return "subject-control-characters";
  if (message.html === "" && message.text === "") return "message-empty";
  const { fromName, replyTo } = message;
  if (fromName !== undefined && fromNameFault(fromName) !== undefined) return "from-name-invalid";
  if (replyTo !== undefined && replyToFault(replyTo) !== undefined) return "reply-to-invalid";
  if (copiesOf(message).some((one) => emailAddress(one) === undefined)) return "copy-invalid";
  return message.headers === undefined ? null : listHeadersFault(message.headers);
}

/** Returns why this message must not be handed to a provider, or null. The reason quotes nothing of the message. */
export function smsFault(message: SmsMessage): ReasonCode | null {
  return message.text === "" ? "message-empty" : null;
}

/** Returns the addresses of everybody who gets a copy. */
export function copiesOf({ cc = [], bcc = [] }: Pick<EmailMessage, "cc" | "bcc">): string[] {
  return [...cc, ...bcc];
}

/** Returns the sender and the reply address: the message's, else those of the provider's settings. */
export function senderOf(
  { fromName, replyTo }: Pick<EmailMessage, "fromName" | "replyTo">,
  settings: { from: string; fromName?: string | undefined; replyTo?: string | undefined },
) {
  const answersTo = replyTo ?? settings.replyTo;
  return {
    address: wireAddress(settings.from),
    name: fromName ?? settings.fromName,
    replyTo: answersTo === undefined ? undefined : wireAddress(answersTo),
  };
}

/** Bytes of a mail in addition to its texts: its header fields and the boundaries of its parts. */
const FRAME_BYTES = 8 * 1024;

/** Returns an upper bound of a mail's size in transit: all parts in base64. Vendors encode most texts shorter. */
export function mailBytes({
  html,
  text,
  attachments = [],
}: Pick<EmailMessage, "html" | "text" | "attachments">): number {
  const parts = [html, text].map((part) => Buffer.byteLength(part));
  const files = attachments.map(({ bytes }) => bytes);
  return [...parts, ...files].reduce((sum, bytes) => sum + encodedBytes(bytes), FRAME_BYTES);
}

/** Returns the size in base64 with lines of 76 characters and their ends. */
export function encodedBytes(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4;
  return characters + Math.ceil(characters / 76) * 2;
}

/** Returns Belfry's ids of a message, which a vendor stores and repeats in its receipts. Never personal data. */
export function messageIds({
  deliveryId,
  tenantId,
  eventId,
}: EmailMessage | SmsMessage | ChatMessage) {
  return { delivery_id: deliveryId, tenant_id: tenantId, event_id: eventId };
}

/** Returns the header fields of a mail by name, except those about its addresses and parts. */
export function mailHeaders({ headers }: Pick<EmailMessage, "headers">): Record<string, string> {
  // RFC 3834: automatic responders such as out-of-office replies do not answer such a mail.
  const automatic = { "Auto-Submitted": "auto-generated" };
  if (headers === undefined) return automatic;
  return {
    ...automatic,
    "List-Unsubscribe": `<${headers.listUnsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": `<${headers.listId}>`,
  };
}

/** Returns why these header fields cannot be in a mail, or null. The reason repeats none of their text. */
export function listHeadersFault({ listUnsubscribe, listId }: ListHeaders): ReasonCode | null {
  if (listUnsubscribe.length > MAX_URL_CHARACTERS || !URL_FORM.test(listUnsubscribe)) {
    return "unsubscribe-address-invalid";
  }
  return listId.length > MAX_ID_CHARACTERS || !LIST_ID_FORM.test(listId) ? "list-id-invalid" : null;
}

/** An encoded word (RFC 2047). */
const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?/i;
/** A word has at most 75 characters, and 45 bytes are 60 characters of base64. */
const MAX_WORD_BYTES = 45;

/** Encodes a subject that looks like encoded words, because mail clients would decode it. */
export function encodedSubject(subject: string): string {
  return ENCODED_WORD.test(subject) ? encodedWords(subject) : subject;
}

/** Returns an address with a display name, in the form of header fields and vendors (RFC 5322, 3.4). */
export function namedAddress(address: string, name: string | undefined): string {
  const wire = wireAddress(address);
  if (name === undefined) return wire;
  const isPlain = PRINTABLE_ASCII.test(name) && !ENCODED_WORD.test(name);
  return `${isPlain ? `"${name.replaceAll(/["\\]/g, "\\$&")}"` : encodedWords(name)} <${wire}>`;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

function encodedWords(text: string): string {
  const words: string[] = [];
  let part = "";
  for (const character of text) {
    if (Buffer.byteLength(part + character) > MAX_WORD_BYTES) {
      words.push(part);
      part = "";
    }
    part += character;
  }
  words.push(part);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}
