import { domainToASCII } from "node:url";
import { PHONE } from "./identifiers.ts";

/** RFC 5321 lengths of the local part and of the whole, in octets of UTF-8. */
const MAX_LOCAL = 64;
export const MAX_ADDRESS = 254;

/** Most addresses: ASCII, dots where RFC 5321 allows them. */
const PLAIN_LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Also letters beyond ASCII (RFC 6531), and dots anywhere, as Japanese carriers gave them out. */
const UNQUOTED_LOCAL = /^(?:[a-z0-9!#$%&'*+/=?^_`{|}~.-]|[^\p{ASCII}\p{C}\p{Z}])+$/iu;
/** Printable characters, `"` and `\` behind a `\`. Without angle brackets: mailers cut an address at them. */
const QUOTED_LOCAL = /^"((?:[ !#-;=?-[\]-~]|[^\p{ASCII}\p{C}\p{Z}]|\\["\\])+)"$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** domainToASCII also forgives spaces, ports and percent signs. */
const UNICODE_DOMAIN = /^[a-z0-9.\u0080-\uffff-]+$/i;

/**
 * The one form in which an address is stored, compared and suppressed, or undefined when the text is not one
 * address that SMTP can carry, with SMTPUTF8 or without. Nothing that could start a header or a second
 * recipient passes.
 *
 * The local part is NFC, without quotes that it does not need; an international domain is in its ASCII form.
 * The case of letters stays.
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
 * An address as SMTP, header fields and vendors take it: RFC 5321 wants a local part in quotes whose dots stand
 * at its ends or side by side. It needs SMTPUTF8 where it is not ASCII.
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
  // Before it is looked at: some characters compose to ASCII ones.
  const local = text.normalize("NFC");
  if (UNQUOTED_LOCAL.test(local)) return local;
  const content = QUOTED_LOCAL.exec(local)?.[1]?.replaceAll(/\\(.)/gu, "$1");
  if (content === undefined) return undefined;
  // The same mailbox, says RFC 5321.
  return UNQUOTED_LOCAL.test(content) ? content : `"${content.replaceAll(/["\\]/g, "\\$&")}"`;
}

function asciiDomain(text: string): string | undefined {
  if (DOMAIN.test(text)) return text;
  if (!UNICODE_DOMAIN.test(text)) return undefined;
  const ascii = domainToASCII(text);
  return DOMAIN.test(ascii) ? ascii : undefined;
}

/** A field of the trigger's payload that says where a message goes. */
export type AddressField = "recipientEmail" | "recipientPhone";

interface AddressRow {
  field: AddressField;
  /** Column in the table of events. */
  column: string;
  label: string;
  /** The words after "must be" in a fault. */
  form: string;
  placeholder: string;
  /** Column names in files of other services, most usual first, without blanks and punctuation. */
  headings: readonly string[];
  /** Returns the address in its stored form; undefined if the text is none. */
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
};
