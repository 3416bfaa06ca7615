import { createHash, timingSafeEqual } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import { errors, jwtVerify } from "jose";
import {
  deliveryIdOf,
  headerOf,
  type InboundReader,
  momentOf,
  ONE_EVENT_BYTES,
  parseReceiptBody,
  phoneOf,
  provenBy,
  type ReceiptReader,
  receiptText,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

/** The status webhook of the vendor's Messages API, signed with a JWT (HS256) that contains the body's hash. */
export const vonageReceipts: ReceiptReader = {
  kind: "vonage",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: (settings) => textSetting(settings, "signatureSecret"),
  signsAddress: false,
  askedByMessage: true,
  read: provenBy(signedBody, (status) => {
    const receipt = toReceipt(status);
    return { receipts: receipt === null ? [] : [receipt] };
  }),
};

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  submitted: "accepted",
  delivered: "delivered",
  read: "delivered",
  rejected: "bounced",
  undeliverable: "bounced",
};

/** The Messages API's code for a number to which the vendor does not send. */
const NUMBER_BARRED = "1050";
/** The code for a recipient on the vendor's list of people who have answered STOP. */
const OPTED_OUT = "9";

function toReceipt(status: Record<string, unknown>): Receipt | null {
  const name = typeof status.status === "string" ? status.status : "";
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const messageId = vendorEventOf(status.message_uuid);
  const deliveryId = deliveryIdOf(status.client_ref);
  if (kind === undefined || messageId === null || deliveryId === null) return null;
  const error = errorOf(status);
  const code = errorCode(error);
  return {
    // We do not use the token's id, because each retry of the vendor has a new token. A replayed token has the same
    // message and status.
    vendorEvent: `${messageId.slice(0, 200)}:${name}`,
    deliveryId,
    kind,
    reason: receiptText(error.detail) ?? receiptText(error.title),
    vendorStatus: code,
    occurredAt: momentOf(status.timestamp),
    suppress: kind === "bounced" ? suppressionFor(code) : null,
  };
}

function suppressionFor(code: string | null): Receipt["suppress"] {
  if (code === OPTED_OUT) return "opted out";
  return code === NUMBER_BARRED ? "bounced" : null;
}

/** Returns the error of a status. Older callbacks nest it one level deeper. */
function errorOf(status: Record<string, unknown>): Record<string, unknown> {
  const error = recordOf(status.error);
  return "error" in error ? recordOf(error.error) : error;
}

function errorCode(error: Record<string, unknown>): string | null {
  const fragment = typeof error.type === "string" ? /#(\d{1,5})$/.exec(error.type)?.[1] : undefined;
  if (fragment !== undefined) return fragment;
  return /^\d{1,5}$/.exec(String(error.title ?? ""))?.[0] ?? null;
}

/** The inbound webhook of the vendor's Messages API, signed like receipts. */
export const vonageInbound: InboundReader = {
  kind: "vonage",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: (settings) => textSetting(settings, "signatureSecret"),
  signsAddress: false,
  answer: { type: "application/json; charset=utf-8", body: "{}" },
  read: provenBy(signedBody, (given) => {
    const vendorId = vendorEventOf(given.message_uuid);
    const sender = phoneOf(given.from);
    if (vendorId === null || sender === null) return "unreadable";
    const text = receiptText(given.text, MAX_INBOUND_CHARACTERS);
    // The message is a picture or a location.
    if (text === null || (given.channel !== undefined && given.channel !== "sms")) {
      return { message: undefined };
    }
    return { message: { vendorId, sender, recipient: phoneOf(given.to) ?? "", text } };
  }),
};

const MAX_TOKEN_AGE = "5m";
/** Our clock may be wrong. Repeated events are recognized by their ids, so a wide tolerance is safe. */
const CLOCK_TOLERANCE = "10m";

/** Verifies and reads an object of the Messages API, signed with a JWT (HS256) that contains the body's hash. */
async function signedBody(head: WebhookHead, keys: readonly string[], now: Date) {
  const authorization = headerOf(head, "authorization");
  // The vendor sometimes sends an unsigned webhook. It repeats it with a signature if we answer with a 5xx.
  if (authorization === undefined) return "unsigned";
  const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
  const hash = token === undefined ? undefined : await signedHash(token, keys, now);
  if (hash === undefined) return "forged";
  return (body: Buffer): Record<string, unknown> | WebhookFault => {
    if (!isHashOf(hash, body)) return "forged";
    const json = parseReceiptBody(body);
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
    return isObject ? recordOf(json) : "unreadable";
  };
}

/** Returns the body's hash in the token, or undefined if the token is not the vendor's. */
async function signedHash(token: string, keys: readonly string[], now: Date): Promise<unknown> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(key), {
        algorithms: ["HS256"],
        issuer: "Vonage",
        requiredClaims: ["jti", "payload_hash"],
        maxTokenAge: MAX_TOKEN_AGE,
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: now,
      });
      return payload.payload_hash;
    } catch (error) {
      // The token may be signed with the next key.
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
  return undefined;
}

function isHashOf(hash: unknown, body: Buffer): boolean {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/i.test(hash)) return false;
  return timingSafeEqual(Buffer.from(hash, "hex"), createHash("sha256").update(body).digest());
}
