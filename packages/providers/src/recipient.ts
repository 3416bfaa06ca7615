import { domainToASCII } from "node:url";
import type { EmailMessage, SmsMessage } from "@belfry/contracts/sending";
import { listHeadersFault } from "./list-headers.ts";

/**
 * One bare address: no name, list, comment, quoted local part or control character. Stricter than
 * RFC 5322: what a mailer could read as more than one address is refused.
 */
export const EMAIL_ADDRESS_PATTERN =
  '^(?=.{3,254}$)[^\\s@<>()\\[\\]\\\\,;:"\\u0000-\\u0020\\u007f-\\u009f]{1,64}@' +
  "[A-Za-z0-9\\u00a1-\\uffff](?:[A-Za-z0-9\\u00a1-\\uffff-]*[A-Za-z0-9\\u00a1-\\uffff])?" +
  "(?:\\.[A-Za-z0-9\\u00a1-\\uffff](?:[A-Za-z0-9\\u00a1-\\uffff-]*[A-Za-z0-9\\u00a1-\\uffff])?)+$";

const EMAIL_ADDRESS = new RegExp(EMAIL_ADDRESS_PATTERN);
/** Nothing but blanks and characters that show nothing. */
const EMPTY_LINE = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function isEmailAddress(text: string): boolean {
  if (!EMAIL_ADDRESS.test(text)) return false;
  const ascii = asciiDomain(text);
  return !ascii.endsWith("@") && ascii.length <= 254;
}

/** The address with its domain as the DNS has it (`bücher.example` is `xn--bcher-kva.example`). */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf("@");
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}

/** Why no provider may be asked to send this; null when it may. Repeats nothing of the message. */
export function emailFault(message: EmailMessage): string | null {
  if (!isEmailAddress(message.to)) return "the recipient's address is not one email address";
  if (EMPTY_LINE.test(message.subject)) return "the subject is empty";
  if (CONTROL_CHARACTER.test(message.subject)) return "the subject has control characters";
  if (message.html === "" && message.text === "") return "the message is empty";
  return message.headers === undefined ? null : listHeadersFault(message.headers);
}

/** Why no provider may be asked to send this; null when it may. Repeats nothing of the message. */
export function smsFault(message: SmsMessage): string | null {
  return message.text === "" ? "the message is empty" : null;
}
