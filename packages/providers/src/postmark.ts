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
  addressMark,
  type Fields,
  type MailEvent,
  MEANS,
  mailReceipts,
  type Outcomes,
  outcomeOf,
  withPassword,
} from "./mail-receipts.ts";
import { mailHeaders, messageIds, namedAddress, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
import { BATCH_BYTES, entryOf, momentOf, recordOf, textSetting, vendorEventOf } from "./receipt.ts";
import type { Meaning } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField, senderFields } from "./settings.ts";
import { Base64Of, jsonBody } from "./streamed-body.ts";

const VENDOR_URL = "https://api.postmarkapp.com";
const DEFAULT_STREAM = "outbound";

const SETTINGS = Type.Object(
  {
    serverToken: secretField({
      title: "Server API token",
      description:
        "Of the server that sends. A sandbox server's token, or POSTMARK_API_TEST, sends nothing.",
      link: "https://account.postmarkapp.com/servers",
    }),
    ...senderFields(
      ": a confirmed sender signature or of a verified domain",
      "https://account.postmarkapp.com/signature_domains",
    ),
    messageStream: Type.Optional(
      lineField({
        title: "Message stream",
        description: `The stream's id. Default: ${DEFAULT_STREAM}, for transactional mail.`,
        link: "https://account.postmarkapp.com/servers",
        default: DEFAULT_STREAM,
        maxLength: 30,
        pattern: "^[A-Za-z0-9_-]+$",
        fault: "must be a stream's id",
      }),
    ),
    webhookPassword: Type.Optional(
      secretField({
        title: "Webhook password",
        description:
          "A long random text of your own, which Postmark sends with what it reports: what became of each mail.",
        link: "https://postmarkapp.com/developer/webhooks/webhooks-overview",
        minLength: 16,
        fault: "must be 16 or more printable ASCII characters without spaces",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Meanings by `ErrorCode`; most have the HTTP status 422. Other codes are about the request and fail the message. */
const ERRORS: Readonly<Record<string, Omit<Meaning, "code">>> = {
  10: { class: "credentials" },
  100: { class: "transient" },
  400: { class: "credentials" },
  401: { class: "credentials" },
  405: { class: "credentials" },
  // The address has bounced, complained or was suppressed at the vendor, which would refuse each further mail.
  406: { class: "permanent", suppress: "bounced" },
  // Before the vendor has approved an account, it may only write to its own domain.
  412: ACCOUNT_FOR_THIS_MESSAGE,
  413: { class: "credentials" },
  1235: { class: "credentials" },
};

/**
 * Postmark's webhooks, one record per request. The vendor signs nothing; it sends a user name and a password.
 * https://postmarkapp.com/developer/webhooks/bounce-webhook and its siblings
 */
const receipts = mailReceipts({
  kind: "postmark",
  maxBytes: BATCH_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookPassword"),
  basicAuth: true,
  setUp: {
    text: "The server's message stream → Webhooks → Add webhook. Choose Delivery, Bounce, Spam complaint and Subscription change. As basic auth credentials enter any user name and the webhook password above.",
    link: "https://account.postmarkapp.com/servers",
  },
  proof: withPassword,
  events({ json }) {
    const record = recordOf(json);
    return typeof record.RecordType === "string" ? [toEvent(record)] : "unreadable";
  },
});

/** The types of a bounce. Others (AutoResponder, AddressChange, …) are answers to a mail that has arrived. */
const BOUNCES = {
  HardBounce: MEANS.gone,
  BadEmailAddress: MEANS.gone,
  Transient: MEANS.deferred,
  DnsError: MEANS.deferred,
  SoftBounce: MEANS.bounced,
  SpamNotification: MEANS.bounced,
  VirusNotification: MEANS.bounced,
  ManuallyDeactivated: MEANS.bounced,
  Unconfirmed: MEANS.bounced,
  Blocked: MEANS.bounced,
  SMTPApiError: MEANS.bounced,
  DMARCPolicy: MEANS.bounced,
  SpamComplaint: MEANS.complained,
  Unsubscribe: MEANS.optedOut,
};

const RECORDS: Outcomes = {
  Delivery: MEANS.delivered,
  Bounce: ({ Type }) => entryOf(BOUNCES, Type),
  SpamComplaint: MEANS.complained,
  // Bounces and complaints have their own records. A person at the vendor's console is no recipient.
  SubscriptionChange: ({ SuppressSending, SuppressionReason, Origin }) =>
    SuppressSending === true && SuppressionReason === "ManualSuppression" && Origin === "Recipient"
      ? MEANS.optedOut
      : undefined,
};

function toEvent(record: Fields): MailEvent {
  // Bounces and complaints have an `ID`. A delivery is unique by mail and address, a change of the subscription by mail,
  // address and time.
  const { RecordType, ID, MessageID, ChangedAt = "", Email, Recipient } = record;
  const address = Email ?? Recipient;
  return {
    id: vendorEventOf(`${RecordType}:${ID ?? `${MessageID}:${ChangedAt}${addressMark(address)}`}`),
    delivery: recordOf(record.Metadata).delivery_id,
    outcome: outcomeOf(RECORDS, RecordType, record),
    address,
    reasons: [record.Details, record.Description],
    status: record.Type,
    occurredAt: momentOf(record.DeliveredAt ?? record.BouncedAt ?? record.ChangedAt),
  };
}

/**
 * Email through Postmark's `POST /email`. Written from its public description:
 * https://postmarkapp.com/developer/user-guide/send-email-with-api, …/developer/api/overview#error-codes
 */
export const postmark = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "postmark",
  content: "email",
  title: "Postmark",
  receipts,
  maxMessageBytes: 10 * 1024 * 1024,
  attachments: "base64",
  settings: SETTINGS,
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Postmark",
    request(message, settings) {
      const { address, name, replyTo } = senderOf(message, settings);
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/email`,
        headers: { ...JSON_HEADERS, "x-postmark-server-token": settings.serverToken },
        // JSON leaves out undefined fields.
        body: jsonBody({
          From: namedAddress(address, name),
          To: wireAddress(message.to),
          Cc: message.cc?.map(wireAddress).join(", "),
          Bcc: message.bcc?.map(wireAddress).join(", "),
          ReplyTo: replyTo,
          Subject: message.subject,
          HtmlBody: message.html || undefined,
          TextBody: message.text || undefined,
          Headers: Object.entries(mailHeaders(message)).map(([Name, Value]) => ({ Name, Value })),
          Metadata: messageIds(message),
          Attachments: message.attachments?.map((file) => ({
            Name: file.name,
            Content: new Base64Of(file),
            ContentType: file.type,
            ContentID: file.cid && `cid:${file.cid}`,
          })),
          MessageStream: settings.messageStream ?? DEFAULT_STREAM,
        }),
      };
    },
    acceptedId: ({ ErrorCode, MessageID }) => (ErrorCode === 0 ? MessageID : undefined),
    meaning: ({ ErrorCode, Message }) => {
      const meaning = meaningOf(ERRORS, ErrorCode);
      const isAboutSender =
        ErrorCode === 300 && /'?\b(From|ReplyTo|Reply-To)\b'?/.test(String(Message));
      return isAboutSender ? { ...meaning, class: "credentials" } : meaning;
    },
  }),
});
