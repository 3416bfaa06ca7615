import { randomBytes } from "node:crypto";

/** 256 bits that sign a tenant's triggers; shown once. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}
