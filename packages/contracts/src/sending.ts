import type { SuppressionReason } from "./receipt.ts";

/** What a sender gives to a provider, and what it gets back. */

/** How mailbox providers let a reader leave the list that a mail is of: RFC 8058, 2369 and 2919. */
export interface ListHeaders {
  /** The address whose GET shows a page, and whose POST unsubscribes: http or https, visible ASCII. */
  listUnsubscribe: string;
  /** What the list is called among machines: a name in the form of a domain's, as `offers.acme.example.com`. */
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
  /** Of mail that can be unsubscribed from. */
  headers?: ListHeaders | undefined;
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
  /** With `transient`: nothing was asked of the vendor, so it is no attempt. */
  notBegun?: true;
  /**
   * With `credentials`: the answer to one message or recipient. Others may pass, so it stops the provider only when
   * it repeats.
   */
  ofOneMessage?: true;
  /**
   * With `permanent`: nothing more is sent to this recipient. bounced: the address does not exist or is gone for
   * good, and the delivery ends as bounced; opted out: its owner has told the vendor so.
   */
  suppress?: Extract<SuppressionReason, "bounced" | "opted out">;
}

export const MAX_VENDOR_ANSWER_BYTES = 1024;

/** What the `sandbox` provider keeps instead of sending. */
export interface OutboxEntry extends Addressed {
  subject: string | null;
  html: string | null;
  segments: number | null;
  /** Of a mail: its header fields by name, beside those about its addresses and parts. */
  headers?: Readonly<Record<string, string>>;
}
