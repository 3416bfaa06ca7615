import { domainToASCII } from "node:url";
import { PHONE } from "./identifiers.ts";

/** Maximum lengths of the local part and of the whole address (RFC 5321), in bytes of UTF-8. */
const MAX_LOCAL = 64;
export const MAX_ADDRESS = 254;

/** The local part of most addresses: ASCII, with dots where RFC 5321 allows them. */
const PLAIN_LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Also letters beyond ASCII (RFC 6531), and dots anywhere, because Japanese carriers gave out such addresses. */
const UNQUOTED_LOCAL = /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~.-]|[^\p{ASCII}\p{C}\p{Z}])+$/iu;
/**
 * Printable characters in quotes, with `\` before `"` and `\`. No angle brackets, because mailers cut an address there.
 */
const QUOTED_LOCAL = /^"((?:[ !#-;=?-[\]-~]|[^\p{ASCII}\p{C}\p{Z}]|\\["\\])+)"$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** Checked first, because domainToASCII also accepts spaces, ports and percent signs. */
const UNICODE_DOMAIN = /^[a-z0-9.\u0080-\uffff-]+$/i;

/**
 * Returns the canonical form in which an address is stored, compared and suppressed. Undefined if the text is not
 * exactly one address that SMTP can transport, with or without SMTPUTF8. Rejects everything that could begin a header
 * or a second recipient.
 *
 * The local part is NFC, without unnecessary quotes. An international domain is in its ASCII form. The case of letters
 * does not change.
 */
export function emailAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS) return undefined;
  const at = text.lastIndexOf("@");
  const local = localPart(text.slice(0, Math.max(at, 0)));
  const domain = asciiDomain(text.slice(at + 1));
  if (local === undefined || domain === undefined) return undefined;
  const address = `${local}@${domain}`;
  return Buffer.byteLength(local) <= MAX_LOCAL && Buffer.byteLength(address) <= MAX_ADDRESS
    ? address
    : undefined;
}

/**
 * Returns the form of an address for SMTP, header fields and vendors: RFC 5321 requires quotes around a local part with
 * dots at its ends or side by side. An address that is not ASCII needs SMTPUTF8.
 */
export function wireAddress(text: string): string {
  const address = emailAddress(text) ?? text;
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at);
  const hasOddDots = /^\.|\.\.|\.$/.test(local) && !local.startsWith('"');
  return hasOddDots ? `"${local}"${address.slice(at)}` : address;
}

function localPart(text: string): string | undefined {
  if (PLAIN_LOCAL.test(text)) return text;
  // Normalized before the test, because some characters compose to ASCII ones.
  const local = text.normalize("NFC");
  if (UNQUOTED_LOCAL.test(local)) return local;
  const content = QUOTED_LOCAL.exec(local)?.[1]?.replaceAll(/\\(.)/gu, "$1");
  if (content === undefined) return undefined;
  // RFC 5321: with or without the quotes it is the same mailbox.
  return UNQUOTED_LOCAL.test(content) ? content : `"${content.replaceAll(/["\\]/g, "\\$&")}"`;
}

function asciiDomain(text: string): string | undefined {
  if (DOMAIN.test(text)) return text;
  if (!UNICODE_DOMAIN.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return DOMAIN.test(ascii) ? ascii : undefined;
}

/** A field of the trigger's payload that contains the recipient's address on a channel. */
export type AddressField = "recipientEmail" | "recipientPhone" | "recipientChat";

/** The kind of a provider, a colon, and a target at its vendor or the name of one in the provider's settings. */
const CHAT_ADDRESS = /^([a-z][a-z0-9-]{0,31}):[^\p{C}\p{Z}]{1,200}$/u;

/** Returns the kind of the only providers that reach a chat address; undefined if the text is not a chat address. */
export function chatKindOf(address: string): string | undefined {
  return CHAT_ADDRESS.exec(address)?.[1];
}

interface AddressRow {
  field: AddressField;
  /** The column in the table of events. */
  column: string;
  label: string;
  /** The text after "must be" in a fault. */
  form: string;
  placeholder: string;
  /** The column names in files of other services, most common first, without blanks and punctuation. */
  headings: readonly string[];
  /** Returns the address in its stored form; undefined if the text is not an address. */
  read(text: string): string | undefined;
}

export const ADDRESSES: Readonly<Record<AddressField, AddressRow>> = {
  recipientEmail: {
    field: "recipientEmail",
    column: "recipient_email",
    label: "Email address",
    form: "an email address",
    placeholder: "",
    headings: ["email", "emailaddress", "mail", "mailaddress", "recipientemail", "emailadresse"],
    read: emailAddress,
  },
  recipientPhone: {
    field: "recipientPhone",
    column: "recipient_phone",
    label: "Phone number",
    form: "a phone number such as +12025550123",
    placeholder: "+12025550123",
    headings: [
      "phone",
      "phonenumber",
      "mobile",
      "mobilenumber",
      "msisdn",
      "number",
      "telefon",
      "to",
    ],
    read: (text) => (PHONE.test(text) ? text : undefined),
  },
  recipientChat: {
    field: "recipientChat",
    column: "recipient_chat",
    label: "Chat address",
    form: "a chat address such as slack:C024BE91L",
    placeholder: "slack:C024BE91L",
    headings: ["chat", "chataddress", "recipientchat"],
    read: (text) => (CHAT_ADDRESS.test(text) ? text : undefined),
  },
};
