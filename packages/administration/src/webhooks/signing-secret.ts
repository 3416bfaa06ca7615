import { randomBytes } from "node:crypto";

/** A secret as Standard Webhooks has it: `whsec_` and base64 of 32 bytes, which are the key. Shown once. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
