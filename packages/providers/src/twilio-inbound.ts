import { createHmac, timingSafeEqual } from "node:crypto";
import { MAX_INBOUND_CHARACTERS, type OptKeyword } from "@belfry/contracts/inbound";
import type { InboundReader } from "./inbound-readers.ts";
import { headerOf, receiptText, textSetting } from "./receipt.ts";

const MAX_NUMBER_CHARACTERS = 64;
const MAX_FIELDS = 200;

/** The vendor's webhook of a number or messaging service: a form, signed over its address and its fields. */
export const twilioInbound: InboundReader = {
  kind: "twilio",
  content: "text",
  // Webhooks are signed with the account's own token, whatever the requests are.
  keyOf(settings) {
    const ownToken = settings.apiKeySid === undefined ? "authToken" : "webhookAuthToken";
    return textSetting(settings, "webhookAuthToken") ?? textSetting(settings, ownToken);
  },
  signsAddress: true,
  // An answer without a verb sends nothing.
  answer: { type: "text/xml; charset=utf-8", body: "<Response/>" },
  async read(request, keys, _now) {
    const form = new URLSearchParams(request.body.toString());
    const signature = headerOf(request, "x-twilio-signature");
    if (signature === undefined || form.size > MAX_FIELDS) return { ok: false, fault: "forged" };
    if (!keys.some((key) => isSigned(signature, key, request.url, form))) {
      return { ok: false, fault: "forged" };
    }
    const vendorId = form.get("MessageSid") ?? "";
    const sender = receiptText(form.get("From"), MAX_NUMBER_CHARACTERS);
    if (!/^(SM|MM)[0-9a-fA-F]{32}$/.test(vendorId) || sender === null) {
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

/** HMAC-SHA1 over the address, then each field's name and value by the order of names; a value named twice once. */
export function twilioSignature(key: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  const fields = names.flatMap((name) =>
    [...new Set(form.getAll(name))].sort().map((value) => name + value),
  );
  return createHmac("sha1", key)
    .update(url + fields.join(""))
    .digest("base64");
}

function isSigned(signature: string, key: string, url: string, form: URLSearchParams): boolean {
  const right = Buffer.from(twilioSignature(key, url, form));
  const given = Buffer.from(signature);
  return given.length === right.length && timingSafeEqual(given, right);
}
