import type { MailAttachment } from "./attachments.ts";

/** The data between a sender and a provider. */

/** Header fields that let a reader leave a mailing list in the mail program: RFC 8058, 2369 and 2919. */
export interface ListHeaders {
  /** The address whose GET shows a page, and whose POST unsubscribes: http or https, visible ASCII. */
  listUnsubscribe: string;
  /** The list's identifier: a name in the form of a domain, such as `offers.acme.example.com`. */
  listId: string;
}

interface Addressed {
  /** Travels to the vendor as its custom argument, never an address or a name. */
  deliveryId: string;
  tenantId: string;
  eventId: string;
  /** An email address, or a number in E.164, as `+12025550123`. */
  to: string;
  text: string;
}

export interface EmailMessage extends Addressed {
  subject: string;
  html: string;
  /** Set for mail that can be unsubscribed from. */
  headers?: ListHeaders | undefined;
  /** In place of the provider's settings. */
  fromName?: string | undefined;
  replyTo?: string | undefined;
  /** Addresses that get a copy. Absent: none. Never set for a mail with a link to unsubscribe. */
  cc?: readonly string[] | undefined;
  bcc?: readonly string[] | undefined;
  /** In their order. */
  attachments?: readonly OutgoingAttachment[] | undefined;
}

/** A file of a mail, whose bytes are read while the mail is written. */
export interface OutgoingAttachment extends MailAttachment {
  /** All bytes, from the first on at each call. Rejects if they cannot be read. */
  read(): AsyncIterable<Buffer>;
}

export interface SmsMessage extends Addressed {
  segments: number;
  encoding: "GSM-7" | "UCS-2";
}

/**
 * The class of an attempt's end decides what happens next:
 * accepted: done · permanent: this message or recipient never will be · policy: this provider does not
 * take this message, another may · credentials: the tenant's account or configuration · throttled: too
 * fast, not counted as an attempt · deferred: this message or recipient, later; it says nothing of the
 * provider · transient: the provider is out of order, try again · ambiguous: the request left and no
 * answer came, so the vendor may have it.
 */
export const OUTCOME_CLASSES = [
  "accepted",
  "permanent",
  "policy",
  "credentials",
  "throttled",
  "deferred",
  "transient",
  "ambiguous",
] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

export interface SendOutcome {
  class: OutcomeClass;
  /** One sentence for the timeline; no secret, no address. */
  reason: string;
  /** The vendor's id of the message, when accepted. */
  messageId: string | null;
  /** The vendor's status: an HTTP status, an SMTP code or a code of its own. */
  vendorStatus: string | null;
  /** The first KB of the vendor's answer. */
  vendorAnswer: string | null;
  retryAfterSeconds: number | null;
  /** With `transient`: the vendor was not called, so it is no attempt. */
  notBegun?: true;
  /**
   * With `credentials`: the answer to one message or recipient. Others may pass, so it stops the provider only when
   * it repeats.
   */
  ofOneMessage?: true;
  /**
   * With `permanent`: suppress this recipient. bounced: the address does not exist or is gone for good, and the delivery
   * ends as bounced; opted out: its owner told the vendor to stop.
   */
  suppress?: Extract<SuppressionReason, "bounced" | "opted out">;
}

export const MAX_VENDOR_ANSWER_BYTES = 1024;

/** A file of a mail in the outbox. */
export type OutboxAttachment = Omit<MailAttachment, "id">;

/** A message that the `sandbox` provider keeps in place of sending it. */
export interface OutboxEntry extends Addressed {
  subject: string | null;
  html: string | null;
  segments: number | null;
  /** A mail's header fields by name, except those about its addresses and parts. */
  headers?: Readonly<Record<string, string>>;
  /** A mail's files, without their bytes. */
  attachments?: readonly OutboxAttachment[];
}

/** A provider's later report about a message that it accepted. */

/**
 * deferred and accepted: it has the message and is not done · opted out: the recipient wants no more ·
 * the others are where the delivery ends.
 */
export const RECEIPT_KINDS = [
  "deferred",
  "accepted",
  "opted out",
  "delivered",
  "bounced",
  "complained",
] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** Why nothing is sent to an address any more. */
export const SUPPRESSION_REASONS = ["bounced", "complained", "opted out", "by hand"] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface Receipt {
  /** Identifies an event that comes again: 1–255 characters. */
  vendorEvent: string;
  /** Belfry's own id, which travelled with the message; a UUID. */
  deliveryId: string;
  kind: ReceiptKind;
  /**
   * The address that it is about, in the form of `emailAddress`. Absent or null: the vendor names none, and only the
   * recipient got the mail. Empty: one of those who got it, but the vendor does not say which. A receipt about another
   * address than the recipient's suppresses that address and does not change the delivery.
   */
  address?: string | null;
  /** In the provider's words, for the timeline; at most 500 characters. */
  reason: string | null;
  /** The provider's own status or code. */
  vendorStatus: string | null;
  /** Time of the provider's clock. */
  occurredAt: Date | null;
  /** The reason to suppress the address; null: none. */
  suppress: Exclude<SuppressionReason, "by hand"> | null;
}

/** The path to which a provider delivers receipts: `/webhooks/<kind of provider>/<tenant>`. */
export const WEBHOOK_PATH = "/webhooks/:provider/:tenantId";
export function webhookPath(provider: string, tenantId: string): string {
  return WEBHOOK_PATH.replace(":provider", provider).replace(":tenantId", tenantId);
}
