import { createHmac } from "node:crypto";

/** URLs fold `.` and `..` away, encoded or not: the request would go to another path. */
export function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be part of a path`);
  return encodeURIComponent(text);
}

/** `X-Service-Signature` of a body: HMAC-SHA256 in lowercase hex. */
export function sign(webhookSecret: string, body: string | Uint8Array): string {
  return createHmac("sha256", webhookSecret).update(body).digest("hex");
}
