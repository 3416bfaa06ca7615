import { MAX_INBOUND_CHARACTERS, type OptKeyword } from "@belfry/contracts/inbound";
import type { InboundReader } from "./inbound-readers.ts";
import { receiptText } from "./receipt.ts";
import { isTwilioMessageId, twilioForm, twilioKey } from "./twilio-signature.ts";

const MAX_NUMBER_CHARACTERS = 64;

/** The vendor's webhook of a number or messaging service: a form, signed over its address and its fields. */
export const twilioInbound: InboundReader = {
  kind: "twilio",
  content: "text",
  keyOf: twilioKey,
  signsAddress: true,
  // An answer without a verb sends nothing.
  answer: { type: "text/xml; charset=utf-8", body: "<Response/>" },
  async read(request, keys) {
    const form = twilioForm(request, keys);
    if (form === undefined) return { ok: false, fault: "forged" };
    const vendorId = form.get("MessageSid");
    const sender = receiptText(form.get("From"), MAX_NUMBER_CHARACTERS);
    if (!isTwilioMessageId(vendorId) || sender === null) {
      return { ok: false, fault: "unreadable" };
    }
    const text = receiptText(form.get("Body"), MAX_INBOUND_CHARACTERS) ?? "";
    const keyword = KEYWORDS.get(form.get("OptOutType") ?? "");
    // A picture alone, or a place: nothing to read.
    if (text === "" && keyword === undefined) return { ok: true, message: undefined };
    const recipient = receiptText(form.get("To"), MAX_NUMBER_CHARACTERS) ?? "";
    return { ok: true, message: { vendorId, sender, recipient, text, keyword } };
  },
};

/** What the vendor's own opt-out handling took it for. */
const KEYWORDS: ReadonlyMap<string, OptKeyword> = new Map([
  ["STOP", "stop"],
  ["START", "start"],
]);
