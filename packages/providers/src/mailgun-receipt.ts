import { createHmac } from "node:crypto";
import type { Receipt } from "@belfry/contracts/sending";
import {
  isSameText,
  mailReceipts,
  ONE_EVENT_BYTES,
  outcomeOf,
  parseReceiptBody,
  provenBy,
  type ReceiptOutcome,
  type ReceiptReader,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookHead,
} from "./receipt.ts";

/** The vendor retries for eight hours. */
const MAX_AGE_SECONDS = 24 * 60 * 60;
/** Our clock may be behind the vendor's. */
const MAX_AHEAD_SECONDS = 15 * 60;

/**
 * Mailgun's webhooks, one event per request. The signature covers a time and a random token, not the event. So the
 * token is the receipt's id, and a signature that was seen before adds no receipt.
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const mailgunReceipts: ReceiptReader = {
  kind: "mailgun",
  content: "email",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookSigningKey"),
  signsAddress: false,
  askedByMessage: false,
  setUp: {
    text: "Send → Sending → Webhooks, of the domain. Add the address for Accepted, Delivered, Temporary failure, Permanent failure, Spam complaints and Unsubscribes.",
    link: "https://app.mailgun.com/mg/sending/webhooks",
  },
  read: provenBy(signedEvent, ({ token, data }) => {
    if (typeof data.event !== "string") return "unreadable";
    return { receipts: toReceipts(data, vendorEventOf(token)) };
  }),
};

/** The signature is only in the body, so a small body is parsed before it is verified. */
function signedEvent(_head: WebhookHead, keys: readonly string[], now: Date) {
  return (body: Buffer) => {
    const { signature, "event-data": event } = recordOf(parseReceiptBody(body));
    const token = signedToken(recordOf(signature), keys, now);
    return token === undefined ? "forged" : { token, data: recordOf(event) };
  };
}

function signedToken(
  { timestamp, token, signature }: Record<string, unknown>,
  keys: readonly string[],
  now: Date,
): string | undefined {
  if (typeof token !== "string" || typeof signature !== "string") return undefined;
  const time = String(timestamp);
  if (!/^\d{1,12}$/.test(time)) return undefined;
  const ageSeconds = now.getTime() / 1000 - Number(time);
  if (ageSeconds > MAX_AGE_SECONDS || ageSeconds < -MAX_AHEAD_SECONDS) return undefined;
  const isTheirs = keys.some((key) =>
    isSameText(signature, createHmac("sha256", key).update(`${time}${token}`).digest("hex")),
  );
  return isTheirs ? token : undefined;
}

type Fields = Record<string, unknown>;

/** Reasons of a permanent failure that are about the address; a bounce may also be about the mail. */
const GONE: Readonly<Record<string, (status: Fields) => Receipt["suppress"]>> = {
  bounce: ({ "bounce-type": type }) => (type === "soft" ? null : "bounced"),
  "suppress-bounce": () => "bounced",
  "suppress-complaint": () => "complained",
  "suppress-unsubscribe": () => "opted out",
};

/** Other events (opened, clicked, stored, …) are private, or say nothing about the delivery. */
const OUTCOMES: Readonly<Record<string, (event: Fields) => ReceiptOutcome>> = {
  accepted: () => ({ kind: "accepted", suppress: null }),
  delivered: () => ({ kind: "delivered", suppress: null }),
  failed: (event) => {
    if (event.severity !== "permanent") return { kind: "deferred", suppress: null };
    const reason = String(event.reason);
    const suppress = Object.hasOwn(GONE, reason) ? GONE[reason] : undefined;
    return { kind: "bounced", suppress: suppress?.(recordOf(event["delivery-status"])) ?? null };
  },
  rejected: () => ({ kind: "bounced", suppress: null }),
  complained: () => ({ kind: "complained", suppress: "complained" }),
  unsubscribed: () => ({ kind: "opted out", suppress: "opted out" }),
};

function toReceipts(event: Fields, id: string | null): Receipt[] {
  const { message, description, code } = recordOf(event["delivery-status"]);
  const { timestamp } = event;
  return mailReceipts({
    id,
    delivery: recordOf(event["user-variables"]).delivery_id,
    outcome: outcomeOf(OUTCOMES, String(event.event), event),
    address: event.recipient,
    reasons: [message, description, recordOf(event.reject).reason, event.reason],
    status: code,
    occurredAt:
      typeof timestamp === "number" && timestamp > 0 && timestamp < 1e11
        ? new Date(timestamp * 1000)
        : null,
  });
}
