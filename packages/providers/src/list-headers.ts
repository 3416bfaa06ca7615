import type { EmailMessage, ListHeaders } from "@belfry/contracts/sending";

/**
 * A line of a mail has 998 characters (RFC 5322, 2.1.1), and an address cannot be folded: whoever cuts it makes
 * a link that leads nowhere.
 */
const MAX_URL_CHARACTERS = 960;
const MAX_ID_CHARACTERS = 255;
const URL_FORM = /^https?:\/\/[\x21\x23-\x3b\x3d\x3f-\x7e]+$/;
/** RFC 2919: a dot-atom of at least two parts. */
const LIST_ID_FORM = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/;

/** The header fields of a mail that can be unsubscribed from, by name; empty for any other. */
export function listHeaders({ headers }: Pick<EmailMessage, "headers">): Record<string, string> {
  if (headers === undefined) return {};
  return {
    "List-Unsubscribe": `<${headers.listUnsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": `<${headers.listId}>`,
  };
}

/** Why they cannot stand in a mail; null when they can. Repeats nothing of them. */
export function listHeadersFault({ listUnsubscribe, listId }: ListHeaders): string | null {
  if (listUnsubscribe.length > MAX_URL_CHARACTERS || !URL_FORM.test(listUnsubscribe)) {
    return "the address to unsubscribe by cannot stand in a header";
  }
  return listId.length > MAX_ID_CHARACTERS || !LIST_ID_FORM.test(listId)
    ? "the list's id cannot stand in a header"
    : null;
}
