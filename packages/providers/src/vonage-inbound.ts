import { PHONE } from "@belfry/contracts/identifiers";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { InboundReader } from "./inbound-readers.ts";
import { parseReceiptBody, receiptText, textSetting, vendorEventOf } from "./receipt.ts";
import { vonageSigned } from "./vonage-signature.ts";

const MAX_NUMBER_CHARACTERS = 64;

/** The inbound webhook of the vendor's Messages API, signed as its receipts are. */
export const vonageInbound: InboundReader = {
  kind: "vonage",
  content: "text",
  keyOf: (settings) => textSetting(settings, "signatureSecret"),
  signsAddress: false,
  answer: { type: "application/json; charset=utf-8", body: "{}" },
  async read(request, keys, now) {
    const verdict = await vonageSigned(request, keys, now);
    if (verdict !== "signed") return { ok: false, fault: verdict };
    const body = parseReceiptBody(request.body);
    if (typeof body !== "object" || body === null) return { ok: false, fault: "unreadable" };
    const given = body as Record<string, unknown>;
    const vendorId = vendorEventOf(given.message_uuid);
    const sender = numberOf(given.from);
    if (vendorId === null || sender === null) return { ok: false, fault: "unreadable" };
    const text = receiptText(given.text, MAX_INBOUND_CHARACTERS);
    // A picture, or a place: nothing to read.
    if (text === null || (given.channel !== undefined && given.channel !== "sms")) {
      return { ok: true, message: undefined };
    }
    return { ok: true, message: { vendorId, sender, recipient: numberOf(given.to) ?? "", text } };
  },
};

/** The vendor writes numbers without their plus. */
function numberOf(value: unknown): string | null {
  const text = receiptText(value, MAX_NUMBER_CHARACTERS);
  return text !== null && PHONE.test(`+${text}`) ? `+${text}` : text;
}
