import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { brevoReceipts } from "./brevo-receipt.ts";
import { apiUrl, createHttpVendor, JSON_HEADERS, type Meaning, meaningOf } from "./http-vendor.ts";
import { mailHeaders, messageIds, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
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
 * Email through Brevo's `POST /v3/smtp/email`. Written from its public description:
 * https://developers.brevo.com/reference/sendtransacemail, …/docs/heterogenous-versions-batch-emails (idempotency),
 * …/docs/limit-headers, and from the errors that its own client lists.
 */
export const brevo = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "brevo",
  content: "email",
  title: "Brevo",
  receipts: brevoReceipts,
  idempotent: true,
  maxMessageBytes: 20 * 1024 * 1024,
  attachments: "base64",
  takesNoInlineImages: true,
  settings: SETTINGS,
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Brevo",
    request: (message, settings) => ({
      url: `${apiUrl(settings, VENDOR_URL)}/v3/smtp/email`,
      headers: { ...JSON_HEADERS, "api-key": settings.apiKey },
      body: jsonBody({
        ...addressesOf(message, settings),
        subject: breakMarksOfText(message.subject, MARKS),
        ...(message.html !== "" && { htmlContent: breakMarksOfHtml(message.html, MARKS) }),
        ...(message.text !== "" && { textContent: breakMarksOfText(message.text, MARKS) }),
        ...attachmentsOf(message),
        headers: {
          ...mailHeaders(message),
          "X-Mailin-custom": JSON.stringify(messageIds(message)),
          idempotencyKey: message.deliveryId,
          ...(settings.testMode ? { "X-Sib-Sandbox": "drop" } : {}),
        },
      }),
    }),
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

/** The vendor derives the type of a file from its name. */
function attachmentsOf({ attachments }: EmailMessage) {
  if (attachments === undefined) return {};
  return {
    attachment: attachments.map((file) => ({ name: file.name, content: new Base64Of(file) })),
  };
}

const toAddress = (address: string) => ({ email: wireAddress(address) });

function addressesOf(message: EmailMessage, settings: Static<typeof SETTINGS>) {
  const { address, name, replyTo } = senderOf(message, settings);
  return {
    sender: { email: address, ...(name !== undefined && { name }) },
    to: [toAddress(message.to)],
    ...(message.cc && { cc: message.cc.map(toAddress) }),
    ...(message.bcc && { bcc: message.bcc.map(toAddress) }),
    ...(replyTo !== undefined && { replyTo: { email: replyTo } }),
  };
}
