import type { MailAttachment } from "./attachments.ts";
import type { ChatBlock, Incident } from "./chat.ts";
import type { DeviceTarget } from "./devices.ts";

// The data that a sender and a provider exchange.

/** Header fields with which a mail program offers to leave a mailing list: RFC 8058, 2369 and 2919. */
export interface ListHeaders {
  /** A URL whose GET shows a page and whose POST unsubscribes: http or https, visible ASCII. */
  listUnsubscribe: string;
  /** The list's identifier in the form of a domain name, such as `offers.acme.example.com`. */
  listId: string;
}

interface OfDelivery {
  /** A vendor that takes custom arguments gets it. It contains no address and no name. */
  deliveryId: string;
  tenantId: string;
  eventId: string;
}

interface Addressed extends OfDelivery {
  /** An email address, or a phone number in E.164, such as `+12025550123`. */
  to: string;
  text: string;
}

export interface EmailMessage extends Addressed {
  subject: string;
  html: string;
  /** Set if the mail is of a category that its reader can unsubscribe from. */
  headers?: ListHeaders | undefined;
  /** If set, replaces the name in the provider's settings; `replyTo` likewise. */
  fromName?: string | undefined;
  replyTo?: string | undefined;
  /** Addresses that get a copy; absent if there are none. Never set for a mail with a link to unsubscribe. */
  cc?: readonly string[] | undefined;
  bcc?: readonly string[] | undefined;
  /** In the order in which the mail shows them. */
  attachments?: readonly OutgoingAttachment[] | undefined;
}

/** A file of a mail. Its bytes are read while the mail is written. */
export interface OutgoingAttachment extends MailAttachment {
  /** Returns all bytes, at each call from the beginning. Rejects if they cannot be read. */
  read(): AsyncIterable<Buffer>;
}

export interface SmsMessage extends Addressed {
  segments: number;
  encoding: "GSM-7" | "UCS-2";
}

/** A message to one device of a user. */
export interface DeviceMessage extends OfDelivery {
  device: DeviceTarget;
  /** When the device was last registered. */
  registeredAt: Date;
  title: string;
  body: string;
  /** Opened by a click: an https URL, or a path of the page that registered the device. */
  url?: string | undefined;
  /** An https URL. */
  image?: string | undefined;
  data?: Readonly<Record<string, string>> | undefined;
  /** A later message with the same key replaces the earlier one. */
  collapseKey?: string | undefined;
  /** How long the vendor keeps the message for a device that cannot be reached. */
  ttlSeconds: number;
}

/** A message to a person, a group or a channel of a chat. */
export interface ChatMessage extends OfDelivery {
  /** The whole address, such as `slack:C024BE91L` or `teams:ops`: the provider's kind, a colon and the target. */
  to: string;
  blocks: readonly ChatBlock[];
  /** An https URL: the way to the whole message if the vendor takes only its beginning. */
  url?: string | undefined;
  incident?: Incident | undefined;
}

/**
 * The class of an attempt's result decides what happens next:
 * accepted: the delivery is done
 * permanent: this message or recipient will never be accepted
 * policy: this provider does not accept this message, but another one may
 * credentials: the tenant's account or configuration is at fault
 * throttled: too many messages; not counted as an attempt
 * deferred: accepted later for this message or recipient; the provider itself works
 * transient: the provider is out of order, so the attempt is repeated
 * ambiguous: the request was sent and no answer arrived, so the vendor may have the message
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
  /** One sentence for the timeline, without secrets and addresses. */
  reason: string;
  /** The vendor's id of the message, if accepted; else null. */
  messageId: string | null;
  /** The vendor's status: an HTTP status, an SMTP code or the vendor's own code. */
  vendorStatus: string | null;
  /** The first KB of the vendor's answer. */
  vendorAnswer: string | null;
  retryAfterSeconds: number | null;
  /** Only with `transient`: the vendor was not called, so this does not count as an attempt. */
  notBegun?: true;
  /**
   * Only with `credentials`: the answer is about one message or recipient. Others may be accepted, so the provider is
   * paused only if this happens repeatedly.
   */
  ofOneMessage?: true;
  /**
   * Only with `permanent`: suppress this recipient. bounced: the address does not exist or is gone for good, and the
   * delivery ends as bounced. opted out: the owner of the address told the vendor to stop.
   */
  suppress?: Extract<SuppressionReason, "bounced" | "opted out">;
  /** Only with `permanent`: the device does not exist any more, so it is deleted. */
  gone?: true;
}

export const MAX_VENDOR_ANSWER_BYTES = 1024;

/** A file of a mail in the outbox. */
export type OutboxAttachment = Omit<MailAttachment, "id">;

/** A message that the `sandbox` provider stores instead of sending it. */
export interface OutboxEntry extends Addressed {
  subject: string | null;
  html: string | null;
  segments: number | null;
  /** A mail's header fields by name, without those about addresses and parts. */
  headers?: Readonly<Record<string, string>>;
  /** A mail's files, without their bytes. */
  attachments?: readonly OutboxAttachment[];
}

/**
 * The kinds of receipts. deferred and accepted: the provider has the message and is not done. opted out: the recipient
 * wants no more messages. The other kinds are the final states of the delivery.
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

/** The reasons for which an address is suppressed: nothing is sent to it any more. */
export const SUPPRESSION_REASONS = ["bounced", "complained", "opted out", "by hand"] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** A provider's later report about a message that it accepted. */
export interface Receipt {
  /** Identifies the report, also if the provider sends it again: 1–255 characters. */
  vendorEvent: string;
  /** Belfry's own id, a UUID, which the provider got with the message. */
  deliveryId: string;
  kind: ReceiptKind;
  /**
   * The address that the receipt is about, in the form of `emailAddress`. Absent or null if the vendor names none and
   * only the recipient got the mail. Empty if several people got it and the vendor does not name the one. A receipt
   * about another address than the recipient's suppresses that address and does not change the delivery.
   */
  address?: string | null;
  /** The provider's text, for the timeline; at most 500 characters. */
  reason: string | null;
  /** The provider's own status or code. */
  vendorStatus: string | null;
  /** The time by the provider's clock; null if unknown. */
  occurredAt: Date | null;
  /** The reason to suppress the address; null if it is not suppressed. */
  suppress: Exclude<SuppressionReason, "by hand"> | null;
}

/** The path to which a provider posts receipts: `/webhooks/<kind of provider>/<tenant>`. */
export const WEBHOOK_PATH = "/webhooks/:provider/:tenantId";
export function webhookPath(provider: string, tenantId: string): string {
  return WEBHOOK_PATH.replace(":provider", provider).replace(":tenantId", tenantId);
}
