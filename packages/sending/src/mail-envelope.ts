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
  /** Texts for the timeline about parts that were left out. They contain no address. */
  warnings: string[];
}

interface Mail {
  to: string;
  variables: Record<string, unknown>;
  settings: RenderSettings;
  /** Whether the mail has the recipient's link to unsubscribe or to preferences, which others must not get. */
  hasOwnLink: boolean;
}

/** Returns a mail's envelope. Each field comes from the event, else from the template. */
export function mailEnvelope(claimed: ClaimedEnvelope, mail: Mail): MailEnvelope {
  const said: Envelope = { ...claimed.template, ...claimed.event };
  const made: MailEnvelope = { fields: {}, warnings: [] };
  const fromName = lineOf("fromName", MAX_TEXT_CHARACTERS, claimed, mail);
  if (fromName !== undefined && fromNameFault(fromName) === undefined) {
    made.fields.fromName = fromName;
  } else if (fromName !== "" && said.fromName !== undefined) {
    made.warnings.push("sender's name left out: it is too long or no name");
  }
  const replyTo = lineOf("replyTo", MAX_ADDRESS, claimed, mail);
  if (replyTo !== undefined && replyToFault(replyTo) === undefined) {
    made.fields.replyTo = emailAddress(replyTo) ?? replyTo;
  } else if (replyTo !== "" && said.replyTo !== undefined) {
    made.warnings.push("reply address left out: it is no email address in ASCII");
  }
  addCopies(made, "cc", distinctAddresses(said.cc ?? [], namesOf([mail.to])), claimed, mail);
  const taken = namesOf([mail.to, ...(made.fields.cc ?? [])]);
  addCopies(made, "bcc", distinctAddresses(said.bcc ?? [], taken), claimed, mail);
  return made;
}

/**
 * Returns a field of the envelope, or undefined if it is not set or too long. A template's field is rendered. An
 * event's field is a plain value, which is never rendered.
 */
function lineOf(
  name: "fromName" | "replyTo",
  maxCharacters: number,
  { template, event }: ClaimedEnvelope,
  { variables, settings }: Mail,
): string | undefined {
  if (event?.[name] !== undefined) return event[name];
  const text = template?.[name];
  return text && renderLine(text, maxCharacters, variables, settings)?.trim();
}

function namesOf(addresses: readonly string[]): Set<string> {
  return new Set(addresses.map((address) => address.toLowerCase()));
}

function addCopies(
  { fields, warnings }: MailEnvelope,
  name: "cc" | "bcc",
  asked: readonly string[],
  { suppressed }: ClaimedEnvelope,
  { hasOwnLink }: Mail,
): void {
  if (asked.length === 0) return;
  if (hasOwnLink) {
    warnings.push(`${name} left out: the mail has its recipient's link to unsubscribe`);
    return;
  }
  const left = asked.filter((address) => !Object.hasOwn(suppressed ?? {}, address.toLowerCase()));
  const count = asked.length - left.length;
  if (count > 0) warnings.push(`${name}: ${count} left out, as suppressed`);
  if (left.length > 0) fields[name] = left;
}
