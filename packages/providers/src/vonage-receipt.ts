import { createHash, timingSafeEqual } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import { errors, jwtVerify } from "jose";
import {
  deliveryIdOf,
  headerOf,
  type InboundReader,
  momentOf,
  parseReceiptBody,
  phoneOf,
  type ReceiptReader,
  type ReceiptRequest,
  receiptText,
  recordOf,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";

/** The status webhook of the vendor's Messages API, signed by a token (HS256) over the body's hash. */
export const vonageReceipts: ReceiptReader = {
  kind: "vonage",
  content: "text",
  keyOf: (settings) => textSetting(settings, "signatureSecret"),
  signsAddress: false,
  askedByMessage: true,
  async read(request, keys, now) {
    const verdict = await vonageSigned(request, keys, now);
    if (verdict !== "signed") return { ok: false, fault: verdict };
    const status = parseReceiptBody(request.body);
    if (typeof status !== "object" || status === null || Array.isArray(status)) {
      return { ok: false, fault: "unreadable" };
    }
    const receipt = toReceipt(status as Record<string, unknown>);
    return { ok: true, receipts: receipt === null ? [] : [receipt] };
  },
};

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  submitted: "accepted",
  delivered: "delivered",
  read: "delivered",
  rejected: "bounced",
  undeliverable: "bounced",
};

/** The Messages API's code for a number that may not be sent to. */
const NUMBER_BARRED = "1050";
/** The recipient is on the vendor's own list of those who answered STOP. */
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
    // Not the token's id alone: when the vendor tries again it signs again, and a copied token
    // says the same of the same message.
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

/** Older callbacks wrap it once more. */
function errorOf(status: Record<string, unknown>): Record<string, unknown> {
  const error = recordOf(status.error);
  return "error" in error ? recordOf(error.error) : error;
}

function errorCode(error: Record<string, unknown>): string | null {
  const fragment = typeof error.type === "string" ? /#(\d{1,5})$/.exec(error.type)?.[1] : undefined;
  if (fragment !== undefined) return fragment;
  return /^\d{1,5}$/.exec(String(error.title ?? ""))?.[0] ?? null;
}

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
    const sender = phoneOf(given.from);
    if (vendorId === null || sender === null) return { ok: false, fault: "unreadable" };
    const text = receiptText(given.text, MAX_INBOUND_CHARACTERS);
    // A picture, or a place: nothing to read.
    if (text === null || (given.channel !== undefined && given.channel !== "sms")) {
      return { ok: true, message: undefined };
    }
    return { ok: true, message: { vendorId, sender, recipient: phoneOf(given.to) ?? "", text } };
  },
};

const MAX_TOKEN_AGE = "5m";
/** Our clock may be wrong: what comes again is known by its id, so a wider window costs nothing. */
const CLOCK_TOLERANCE = "10m";

/** Whether a webhook of the Messages API is the vendor's: by a token (HS256) over its body's hash. */
export async function vonageSigned(
  request: ReceiptRequest,
  keys: readonly string[],
  now: Date,
): Promise<"signed" | "unsigned" | "forged"> {
  const authorization = headerOf(request, "authorization");
  // Rarely the vendor sends one without; answered with a 5xx it comes again, signed.
  if (authorization === undefined) return "unsigned";
  const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
  const isGood = token !== undefined && (await isSigned(token, request.body, keys, now));
  return isGood ? "signed" : "forged";
}

async function isSigned(token: string, body: Buffer, keys: readonly string[], now: Date) {
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
