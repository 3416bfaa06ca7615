import { emailAddress } from "@belfry/contracts/addresses";
import type { ReasonCode } from "@belfry/contracts/reasons";
import type { EmailMessage, ListHeaders, SmsMessage } from "@belfry/contracts/sending";

/**
 * A line of a mail has 998 characters (RFC 5322, 2.1.1), and an address cannot be folded: whoever cuts it makes
 * a link that leads nowhere.
 */
const MAX_URL_CHARACTERS = 960;
const MAX_ID_CHARACTERS = 255;
const URL_FORM = /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/;
/** RFC 2919: a dot-atom of at least two parts. */
const LIST_ID_FORM = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/;
/** Nothing but blanks and characters that show nothing. */
const EMPTY_LINE = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Why no provider may be asked to send this; null when it may. Repeats nothing of the message. */
export function emailFault(message: EmailMessage): ReasonCode | null {
  if (emailAddress(message.to) === undefined) return "address-invalid";
  if (EMPTY_LINE.test(message.subject)) return "subject-empty";
  if (CONTROL_CHARACTER.test(message.subject)) return "subject-control-characters";
  if (message.html === "" && message.text === "") return "message-empty";
  return message.headers === undefined ? null : listHeadersFault(message.headers);
}

/** Why no provider may be asked to send this; null when it may. Repeats nothing of the message. */
export function smsFault(message: SmsMessage): ReasonCode | null {
  return message.text === "" ? "message-empty" : null;
}

/** The header fields of a mail, by name, beside those that are about its addresses and parts. */
export function mailHeaders({ headers }: Pick<EmailMessage, "headers">): Record<string, string> {
  // RFC 3834: out-of-office robots and other responders do not answer it.
  const automatic = { "Auto-Submitted": "auto-generated" };
  if (headers === undefined) return automatic;
  return {
    ...automatic,
    "List-Unsubscribe": `<${headers.listUnsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": `<${headers.listId}>`,
  };
}

/** Why they cannot stand in a mail; null when they can. Repeats nothing of them. */
export function listHeadersFault({ listUnsubscribe, listId }: ListHeaders): ReasonCode | null {
  if (listUnsubscribe.length > MAX_URL_CHARACTERS || !URL_FORM.test(listUnsubscribe)) {
    return "unsubscribe-address-invalid";
  }
  return listId.length > MAX_ID_CHARACTERS || !LIST_ID_FORM.test(listId) ? "list-id-invalid" : null;
}
