import type { Receipt } from "@belfry/contracts/sending";
import {
  addressMark,
  BATCH_BYTES,
  mailReceipts,
  momentOf,
  outcomeOf,
  provenBy,
  type ReceiptOutcome,
  type ReceiptReader,
  recordOf,
  textSetting,
  vendorEventOf,
  withPassword,
} from "./receipt.ts";

/**
 * Postmark's webhooks, one record per request. The vendor signs nothing; it sends a user name and a password.
 * https://postmarkapp.com/developer/webhooks/bounce-webhook and its siblings
 */
export const postmarkReceipts: ReceiptReader = {
  kind: "postmark",
  content: "email",
  maxBytes: BATCH_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookPassword"),
  signsAddress: false,
  askedByMessage: false,
  basicAuth: true,
  setUp: {
    text: "The server's message stream → Webhooks → Add webhook. Choose Delivery, Bounce, Spam complaint and Subscription change. As basic auth credentials enter any user name and the webhook password above.",
    link: "https://account.postmarkapp.com/servers",
  },
  read: provenBy(withPassword, ({ json }) => {
    const record = recordOf(json);
    if (typeof record.RecordType !== "string") return "unreadable";
    return { receipts: toReceipts(record) };
  }),
};

const BOUNCED: ReceiptOutcome = { kind: "bounced", suppress: null };
const GONE: ReceiptOutcome = { kind: "bounced", suppress: "bounced" };
const OPTED_OUT: ReceiptOutcome = { kind: "opted out", suppress: "opted out" };
const COMPLAINED: ReceiptOutcome = { kind: "complained", suppress: "complained" };

/** The types of a bounce. Others (AutoResponder, AddressChange, …) are answers to a mail that has arrived. */
const BOUNCES: Readonly<Record<string, ReceiptOutcome>> = {
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

const RECORDS: Readonly<Record<string, (record: Fields) => ReceiptOutcome | undefined>> = {
  Delivery: () => ({ kind: "delivered", suppress: null }),
  Bounce: ({ Type }) => {
    const type = String(Type);
    return Object.hasOwn(BOUNCES, type) ? BOUNCES[type] : undefined;
  },
  SpamComplaint: () => COMPLAINED,
  // Bounces and complaints have their own records. A person at the vendor's console is no recipient.
  SubscriptionChange: ({ SuppressSending, SuppressionReason, Origin }) =>
    SuppressSending === true && SuppressionReason === "ManualSuppression" && Origin === "Recipient"
      ? OPTED_OUT
      : undefined,
};

type Fields = Record<string, unknown>;

function toReceipts(record: Fields): Receipt[] {
  const type = String(record.RecordType);
  // A mail is delivered to each address once, has an id for each bounce, and a time for each change of its subscription.
  const { ID, MessageID, ChangedAt = "", Email, Recipient } = record;
  const address = Email ?? Recipient;
  return mailReceipts({
    id: vendorEventOf(`${type}:${ID ?? `${MessageID}:${ChangedAt}${addressMark(address)}`}`),
    delivery: recordOf(record.Metadata).delivery_id,
    outcome: outcomeOf(RECORDS, type, record),
    address,
    reasons: [record.Details, record.Description],
    status: record.Type,
    occurredAt: momentOf(record.DeliveredAt ?? record.BouncedAt ?? record.ChangedAt),
  });
}
