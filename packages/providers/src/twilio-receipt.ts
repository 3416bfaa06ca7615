import type { Receipt } from "@belfry/contracts/sending";
import { deliveryIdOf, type ReceiptReader, receiptText } from "./receipt.ts";
import { isTwilioMessageId, twilioForm, twilioKey } from "./twilio-signature.ts";

/** The query parameter of a message's `StatusCallback` that names the delivery: the vendor repeats no text of ours. */
export const DELIVERY_PARAMETER = "delivery";

/** The vendor's status callback of one message: a form, signed over its address and its fields. */
export const twilioReceipts: ReceiptReader = {
  kind: "twilio",
  content: "text",
  keyOf: twilioKey,
  signsAddress: true,
  askedByMessage: true,
  async read(request, keys) {
    const form = twilioForm(request, keys);
    if (form === undefined) return { ok: false, fault: "forged" };
    const messageId = form.get("MessageSid");
    if (!isTwilioMessageId(messageId)) return { ok: false, fault: "unreadable" };
    const status = form.get("MessageStatus") ?? "";
    const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
    const delivery = URL.parse(request.url)?.searchParams.get(DELIVERY_PARAMETER);
    const deliveryId = deliveryIdOf(delivery);
    if (kind === undefined || deliveryId === null) return { ok: true, receipts: [] };
    const code = /^\d{5}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const known = code !== null && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
    const receipt: Receipt = {
      // The vendor gives its callbacks no id; it tells each status of a message once.
      vendorEvent: `${messageId}:${status}`,
      deliveryId,
      kind,
      reason: receiptText(form.get("ErrorMessage")) ?? known?.words ?? null,
      vendorStatus: code,
      occurredAt: null,
      suppress: kind === "bounced" ? (known?.suppress ?? null) : null,
    };
    return { ok: true, receipts: [receipt] };
  },
};

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  accepted: "accepted",
  scheduled: "accepted",
  queued: "accepted",
  sending: "accepted",
  sent: "accepted",
  delivered: "delivered",
  read: "delivered",
  undelivered: "bounced",
  failed: "bounced",
  canceled: "bounced",
};

/**
 * Error codes of `undelivered` and `failed` messages. The callback carries the number alone. A code that says
 * that the number takes no text messages suppresses it; one that may pass, or that is about the text or the
 * sender, does not.
 */
const CODES: Readonly<Record<string, { words: string; suppress?: Receipt["suppress"] }>> = {
  21211: { words: "the number is not valid", suppress: "bounced" },
  21610: { words: "the recipient has answered STOP", suppress: "opted out" },
  21614: { words: "the number takes no text messages", suppress: "bounced" },
  30001: { words: "the queue of the account is full" },
  30002: { words: "the account is suspended" },
  30003: { words: "the phone is unreachable or switched off" },
  30004: { words: "the carrier or the recipient's phone blocks the message" },
  30005: { words: "the number is unknown or no longer in service", suppress: "bounced" },
  30006: { words: "the number is a landline or its carrier unreachable" },
  30007: { words: "the carrier or Twilio filtered the message" },
  30008: { words: "the carrier gives no reason" },
  30034: { words: "the sender is not registered for A2P 10DLC" },
  30036: { words: "the message's validity ended before it was delivered" },
};
