import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl, createHttpVendor, JSON_HEADERS, meaningOf } from "./http-vendor.ts";
import {
  addressMark,
  type Fields,
  type MailEvent,
  MEANS,
  mailReceipts,
  type Outcomes,
  outcomeOf,
  withPassword,
} from "./mail-receipts.ts";
import { mailHeaders, messageIds, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
import { BATCH_BYTES, parseReceiptBody, recordOf, textSetting, vendorEventOf } from "./receipt.ts";
import type { Meaning } from "./send-outcome.ts";
import { baseUrlField, secretField, senderFields, testModeField } from "./settings.ts";
import { Base64Of, jsonBody } from "./streamed-body.ts";
import { breakMarksOfHtml, breakMarksOfText } from "./vendor-marks.ts";

const VENDOR_URL = "https://api.brevo.com";

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "A key of the v3 API (xkeysib-…), not one for SMTP.",
      link: "https://app.brevo.com/settings/keys/api",
    }),
    ...senderFields(
      ": a verified sender or of an authenticated domain",
      "https://app.brevo.com/senders/list",
    ),
    testMode: testModeField("Brevo checks each mail and drops it."),
    webhookPassword: Type.Optional(
      secretField({
        title: "Webhook password",
        description:
          "A long random text of your own, which Brevo sends with what it reports: what became of each mail.",
        link: "https://developers.brevo.com/docs/secured-webhooks",
        minLength: 16,
        // The password is a part of a URL.
        pattern: "^[A-Za-z0-9._~-]+$",
        fault: "must be 16 or more letters, digits and . _ ~ -",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Placeholders of the vendor's template language, which it also replaces in ordinary content: {{…}}, {%…%}, {#…#}. */
const MARKS = /\{(?=[{%#])/g;

/** Meanings by `code`. Any other code fails the message. */
const ERRORS: Readonly<Record<string, Omit<Meaning, "code">>> = {
  unauthorized: { class: "credentials" },
  permission_denied: { class: "credentials" },
  reseller_permission_denied: { class: "credentials" },
  not_enough_credits: { class: "credentials" },
  account_under_validation: { class: "credentials" },
  // The idempotency key is known: the vendor has accepted this delivery within the last half hour.
  duplicate_request: { class: "accepted" },
};

/**
 * Brevo's transactional webhook: one event per request, or an array if batched. The vendor signs nothing; it sends the
 * user name and the password of the URL.
 * https://developers.brevo.com/docs/transactional-webhooks, …/docs/secured-webhooks
 */
const receipts = mailReceipts({
  kind: "brevo",
  maxBytes: BATCH_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookPassword"),
  basicAuth: true,
  setUp: {
    text: "Transactional → Settings → Webhook. Choose Sent, Delivered, Deferred, Soft bounce, Hard bounce, Invalid email, Blocked, Error, Complaint and Unsubscribed. Put a user name and the webhook password above into the address: https://belfry:PASSWORD@…",
    link: "https://app-smtp.brevo.com/webhook",
  },
  proof: withPassword,
  events({ json }) {
    const events = (Array.isArray(json) ? json : [json]).map(recordOf);
    const isTheirs = events.every(({ event }) => typeof event === "string");
    return isTheirs ? events.map(toEvent) : "unreadable";
  },
});

/** Other events (opened, click, …) are private, or say nothing about the delivery. */
const OUTCOMES: Outcomes = {
  request: MEANS.accepted,
  deferred: MEANS.deferred,
  delivered: MEANS.delivered,
  hard_bounce: MEANS.gone,
  invalid_email: MEANS.gone,
  soft_bounce: MEANS.bounced,
  error: MEANS.bounced,
  // The vendor's own list contains bounces, complaints and people who have unsubscribed.
  blocked: ({ reason }) =>
    /unsubscribed/i.test(String(reason))
      ? { kind: "bounced", suppress: "opted out" }
      : MEANS.bounced,
  spam: MEANS.complained,
  complaint: MEANS.complained,
  unsubscribed: MEANS.optedOut,
  unsubscribe: MEANS.optedOut,
};

function toEvent(event: Fields): MailEvent {
  // The vendor's events have no id.
  const { event: name, "message-id": messageId, ts_epoch: epoch, ts_event: time, email } = event;
  return {
    id: vendorEventOf(`${messageId}:${name}:${epoch ?? time}:${addressMark(email)}`),
    delivery: idsOf(event["X-Mailin-custom"]).delivery_id,
    outcome: outcomeOf(OUTCOMES, name, event),
    address: email,
    reasons: [event.reason],
    status: name,
    occurredAt: timeOf(epoch) ?? timeOf(time),
  };
}

function idsOf(custom: unknown): Fields {
  return typeof custom === "string" ? recordOf(parseReceiptBody(Buffer.from(custom))) : {};
}

/** Returns the time from milliseconds, as documented, or seconds, as in some events. */
function timeOf(epoch: unknown): Date | null {
  if (typeof epoch !== "number" || !(epoch > 0 && epoch < 1e14)) return null;
  return new Date(epoch < 1e11 ? epoch * 1000 : epoch);
}

/**
 * Email through Brevo's `POST /v3/smtp/email`. Written from its public description:
 * https://developers.brevo.com/reference/sendtransacemail, …/docs/heterogenous-versions-batch-emails (idempotency),
 * …/docs/limit-headers, and from the errors that its own client lists.
 */
export const brevo = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "brevo",
  content: "email",
  title: "Brevo",
  receipts,
  idempotent: true,
  maxMessageBytes: 20 * 1024 * 1024,
  attachments: "base64",
  takesNoInlineImages: true,
  settings: SETTINGS,
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Brevo",
    request(message, settings) {
      const { address: email, name, replyTo } = senderOf(message, settings);
      const { html, text } = message;
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/v3/smtp/email`,
        headers: { ...JSON_HEADERS, "api-key": settings.apiKey },
        // JSON leaves out undefined fields.
        body: jsonBody({
          sender: { email, name },
          to: [toAddress(message.to)],
          cc: message.cc?.map(toAddress),
          bcc: message.bcc?.map(toAddress),
          replyTo: replyTo && { email: replyTo },
          subject: breakMarksOfText(message.subject, MARKS),
          htmlContent: breakMarksOfHtml(html, MARKS) || undefined,
          textContent: breakMarksOfText(text, MARKS) || undefined,
          // The vendor derives the type of a file from its name.
          attachment: message.attachments?.map((file) => ({
            name: file.name,
            content: new Base64Of(file),
          })),
          headers: {
            ...mailHeaders(message),
            "X-Mailin-custom": JSON.stringify(messageIds(message)),
            idempotencyKey: message.deliveryId,
            "X-Sib-Sandbox": settings.testMode ? "drop" : undefined,
          },
        }),
      };
    },
    acceptedId: ({ messageId }) => messageId,
    meaning: ({ code, message }) => {
      const meaning = meaningOf(ERRORS, code);
      const isAboutSender = /\b(sender|replyTo)\b/i.test(String(message));
      return meaning.class === undefined && isAboutSender
        ? { ...meaning, class: "credentials" }
        : meaning;
    },
  }),
});

const toAddress = (address: string) => ({ email: wireAddress(address) });
