import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryIdOf,
  parseReceiptBody,
  type ReceiptReader,
  receiptText,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";
import { vonageSigned } from "./vonage-signature.ts";

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
/** The vendor's own list of those who answered STOP. */
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
    occurredAt: timeOf(status.timestamp),
    suppress: kind === "bounced" ? suppressionFor(code) : null,
  };
}

function suppressionFor(code: string | null): Receipt["suppress"] {
  if (code === OPTED_OUT) return "opted out";
  return code === NUMBER_BARRED ? "bounced" : null;
}

/** Older callbacks wrap it once more. */
function errorOf(status: Record<string, unknown>): Record<string, unknown> {
  const error = asObject(status.error);
  return "error" in error ? asObject(error.error) : error;
}

function errorCode(error: Record<string, unknown>): string | null {
  const fragment = typeof error.type === "string" ? /#(\d{1,5})$/.exec(error.type)?.[1] : undefined;
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
