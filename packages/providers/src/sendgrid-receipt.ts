import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Receipt } from "@belfry/contracts/sending";
import {
  BATCH_BYTES,
  formedHeader,
  headerOf,
  isRecent,
  mailReceipts,
  outcomeOf,
  parseReceiptBody,
  provenBy,
  type ReceiptOutcome,
  type ReceiptReader,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

const SIGNATURE_HEADER = "x-twilio-email-event-webhook-signature";
const TIMESTAMP_HEADER = "x-twilio-email-event-webhook-timestamp";
/** The vendor retries for a day. A repeated event is recognized by its id. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

/** The vendor's Event Webhook: a signed JSON array of events, which may be repeated and come in any order. */
export const sendgridReceipts: ReceiptReader = {
  kind: "sendgrid",
  content: "email",
  maxBytes: BATCH_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookPublicKey"),
  signsAddress: false,
  askedByMessage: false,
  setUp: {
    text: "Settings → Mail Settings → Event Webhooks. Choose Processed, Deferred, Delivered, Bounced, Dropped, Spam Reports and Unsubscribes, and turn Signature Verification on.",
    link: "https://app.sendgrid.com/settings/mail_settings/webhook_settings",
  },
  read: provenBy(signedEvents, (events) => ({ receipts: events.flatMap(toReceipts) })),
};

/** An ECDSA signature on P-256 in DER, in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{88,96}={0,2}$/;

/** Verifies and reads a batch: ECDSA on P-256 over the timestamp and the raw body, including its last line end. */
function signedEvents(head: WebhookHead, keys: readonly string[], now: Date) {
  const signature = formedHeader(head, SIGNATURE_HEADER, SIGNATURE);
  const timestamp = headerOf(head, TIMESTAMP_HEADER) ?? "";
  if (signature === undefined || !isRecent(timestamp, now, MAX_AGE_SECONDS)) return "forged";
  const given = Buffer.from(signature, "base64");
  return (body: Buffer): unknown[] | WebhookFault => {
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    const isTheirs = keys.some((text) => {
      const key = webhookKey(text);
      return key !== undefined && verify("sha256", signed, key, given);
    });
    if (!isTheirs) return "forged";
    const events = parseReceiptBody(body);
    return Array.isArray(events) ? events : "unreadable";
  };
}

/** Parses the vendor's public key (base64 of its DER form). Returns undefined if it is not a P-256 key. */
export function webhookKey(base64: string): KeyObject | undefined {
  try {
    const der = Buffer.from(base64, "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Events that are not listed (opens, clicks, …) are private, or not about the delivery. */
const OUTCOMES: Readonly<Record<string, (event: Record<string, unknown>) => ReceiptOutcome>> = {
  processed: () => ({ kind: "accepted", suppress: null }),
  deferred: () => ({ kind: "deferred", suppress: null }),
  delivered: () => ({ kind: "delivered", suppress: null }),
  // A blocked mail was refused for some time or for its content. The address is valid.
  bounce: ({ type }) => ({ kind: "bounced", suppress: type === "blocked" ? null : "bounced" }),
  dropped: ({ reason }) => ({ kind: "bounced", suppress: dropReason(reason) }),
  spamreport: () => ({ kind: "complained", suppress: "complained" }),
  unsubscribe: () => ({ kind: "opted out", suppress: "opted out" }),
  // The person left one of the vendor's unsubscribe groups, but still wants other mail.
  group_unsubscribe: () => ({ kind: "opted out", suppress: null }),
};

/** Reasons to drop a mail because its address is on one of the vendor's lists. The vendor has no codes for these. */
const DROP_REASONS: Readonly<Record<string, Receipt["suppress"]>> = {
  "Bounced Address": "bounced",
  Invalid: "bounced",
  "Spam Reporting Address": "complained",
  "Unsubscribed Address": "opted out",
};

function dropReason(reason: unknown): Receipt["suppress"] {
  return typeof reason === "string" && Object.hasOwn(DROP_REASONS, reason)
    ? (DROP_REASONS[reason] ?? null)
    : null;
}

function toReceipts(value: unknown): Receipt[] {
  const event = recordOf(value);
  return mailReceipts({
    id: vendorEventOf(event.sg_event_id),
    // The vendor spreads the custom arguments over the event.
    delivery: event.delivery_id,
    outcome: outcomeOf(OUTCOMES, String(event.event), event),
    address: event.email,
    reasons: [event.reason, event.response],
    status: event.status,
    occurredAt: momentOf(event.timestamp),
  });
}

function momentOf(seconds: unknown): Date | null {
  if (typeof seconds !== "number" || !(seconds > 0 && seconds < 1e11)) return null;
  return new Date(seconds * 1000);
}
