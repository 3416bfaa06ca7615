import { createHmac } from "node:crypto";
import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import {
  ACCOUNT_FOR_THIS_MESSAGE,
  apiUrl,
  createHttpVendor,
  JSON_HEADERS,
  meaningOf,
} from "./http-vendor.ts";
import {
  type Fields,
  type MailEvent,
  MEANS,
  mailReceipts,
  type Outcomes,
  outcomeOf,
} from "./mail-receipts.ts";
import { copiesOf, mailHeaders, messageIds, namedAddress, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
import {
  headerOf,
  isRecent,
  isSameText,
  momentOf,
  ONE_OF_SEVERAL,
  parseReceiptBody,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";
import type { Meaning } from "./send-outcome.ts";
import { baseUrlField, secretField, senderFields } from "./settings.ts";
import { Base64Of, jsonBody } from "./streamed-body.ts";

const VENDOR_URL = "https://api.resend.com";

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "A key with the permission Sending access.",
      link: "https://resend.com/api-keys",
    }),
    ...senderFields(" at a domain that is verified at Resend", "https://resend.com/domains"),
    webhookSecret: Type.Optional(
      secretField({
        title: "Webhook signing secret",
        description: "Signs what Resend reports to Belfry: what became of each mail.",
        link: "https://resend.com/webhooks",
        pattern: "^whsec_[A-Za-z0-9+/]{16,}={0,2}$",
        fault: "must be the signing secret as Resend shows it: whsec_…",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/**
 * Meanings by the `name` of an error. `invalid_idempotent_request` means that an earlier attempt was accepted: the body
 * of each attempt differs, because its unsubscribe links are encrypted anew.
 */
const ERRORS: Readonly<Record<string, Omit<Meaning, "code">>> = {
  invalid_idempotent_request: { class: "accepted" },
  concurrent_idempotent_requests: { class: "deferred" },
  invalid_from_address: { class: "credentials" },
  daily_quota_exceeded: ACCOUNT_FOR_THIS_MESSAGE,
  monthly_quota_exceeded: ACCOUNT_FOR_THIS_MESSAGE,
  security_error: { class: "policy" },
};

/** Tag of a mail with copies: the vendor repeats the tags, but not the number of addresses. */
const COPIES_TAG = "copies";

/**
 * Resend's webhook, one event per request, signed by Svix as Standard Webhooks are.
 * https://resend.com/docs/webhooks/emails/bounced, https://docs.svix.com/receiving/verifying-payloads/how-manual
 */
const receipts = mailReceipts({
  kind: "resend",
  keyOf: (settings) => textSetting(settings, "webhookSecret"),
  setUp: {
    text: "Webhooks → Add Webhook. Choose email.sent, email.delivered, email.delivery_delayed, email.bounced, email.complained, email.failed and email.suppressed, and enter the signing secret above.",
    link: "https://resend.com/webhooks",
  },
  proof: signedEvent,
  events: (event, head) =>
    typeof event.type === "string"
      ? [toEvent(event, vendorEventOf(headerOf(head, "svix-id")))]
      : "unreadable",
});

/** The tolerance of Standard Webhooks in seconds. Each try is signed anew. */
const MAX_DISTANCE_SECONDS = 5 * 60;

/** A version and an HMAC-SHA256 in base64. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/;

/** Verifies HMAC-SHA256 over the id, the time and the body. The header has one signature for each valid secret. */
function signedEvent(head: WebhookHead, keys: readonly string[], now: Date) {
  const [id = "", time = "", signatures = ""] = [
    ...["svix-id", "svix-timestamp", "svix-signature"],
  ].map((name) => headerOf(head, name));
  const given = signatures.split(" ", 10).filter((one) => SIGNATURE.test(one));
  if (id === "" || given.length === 0) return "forged";
  if (!isRecent(time, now, MAX_DISTANCE_SECONDS, MAX_DISTANCE_SECONDS)) return "forged";
  return (body: Buffer): Fields | WebhookFault => {
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
const OUTCOMES: Outcomes = {
  "email.sent": MEANS.accepted,
  "email.delivery_delayed": MEANS.deferred,
  "email.delivered": MEANS.delivered,
  "email.bounced": ({ bounce }) => {
    // Older events have no type, and are only about permanent refusals.
    const { type = "Permanent", subType, diagnosticCode } = recordOf(bounce);
    // Resend sends through Amazon. A general transient bounce without a server's answer is an out-of-office notice.
    const isGeneral = type === "Transient" && subType === "General";
    if (isGeneral && [diagnosticCode ?? []].flat().length === 0) return undefined;
    return type === "Permanent" ? MEANS.gone : MEANS.bounced;
  },
  "email.suppressed": MEANS.gone,
  "email.failed": MEANS.bounced,
  "email.complained": MEANS.complained,
};

function toEvent(event: Fields, id: string | null): MailEvent {
  const data = recordOf(event.data);
  const outcome = outcomeOf(OUTCOMES, event.type, data);
  const tags = recordOf(data.tags);
  const details = [data.bounce, data.suppressed, data.failed].map(recordOf);
  const { message, reason, type: status } = Object.assign({}, ...details) as Fields;
  // An event names all recipients of a mail, even if it is about one of them. Only `accepted` is true for all of them.
  const isOfOne = tags[COPIES_TAG] === undefined || outcome?.kind === "accepted";
  return {
    id,
    delivery: tags.delivery_id,
    outcome: outcome && !isOfOne ? { ...outcome, suppress: null } : outcome,
    address: isOfOne ? null : ONE_OF_SEVERAL,
    reasons: [message, reason],
    status,
    occurredAt: momentOf(event.created_at),
  };
}

/**
 * Email through Resend's `POST /emails`. Written from its public description:
 * https://resend.com/docs/api-reference/emails/send-email, …/api-reference/errors, …/dashboard/emails/idempotency-keys
 */
export const resend = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "resend",
  content: "email",
  title: "Resend",
  receipts,
  idempotent: true,
  maxMessageBytes: 40 * 1024 * 1024,
  attachments: "base64",
  settings: SETTINGS,
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Resend",
    request(message, settings) {
      const { address, name, replyTo } = senderOf(message, settings);
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/emails`,
        headers: {
          ...JSON_HEADERS,
          authorization: `Bearer ${settings.apiKey}`,
          "idempotency-key": message.deliveryId,
        },
        // JSON leaves out undefined fields.
        body: jsonBody({
          from: namedAddress(address, name),
          to: [wireAddress(message.to)],
          cc: message.cc?.map(wireAddress),
          bcc: message.bcc?.map(wireAddress),
          reply_to: replyTo && [replyTo],
          subject: message.subject,
          html: message.html || undefined,
          text: message.text || undefined,
          headers: mailHeaders(message),
          attachments: message.attachments?.map((file) => ({
            filename: file.name,
            content: new Base64Of(file),
            content_type: file.type,
            content_id: file.cid,
          })),
          tags: Object.entries(tagsOf(message)).map(([name, value]) => ({ name, value })),
        }),
      };
    },
    acceptedId: ({ id }) => id,
    meaning: ({ name, message }) => {
      const words = String(message);
      if (/API key is invalid/i.test(words))
        return { ...meaningOf({}, name), class: "credentials" };
      // Until a domain is verified, an account may only send to its owner.
      if (/only send testing emails/i.test(words)) {
        return { ...meaningOf({}, name), ...ACCOUNT_FOR_THIS_MESSAGE };
      }
      return meaningOf(ERRORS, name);
    },
  }),
});

function tagsOf(message: EmailMessage): Record<string, string> {
  const copies = copiesOf(message).length;
  return { ...messageIds(message), ...(copies > 0 && { [COPIES_TAG]: String(copies) }) };
}
