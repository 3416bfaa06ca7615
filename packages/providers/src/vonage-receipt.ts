import { createHash, timingSafeEqual } from "node:crypto";
import type { Receipt } from "@belfry/contracts/receipt";
import { errors, jwtVerify } from "jose";
import {
  deliveryIdOf,
  headerOf,
  parseReceiptBody,
  type ReceiptReader,
  receiptText,
  vendorEventOf,
} from "./receipt.ts";

const MAX_TOKEN_AGE = "5m";
/** Our clock may be wrong: what comes again is known by its id, so a wider window costs nothing. */
const CLOCK_TOLERANCE = "10m";

/** The status webhook of the vendor's Messages API, signed by a token (HS256) over the body's hash. */
export const vonageReceipts: ReceiptReader = {
  kind: "vonage",
  content: "text",
  keySetting: "signatureSecret",
  async read(request, keys, now) {
    const authorization = headerOf(request, "authorization");
    // Rarely the vendor sends one without; answered with a 5xx it comes again, signed.
    if (authorization === undefined) return { ok: false, fault: "unsigned" };
    const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
    if (token === undefined || !(await isSigned(token, request.body, keys, now))) {
      return { ok: false, fault: "forged" };
    }
    const status = parseReceiptBody(request.body);
    if (typeof status !== "object" || status === null || Array.isArray(status)) {
      return { ok: false, fault: "unreadable" };
    }
    const receipt = toReceipt(status as Record<string, unknown>);
    return { ok: true, receipts: receipt === null ? [] : [receipt] };
  },
};

async function isSigned(
  token: string,
  body: Buffer,
  keys: readonly string[],
  now: Date,
): Promise<boolean> {
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
      return isHashOf(payload.payload_hash, body);
    } catch (error) {
      // Signed with another key: perhaps the next.
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return false;
      throw error;
    }
  }
  return false;
}

function isHashOf(hash: unknown, body: Buffer): boolean {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/i.test(hash)) return false;
  return timingSafeEqual(Buffer.from(hash, "hex"), createHash("sha256").update(body).digest());
}

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  submitted: "accepted",
  delivered: "delivered",
  read: "delivered",
  rejected: "bounced",
  undeliverable: "bounced",
};

/** The Messages API's code for a number that may not be sent to. */
const NUMBER_BARRED = "1050";

function toReceipt(status: Record<string, unknown>): Receipt | null {
  const name = typeof status.status === "string" ? status.status : "";
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const messageId = vendorEventOf(status.message_uuid);
  const deliveryId = deliveryIdOf(status.client_ref);
  if (kind === undefined || messageId === null || deliveryId === null) return null;
  const error = errorOf(status);
  const code = errorCode(error);
  return {
    // Not the token's id alone: when the vendor tries again it signs again, and a copied token
    // says the same of the same message.
    vendorEvent: `${messageId.slice(0, 200)}:${name}`,
    deliveryId,
    kind,
    reason: receiptText(error.detail) ?? receiptText(error.title),
    vendorStatus: code,
    occurredAt: timeOf(status.timestamp),
    suppress: kind === "bounced" && code === NUMBER_BARRED ? "bounced" : null,
  };
}

/** Older callbacks wrap it once more. */
function errorOf(status: Record<string, unknown>): Record<string, unknown> {
  const error = asObject(status.error);
  return "error" in error ? asObject(error.error) : error;
}

function errorCode(error: Record<string, unknown>): string | null {
  const fragment = typeof error.type === "string" ? /#(\d{3,5})$/.exec(error.type)?.[1] : undefined;
  if (fragment !== undefined) return fragment;
  return /^\d{1,5}$/.exec(String(error.title ?? ""))?.[0] ?? null;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function timeOf(text: unknown): Date | null {
  const time = typeof text === "string" ? new Date(text) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? null : time;
}
