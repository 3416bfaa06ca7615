import { createHmac, timingSafeEqual } from "node:crypto";
import { headerOf, type ReceiptRequest, textSetting } from "./receipt.ts";

const MAX_FIELDS = 200;

/** The account's own token signs webhooks, also where an API key makes the requests. */
export function twilioKey(settings: Readonly<Record<string, unknown>>): string | undefined {
  const ownToken = settings.apiKeySid === undefined ? "authToken" : "webhookAuthToken";
  return textSetting(settings, "webhookAuthToken") ?? textSetting(settings, ownToken);
}

/** The form that the vendor posted; undefined where its signature is missing or wrong. */
export function twilioForm(
  request: ReceiptRequest,
  keys: readonly string[],
): URLSearchParams | undefined {
  const form = new URLSearchParams(request.body.toString());
  const signature = headerOf(request, "x-twilio-signature");
  if (signature === undefined || form.size > MAX_FIELDS) return undefined;
  const isTheirs = addressForms(request.url).some((url) =>
    keys.some((key) => isSigned(signature, key, url, form)),
  );
  return isTheirs ? form : undefined;
}

/** The vendor signs an address with its port or without, as its own libraries know. */
function addressForms(url: string): string[] {
  const withoutPort = url.replace(/^(https?:\/\/[^/:]+):\d+/, "$1");
  return [url, withoutPort, withoutPort.replace(/^https:\/\/[^/:]+/, "$&:443")];
}

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

export function isTwilioMessageId(value: unknown): value is string {
  return typeof value === "string" && /^(SM|MM)[0-9a-fA-F]{32}$/.test(value);
}
