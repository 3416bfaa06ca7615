import { type Static, Type } from "@sinclair/typebox";
import { emailAddress, MAX_ADDRESS } from "./addresses.ts";
import { attachmentsField, type MailAttachment } from "./attachments.ts";
import { emailOrNone, field, open } from "./fields.ts";
import { MAX_TEXT_CHARACTERS, PLAIN_TEXT, textFault } from "./identifiers.ts";

/** The maximum of addresses in cc, and in bcc. */
export const MAX_COPIES = 10;

/**
 * A mail's envelope: everything except its text and recipient. An absent part is that of the template, or else of the
 * provider. Addresses have the form of `emailAddress`, and none occurs twice.
 */
export interface Envelope {
  fromName?: string;
  replyTo?: string;
  cc?: string[];
  bcc?: string[];
  /** Set only for an event. */
  attachments?: MailAttachment[];
}

/** Returns why a text cannot be the name next to a sender's address; undefined if it can. */
export function fromNameFault(name: string): string | undefined {
  const fault = textFault(name);
  if (fault !== undefined) return fault;
  // Some mail clients treat both as the end of a line.
  if (/[\u2028\u2029]/.test(name)) return "must be one line";
  return name.trim() === "" ? "must not be blank" : undefined;
}

/**
 * Returns why an address cannot receive replies; undefined if it can. Mail servers may accept an address beyond ASCII
 * only as a recipient.
 */
export function replyToFault(text: string): string | undefined {
  const address = emailAddress(text);
  if (address === undefined) return "must be an email address";
  return /[^\u0000-\u007f]/.test(address)
    ? "must be an email address with only ASCII characters before the @"
    : undefined;
}

function copies(words: string) {
  const items = { type: "string", format: "idn-email", maxLength: MAX_ADDRESS };
  const keywords = { type: ["array", "null"], items, maxItems: MAX_COPIES, description: words };
  return field<string[] | null>({ ...keywords, examples: [["sales@example.com"]] }, (value) =>
    value === null ? undefined : copiesFault(value),
  );
}

/**
 * Returns why a value is not a list of addresses for cc or bcc; undefined if it is one. The fault quotes no address.
 */
export function copiesFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be an array of email addresses";
  if (value.length > MAX_COPIES) return `must have at most ${MAX_COPIES} addresses`;
  const bad = value.findIndex((one) => typeof one !== "string" || emailAddress(one) === undefined);
  return bad === -1 ? undefined : `must have only email addresses: number ${bad + 1} is none`;
}

/** The type of a trigger's `email`. */
export const TriggerEmail = open(
  Type.Object(
    {
      fromName: Type.Optional(
        field<string | null>(
          {
            type: ["string", "null"],
            maxLength: MAX_TEXT_CHARACTERS,
            // PLAIN_TEXT already excludes the other characters that end a line.
            allOf: [{ pattern: PLAIN_TEXT }, { pattern: "^[^\\u2028\\u2029]*$" }],
            description:
              "The display name next to the sender's address, which comes from the provider",
            examples: ["Ann of Acme"],
          },
          (value) => {
            if (value === null || value === "") return undefined;
            return typeof value === "string" ? fromNameFault(value) : "must be a string";
          },
        ),
      ),
      replyTo: Type.Optional(
        replyTo("Address that receives replies, with only ASCII characters before the @"),
      ),
      cc: Type.Optional(
        copies(
          "Addresses that get a visible copy. Not allowed for a mail with an unsubscribe link, because the link belongs to the recipient",
        ),
      ),
      bcc: Type.Optional(copies("Addresses that get a hidden copy, with the same rule")),
      attachments: Type.Optional(attachmentsField()),
    },
    {
      description:
        "Envelope of the mail. Each field that is set replaces that of the template. Absent and null mean the same; an empty list means nobody. Part of the automatic deduplication key",
    },
  ),
);
export type TriggerEmail = Static<typeof TriggerEmail>;

function replyTo(description: string) {
  const words = { description, examples: ["orders@example.com"] };
  const { anyOf } = emailOrNone(words) as unknown as { anyOf: object[] };
  return field<string | null>({ anyOf }, (value) => {
    if (value === null || value === "") return undefined;
    return typeof value === "string" ? replyToFault(value) : "must be an email address";
  });
}

/** Returns the stored form of a checked input; undefined if it sets nothing. */
export function readEnvelope({ fromName, replyTo, cc, bcc }: TriggerEmail): Envelope | undefined {
  const envelope: Envelope = {};
  if (fromName) envelope.fromName = fromName;
  if (replyTo) envelope.replyTo = emailAddress(replyTo) ?? replyTo;
  if (cc) envelope.cc = distinctAddresses(cc);
  if (bcc) envelope.bcc = distinctAddresses(bcc);
  return Object.keys(envelope).length === 0 ? undefined : envelope;
}

/**
 * Returns the stored form of addresses, each mailbox once, ignoring case. Leaves out the addresses in `taken`, which
 * are in lower case.
 */
export function distinctAddresses(
  texts: readonly string[],
  taken: ReadonlySet<string> = new Set(),
): string[] {
  const known = new Set(taken);
  return texts
    .map((text) => emailAddress(text) ?? text)
    .filter((address) => {
      const name = address.toLowerCase();
      const isNew = !known.has(name);
      known.add(name);
      return isNew;
    });
}
