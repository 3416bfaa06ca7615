import { emailAddress, MAX_ADDRESS } from "@belfry/contracts/addresses";
import {
  distinctAddresses,
  type Envelope,
  fromNameFault,
  replyToFault,
} from "@belfry/contracts/envelope";
import { MAX_TEXT_CHARACTERS } from "@belfry/contracts/identifiers";
import type { EmailMessage } from "@belfry/contracts/sending";
import type { ClaimedEnvelope } from "@belfry/database/functions/claim-deliveries";
import type { RenderSettings } from "@belfry/templates/language/rendering";
import { renderLine } from "@belfry/templates/line";

interface MailEnvelope {
  fields: Pick<EmailMessage, "fromName" | "replyTo" | "cc" | "bcc">;
  /** What was left out, for the timeline; it names no address. */
  warnings: string[];
}

interface Mail {
  to: string;
  variables: Record<string, unknown>;
  settings: RenderSettings;
  /** It has a link by which its recipient unsubscribes or sees preferences: whoever holds it can, too. */
  hasOwnLink: boolean;
}

/** What a mail says beside its text: field by field what its event says, else its template. */
export function mailEnvelope(
  { template, event, suppressed }: ClaimedEnvelope,
  mail: Mail,
): MailEnvelope {
  const warnings: string[] = [];
  const said: Envelope = { ...template, ...event };
  const fields: MailEnvelope["fields"] = {};
  const written = (name: "fromName" | "replyTo", maxCharacters: number) => {
    const text = said[name];
    // A trigger's is a value, and a value is never a template.
    if (text === undefined || event?.[name] !== undefined) return text;
    return renderLine(text, maxCharacters, mail.variables, mail.settings)?.trim();
  };
  const judged = (name: "fromName" | "replyTo", text: string | undefined, words: string) => {
    if (said[name] === undefined || text === "") return;
    const fault = name === "fromName" ? fromNameFault : replyToFault;
    if (text === undefined || fault(text) !== undefined) warnings.push(words);
    else fields[name] = name === "replyTo" ? (emailAddress(text) ?? text) : text;
  };
  judged(
    "fromName",
    written("fromName", MAX_TEXT_CHARACTERS),
    "sender's name left out: it is too long or no name",
  );
  judged(
    "replyTo",
    written("replyTo", MAX_ADDRESS),
    "reply address left out: it is no email address in ASCII",
  );
  copiesOf("cc", mail.to);
  copiesOf("bcc", mail.to, ...(fields.cc ?? []));
  return { fields, warnings };

  function copiesOf(name: "cc" | "bcc", ...taken: string[]): void {
    const known = new Set(taken.map((address) => address.toLowerCase()));
    const asked = distinctAddresses(said[name] ?? [], known);
    if (asked.length === 0) return;
    if (mail.hasOwnLink) {
      warnings.push(`${name} left out: the mail has its recipient's link to unsubscribe`);
      return;
    }
    const left = asked.filter((address) => !Object.hasOwn(suppressed ?? {}, address.toLowerCase()));
    const count = asked.length - left.length;
    if (count > 0) warnings.push(`${name}: ${count} left out, as suppressed`);
    if (left.length > 0) fields[name] = left;
  }
}
