import { createHmac } from "node:crypto";
import type { Receipt } from "@belfry/contracts/sending";
import {
  headerOf,
  isSameText,
  mailReceipts,
  momentOf,
  ONE_EVENT_BYTES,
  ONE_OF_SEVERAL,
  outcomeOf,
  parseReceiptBody,
  provenBy,
  type ReceiptOutcome,
  type ReceiptReader,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

/** Tag of a mail with copies: the vendor repeats the tags, but not the number of addresses. */
export const COPIES_TAG = "copies";

/** The tolerance of Standard Webhooks in seconds. Each try is signed anew. */
const MAX_DISTANCE_SECONDS = 5 * 60;

/**
 * Resend's webhook, one event per request, signed by Svix as Standard Webhooks are.
 * https://resend.com/docs/webhooks/emails/bounced, https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
export const resendReceipts: ReceiptReader = {
  kind: "resend",
  content: "email",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookSecret"),
  signsAddress: false,
  askedByMessage: false,
  setUp: {
    text: "Webhooks → Add Webhook. Choose email.sent, email.delivered, email.delivery_delayed, email.bounced, email.complained, email.failed and email.suppressed, and enter the signing secret above.",
    link: "https://resend.com/webhooks",
  },
  read: provenBy(signedEvent, (event, head) => {
    if (typeof event.type !== "string") return "unreadable";
    return { receipts: toReceipts(event, vendorEventOf(headerOf(head, "svix-id"))) };
  }),
};

/** A version and an HMAC-SHA256 in base64. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/;

/** Verifies HMAC-SHA256 over the id, the time and the body. The header has one signature for each valid secret. */
function signedEvent(head: WebhookHead, keys: readonly string[], now: Date) {
  const [id = "", time = "", signatures = ""] = [
    ...["svix-id", "svix-timestamp", "svix-signature"],
  ].map((name) => headerOf(head, name));
  const given = signatures.split(" ", 10).filter((one) => SIGNATURE.test(one));
  if (id === "" || given.length === 0 || !/^\d{1,12}$/.test(time)) return "forged";
  if (Math.abs(now.getTime() / 1000 - Number(time)) > MAX_DISTANCE_SECONDS) return "forged";
  return (body: Buffer): Data | WebhookFault => {
    const isTheirs = keys.some((key) => {
      const secret = Buffer.from(key.replace(/^whsec_/, ""), "base64");
      const hmac = createHmac("sha256", secret).update(`${id}.${time}.`).update(body);
      const right = `v1,${hmac.digest("base64")}`;
      return given.some((signature) => isSameText(signature, right));
    });
    return isTheirs ? recordOf(parseReceiptBody(body)) : "forged";
  };
}

/** Other events (opened, clicked, scheduled, …) are private, or say nothing about the delivery. */
const OUTCOMES: Readonly<Record<string, (data: Data) => ReceiptOutcome | undefined>> = {
  "email.sent": () => ({ kind: "accepted", suppress: null }),
  "email.delivery_delayed": () => ({ kind: "deferred", suppress: null }),
  "email.delivered": () => ({ kind: "delivered", suppress: null }),
  "email.bounced": ({ bounce }) => {
    // Older events have no type, and are only about permanent refusals.
    const { type = "Permanent", subType, diagnosticCode } = recordOf(bounce);
    // Resend sends through Amazon. A general transient bounce without a server's answer is an out-of-office notice.
    const isGeneral = type === "Transient" && subType === "General";
    if (isGeneral && [diagnosticCode ?? []].flat().length === 0) return undefined;
    return { kind: "bounced", suppress: type === "Permanent" ? "bounced" : null };
  },
  "email.suppressed": () => ({ kind: "bounced", suppress: "bounced" }),
  "email.failed": () => ({ kind: "bounced", suppress: null }),
  "email.complained": () => ({ kind: "complained", suppress: "complained" }),
};

type Data = Record<string, unknown>;

function toReceipts(event: Data, id: string | null): Receipt[] {
  const data = recordOf(event.data);
  const outcome = outcomeOf(OUTCOMES, String(event.type), data);
  const tags = recordOf(data.tags);
  const details = [data.bounce, data.suppressed, data.failed].map(recordOf);
  const { message, reason, type: status } = Object.assign({}, ...details) as Data;
  // An event names all recipients of a mail, even if it is about one of them. Only `accepted` is true for all of them.
  const isOfOne = tags[COPIES_TAG] === undefined || outcome?.kind === "accepted";
  return mailReceipts({
    id,
    delivery: tags.delivery_id,
    outcome: outcome && !isOfOne ? { ...outcome, suppress: null } : outcome,
    address: isOfOne ? null : ONE_OF_SEVERAL,
    reasons: [message, reason],
    status,
    occurredAt: momentOf(event.created_at),
  });
}
