import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import {
  ACCOUNT_FOR_THIS_MESSAGE,
  apiUrl,
  createHttpVendor,
  JSON_HEADERS,
  type Meaning,
  meaningOf,
} from "./http-vendor.ts";
import { copiesOf, mailHeaders, messageIds, namedAddress, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
import { COPIES_TAG, resendReceipts } from "./resend-receipt.ts";
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

/**
 * Email through Resend's `POST /emails`. Written from its public description:
 * https://resend.com/docs/api-reference/emails/send-email, …/api-reference/errors, …/dashboard/emails/idempotency-keys
 */
export const resend = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "resend",
  content: "email",
  title: "Resend",
  receipts: resendReceipts,
  idempotent: true,
  maxMessageBytes: 40 * 1024 * 1024,
  attachments: "base64",
  settings: SETTINGS,
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Resend",
    request: (message, settings) => ({
      url: `${apiUrl(settings, VENDOR_URL)}/emails`,
      headers: {
        ...JSON_HEADERS,
        authorization: `Bearer ${settings.apiKey}`,
        "idempotency-key": message.deliveryId,
      },
      body: jsonBody({
        ...addressesOf(message, settings),
        subject: message.subject,
        ...(message.html === "" ? {} : { html: message.html }),
        ...(message.text === "" ? {} : { text: message.text }),
        headers: mailHeaders(message),
        ...attachmentsOf(message),
        tags: Object.entries(tagsOf(message)).map(([name, value]) => ({ name, value })),
      }),
    }),
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

function attachmentsOf({ attachments }: EmailMessage) {
  if (attachments === undefined) return {};
  return {
    attachments: attachments.map((file) => ({
      filename: file.name,
      content: new Base64Of(file),
      content_type: file.type,
      ...(file.cid === undefined ? {} : { content_id: file.cid }),
    })),
  };
}

function addressesOf(message: EmailMessage, settings: Static<typeof SETTINGS>) {
  const { address, name, replyTo } = senderOf(message, settings);
  return {
    from: namedAddress(address, name),
    to: [wireAddress(message.to)],
    ...(message.cc && { cc: message.cc.map(wireAddress) }),
    ...(message.bcc && { bcc: message.bcc.map(wireAddress) }),
    ...(replyTo !== undefined && { reply_to: [replyTo] }),
  };
}

function tagsOf(message: EmailMessage): Record<string, string> {
  const copies = copiesOf(message).length;
  return { ...messageIds(message), ...(copies > 0 && { [COPIES_TAG]: String(copies) }) };
}
