import type { Receipt } from "@belfry/contracts/sending";
import {
  addressMark,
  BATCH_BYTES,
  mailReceipts,
  outcomeOf,
  parseReceiptBody,
  provenBy,
  type ReceiptOutcome,
  type ReceiptReader,
  recordOf,
  textSetting,
  vendorEventOf,
  withPassword,
} from "./receipt.ts";

/**
 * Brevo's transactional webhook: one event per request, or an array if batched. The vendor signs nothing; it sends the
 * user name and the password of the URL.
 * https://developers.brevo.com/docs/transactional-webhooks, …/docs/secured-webhooks
 */
export const brevoReceipts: ReceiptReader = {
  kind: "brevo",
  content: "email",
  maxBytes: BATCH_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookPassword"),
  signsAddress: false,
  askedByMessage: false,
  basicAuth: true,
  setUp: {
    text: "Transactional → Settings → Webhook. Choose Sent, Delivered, Deferred, Soft bounce, Hard bounce, Invalid email, Blocked, Error, Complaint and Unsubscribed. Put a user name and the webhook password above into the address: https://belfry:PASSWORD@…",
    link: "https://app-smtp.brevo.com/webhook",
  },
  read: provenBy(withPassword, ({ json }) => {
    const events = (Array.isArray(json) ? json : [json]).map(recordOf);
    if (events.some(({ event }) => typeof event !== "string")) {
      return "unreadable";
    }
    return { receipts: events.flatMap(toReceipts) };
  }),
};

const OPTED_OUT: ReceiptOutcome = { kind: "opted out", suppress: "opted out" };
const COMPLAINED: ReceiptOutcome = { kind: "complained", suppress: "complained" };
const GONE: ReceiptOutcome = { kind: "bounced", suppress: "bounced" };
const BOUNCED: ReceiptOutcome = { kind: "bounced", suppress: null };

/** Other events (opened, click, …) are private, or say nothing about the delivery. */
const OUTCOMES: Readonly<Record<string, (vendorWords: string) => ReceiptOutcome>> = {
  request: () => ({ kind: "accepted", suppress: null }),
  deferred: () => ({ kind: "deferred", suppress: null }),
  delivered: () => ({ kind: "delivered", suppress: null }),
  hard_bounce: () => GONE,
  invalid_email: () => GONE,
  soft_bounce: () => BOUNCED,
  error: () => BOUNCED,
  // The vendor's own list contains bounces, complaints and people who have unsubscribed.
  blocked: (words) => (/unsubscribed/i.test(words) ? { ...OPTED_OUT, kind: "bounced" } : BOUNCED),
  spam: () => COMPLAINED,
  complaint: () => COMPLAINED,
  unsubscribed: () => OPTED_OUT,
  unsubscribe: () => OPTED_OUT,
};

function toReceipts(event: Record<string, unknown>): Receipt[] {
  const name = String(event.event);
  // The vendor's events have no id.
  const { "message-id": messageId, ts_epoch: epoch, ts_event: time, email } = event;
  return mailReceipts({
    id: vendorEventOf(`${messageId}:${name}:${epoch ?? time}:${addressMark(email)}`),
    delivery: idsOf(event["X-Mailin-custom"]).delivery_id,
    outcome: outcomeOf(OUTCOMES, name, String(event.reason ?? "")),
    address: email,
    reasons: [event.reason],
    status: name,
    occurredAt: timeOf(epoch) ?? timeOf(time),
  });
}

function idsOf(custom: unknown): Record<string, unknown> {
  return typeof custom === "string" ? recordOf(parseReceiptBody(Buffer.from(custom))) : {};
}

/** Returns the time from milliseconds, as documented, or seconds, as in some events. */
function timeOf(epoch: unknown): Date | null {
  if (typeof epoch !== "number" || !(epoch > 0 && epoch < 1e14)) return null;
  return new Date(epoch < 1e11 ? epoch * 1000 : epoch);
}
