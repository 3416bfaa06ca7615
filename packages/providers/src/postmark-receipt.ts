import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryIdOf,
  hasPassword,
  momentOf,
  parseReceiptBody,
  type ReceiptReader,
  receiptText,
  recordOf,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";

/**
 * Postmark's webhooks, one record a request. The vendor signs nothing; it sends a user name and a password.
 * https://postmarkapp.com/developer/webhooks/bounce-webhook and its siblings
 */
export const postmarkReceipts: ReceiptReader = {
  kind: "postmark",
  content: "email",
  keyOf: (settings) => textSetting(settings, "webhookPassword"),
  signsAddress: false,
  askedByMessage: false,
  basicAuth: true,
  setUp: {
    text: "The server's message stream → Webhooks → Add webhook. Choose Delivery, Bounce, Spam complaint and Subscription change. As basic auth credentials enter any user name and the webhook password above.",
    link: "https://account.postmarkapp.com/servers",
  },
  async read(request, keys) {
    if (!hasPassword(request, keys)) return { ok: false, fault: "forged" };
    const record = recordOf(parseReceiptBody(request.body));
    if (typeof record.RecordType !== "string") return { ok: false, fault: "unreadable" };
    const receipt = toReceipt(record);
    return { ok: true, receipts: receipt === null ? [] : [receipt] };
  },
};

type Outcome = Pick<Receipt, "kind" | "suppress">;

const BOUNCED: Outcome = { kind: "bounced", suppress: null };
const GONE: Outcome = { kind: "bounced", suppress: "bounced" };
const OPTED_OUT: Outcome = { kind: "opted out", suppress: "opted out" };
const COMPLAINED: Outcome = { kind: "complained", suppress: "complained" };

/** The types of a bounce. Others (AutoResponder, AddressChange, …) are answers to a mail that has arrived. */
const BOUNCES: Readonly<Record<string, Outcome>> = {
  HardBounce: GONE,
  BadEmailAddress: GONE,
  Transient: { kind: "deferred", suppress: null },
  DnsError: { kind: "deferred", suppress: null },
  SoftBounce: BOUNCED,
  SpamNotification: BOUNCED,
  VirusNotification: BOUNCED,
  ManuallyDeactivated: BOUNCED,
  Unconfirmed: BOUNCED,
  Blocked: BOUNCED,
  SMTPApiError: BOUNCED,
  DMARCPolicy: BOUNCED,
  SpamComplaint: COMPLAINED,
  Unsubscribe: OPTED_OUT,
};

const RECORDS: Readonly<Record<string, (record: Fields) => Outcome | undefined>> = {
  Delivery: () => ({ kind: "delivered", suppress: null }),
  Bounce: ({ Type }) => {
    const type = String(Type);
    return Object.hasOwn(BOUNCES, type) ? BOUNCES[type] : undefined;
  },
  SpamComplaint: () => COMPLAINED,
  // Bounces and complaints come by records of their own. A person at the vendor's console is no recipient.
  SubscriptionChange: ({ SuppressSending, SuppressionReason, Origin }) =>
    SuppressSending === true && SuppressionReason === "ManualSuppression" && Origin === "Recipient"
      ? OPTED_OUT
      : undefined,
};

type Fields = Record<string, unknown>;

function toReceipt(record: Fields): Receipt | null {
  const type = String(record.RecordType);
  const outcome = Object.hasOwn(RECORDS, type) ? RECORDS[type]?.(record) : undefined;
  const deliveryId = deliveryIdOf(recordOf(record.Metadata).delivery_id);
  // A mail is delivered once, has an id for each bounce, and a time for each change of its subscription.
  const { ID, MessageID, ChangedAt = "" } = record;
  const vendorEvent = vendorEventOf(`${type}:${ID ?? `${MessageID}:${ChangedAt}`}`);
  if (deliveryId === null || vendorEvent === null || outcome === undefined) return null;
  return {
    vendorEvent,
    deliveryId,
    ...outcome,
    reason: receiptText(record.Details) ?? receiptText(record.Description),
    vendorStatus: receiptText(record.Type, 64),
    occurredAt: momentOf(record.DeliveredAt ?? record.BouncedAt ?? record.ChangedAt),
  };
}
