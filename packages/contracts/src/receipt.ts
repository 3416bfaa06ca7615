/** What a provider says, later, of a message that it accepted. */

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
  /** By which the same event is known when it comes again: 1–255 characters. */
  vendorEvent: string;
  /** Belfry's own id, which travelled with the message; a UUID. */
  deliveryId: string;
  kind: ReceiptKind;
  /** In the provider's words, for the timeline; at most 500 characters. */
  reason: string | null;
  /** The provider's own status or code. */
  vendorStatus: string | null;
  /** By the provider's clock. */
  occurredAt: Date | null;
  /** The recipient's address is not to be used again, for this; null: it may be. */
  suppress: Exclude<SuppressionReason, "by hand"> | null;
}

/** Where a provider delivers receipts: `/webhooks/<kind of provider>/<tenant>`. */
export const WEBHOOK_PATH = "/webhooks/:provider/:tenantId";
export function webhookPath(provider: string, tenantId: string): string {
  return WEBHOOK_PATH.replace(":provider", provider).replace(":tenantId", tenantId);
}
/** SendGrid sends batches of up to 768 KB. */
export const MAX_WEBHOOK_BYTES = 2 * 1024 * 1024;
