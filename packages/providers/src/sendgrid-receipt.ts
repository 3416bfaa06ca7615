import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Receipt } from "@belfry/contracts/sending";
import {
  headerOf,
  isRecent,
  mailReceipts,
  outcomeOf,
  parseReceiptBody,
  type ReceiptOutcome,
  type ReceiptReader,
  type ReceiptRequest,
  recordOf,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";

const SIGNATURE_HEADER = "x-twilio-email-event-webhook-signature";
const TIMESTAMP_HEADER = "x-twilio-email-event-webhook-timestamp";
/** The vendor tries for a day; an event that comes again within it is known by its id. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

/** The vendor's Event Webhook: a signed JSON array of events, each repeated and in any order. */
export const sendgridReceipts: ReceiptReader = {
  kind: "sendgrid",
  content: "email",
  keyOf: (settings) => textSetting(settings, "webhookPublicKey"),
  signsAddress: false,
  askedByMessage: false,
  setUp: {
    text: "Settings → Mail Settings → Event Webhooks. Choose Processed, Deferred, Delivered, Bounced, Dropped, Spam Reports and Unsubscribes, and turn Signature Verification on.",
    link: "https://app.sendgrid.com/settings/mail_settings/webhook_settings",
  },
  async read(request, keys, now) {
    if (!isSigned(request, keys, now)) return { ok: false, fault: "forged" };
    const events = parseReceiptBody(request.body);
    if (!Array.isArray(events)) return { ok: false, fault: "unreadable" };
    return { ok: true, receipts: events.flatMap(toReceipts) };
  },
};

/** ECDSA on P-256 over the timestamp and the body as it came, its last line end included. */
export function isSigned(request: ReceiptRequest, keys: readonly string[], now: Date): boolean {
  const signature = headerOf(request, SIGNATURE_HEADER);
  const timestamp = headerOf(request, TIMESTAMP_HEADER);
  if (signature === undefined || timestamp === undefined) return false;
  if (!isRecent(timestamp, now, MAX_AGE_SECONDS)) return false;
  const signed = Buffer.concat([Buffer.from(timestamp), request.body]);
  const bytes = Buffer.from(signature, "base64");
  return keys.some((text) => {
    const key = webhookKey(text);
    return key !== undefined && verify("sha256", signed, key, bytes);
  });
}

/** The vendor's public key (base64 of its DER form), or undefined when it is not one on P-256. */
export function webhookKey(base64: string): KeyObject | undefined {
  try {
    const der = Buffer.from(base64, "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Events that are not listed (opens, clicks, …) are private, or say nothing about the delivery. */
const OUTCOMES: Readonly<Record<string, (event: Record<string, unknown>) => ReceiptOutcome>> = {
  processed: () => ({ kind: "accepted", suppress: null }),
  deferred: () => ({ kind: "deferred", suppress: null }),
  delivered: () => ({ kind: "delivered", suppress: null }),
  // A blocked one was refused for a time or for its content: the address is good.
  bounce: ({ type }) => ({ kind: "bounced", suppress: type === "blocked" ? null : "bounced" }),
  dropped: ({ reason }) => ({ kind: "bounced", suppress: dropReason(reason) }),
  spamreport: () => ({ kind: "complained", suppress: "complained" }),
  unsubscribe: () => ({ kind: "opted out", suppress: "opted out" }),
  // This is about one of the vendor's groups: other mail is still wanted.
  group_unsubscribe: () => ({ kind: "opted out", suppress: null }),
};

/** The address is on one of the vendor's own lists; the vendor gives these no code, only their names. */
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
