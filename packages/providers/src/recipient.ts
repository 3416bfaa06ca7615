import { emailAddress } from "@belfry/contracts/email-address";
import type { EmailMessage, SmsMessage } from "@belfry/contracts/sending";
import { listHeadersFault } from "./list-headers.ts";

/** Nothing but blanks and characters that show nothing. */
const EMPTY_LINE = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Why no provider may be asked to send this; null when it may. Repeats nothing of the message. */
export function emailFault(message: EmailMessage): string | null {
  if (emailAddress(message.to) === undefined)
    return "the recipient's address is not one email address";
  if (EMPTY_LINE.test(message.subject)) return "the subject is empty";
  if (CONTROL_CHARACTER.test(message.subject)) return "the subject has control characters";
  if (message.html === "" && message.text === "") return "the message is empty";
  return message.headers === undefined ? null : listHeadersFault(message.headers);
}

/** Why no provider may be asked to send this; null when it may. Repeats nothing of the message. */
export function smsFault(message: SmsMessage): string | null {
  return message.text === "" ? "the message is empty" : null;
}
