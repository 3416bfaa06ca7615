import { type KeyObject, verify } from "node:crypto";
import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage, OutgoingAttachment } from "@belfry/contracts/sending";
import type sdkClient from "@sendgrid/client";
import type sdkMail from "@sendgrid/mail";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl } from "./http-vendor.ts";
import {
  type MailEvent,
  MEANS,
  mailReceipts,
  momentOfSeconds,
  type Outcomes,
  outcomeOf,
} from "./mail-receipts.ts";
import { mailHeaders, messageIds, senderOf } from "./message-form.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import {
  BATCH_BYTES,
  entryOf,
  listOf,
  publicKeyOf,
  recordOf,
  signedJson,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";
import { type JudgedVendor, judge, NotAccepted, thrownOutcome } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField, senderFields } from "./settings.ts";
import { Base64Of, jsonBody } from "./streamed-body.ts";

type AttachmentData = NonNullable<SdkMailData["attachments"]>[number];
type SdkClient = typeof sdkClient;
type SdkMail = typeof sdkMail;
type SdkRequest = Parameters<SdkClient["request"]>[0];
type SdkResponse = Awaited<ReturnType<SdkClient["request"]>>[0];
type SdkMailData = Exclude<Parameters<SdkMail["send"]>[0], readonly unknown[]>;

const VENDOR_URL = "https://api.sendgrid.com";

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "A key with the permission Mail Send.",
      link: "https://app.sendgrid.com/settings/api_keys",
    }),
    ...senderFields(
      ": a verified sender or of an authenticated domain",
      "https://app.sendgrid.com/settings/sender_auth",
    ),
    webhookPublicKey: Type.Optional(
      lineField({
        title: "Webhook public key",
        description:
          "The verification key of the signed Event Webhook, which posts to /webhooks/sendgrid/<tenant>: what became of each mail.",
        link: "https://app.sendgrid.com/settings/mail_settings/webhook_settings",
        maxLength: 512,
        pattern: "^[A-Za-z0-9+/]+={0,2}$",
        fault: "must be the verification key as SendGrid shows it",
      }),
    ),
    baseUrl: baseUrlField(`${VENDOR_URL} (EU: https://api.eu.sendgrid.com)`),
  },
  { additionalProperties: false },
);

type Settings = Static<typeof SETTINGS>;

/** The vendor's Event Webhook: a signed JSON array of events, which may be repeated and come in any order. */
const receipts = mailReceipts<unknown[]>({
  kind: "sendgrid",
  maxBytes: BATCH_BYTES,
  keyOf: (settings) => textSetting(settings, "webhookPublicKey"),
  setUp: {
    text: "Settings → Mail Settings → Event Webhooks. Choose Processed, Deferred, Delivered, Bounced, Dropped, Spam Reports and Unsubscribes, and turn Signature Verification on.",
    link: "https://app.sendgrid.com/settings/mail_settings/webhook_settings",
  },
  proof: signedJson({
    // An ECDSA signature on P-256 in DER.
    signature: ["x-twilio-email-event-webhook-signature", /^[A-Za-z0-9+/]{88,96}={0,2}$/],
    // The vendor retries for a day. A repeated event is recognized by its id.
    time: ["x-twilio-email-event-webhook-timestamp", 24 * 60 * 60],
    isSigned(given, { key: text, time, body }) {
      const key = webhookKey(text);
      // The body includes its last line end.
      const signed = Buffer.concat([Buffer.from(time), body]);
      return key !== undefined && verify("sha256", signed, key, given);
    },
    event: (json) => (Array.isArray(json) ? json : "unreadable"),
  }),
  events: (events) => events.map(toEvent),
});

/** Parses the vendor's public key (base64 of its DER form). Returns undefined if it is not a P-256 key. */
function webhookKey(base64: string): KeyObject | undefined {
  const key = publicKeyOf(Buffer.from(base64, "base64"));
  return key?.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
}

/** Events that are not listed (opens, clicks, …) are private, or not about the delivery. */
const OUTCOMES: Outcomes = {
  processed: MEANS.accepted,
  deferred: MEANS.deferred,
  delivered: MEANS.delivered,
  // A blocked mail was refused for some time or for its content. The address is valid.
  bounce: ({ type }) => (type === "blocked" ? MEANS.bounced : MEANS.gone),
  dropped: ({ reason }) => ({ kind: "bounced", suppress: entryOf(DROP_REASONS, reason) ?? null }),
  spamreport: MEANS.complained,
  unsubscribe: MEANS.optedOut,
  // The person left one of the vendor's unsubscribe groups, but still wants other mail.
  group_unsubscribe: { kind: "opted out", suppress: null },
};

/** Reasons to drop a mail because its address is on one of the vendor's lists. The vendor has no codes for these. */
const DROP_REASONS = {
  "Bounced Address": "bounced",
  Invalid: "bounced",
  "Spam Reporting Address": "complained",
  "Unsubscribed Address": "opted out",
} as const;

function toEvent(value: unknown): MailEvent {
  const event = recordOf(value);
  return {
    id: vendorEventOf(event.sg_event_id),
    // The vendor spreads the custom arguments over the event.
    delivery: event.delivery_id,
    outcome: outcomeOf(OUTCOMES, event.event, event),
    address: event.email,
    reasons: [event.reason, event.response],
    status: event.status,
    occurredAt: momentOfSeconds(event.timestamp),
  };
}

/** Email through Twilio SendGrid's `POST /v3/mail/send`. */
export const sendgrid = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "sendgrid",
  content: "email",
  title: "SendGrid",
  receipts,
  maxMessageBytes: 30 * 1024 * 1024,
  attachments: "base64",
  settings: SETTINGS,
  faults({ webhookPublicKey }) {
    if (webhookPublicKey === undefined || webhookKey(webhookPublicKey) !== undefined) return [];
    return ["webhookPublicKey: must be the verification key as SendGrid shows it"];
  },
  create: createSendgrid,
});

async function createSendgrid(
  settings: Settings,
  context: ProviderContext,
): Promise<Provider<EmailMessage>> {
  const [{ createHttpCalls }, clientModule, mailModule, helpersModule] = await Promise.all([
    import("./http-calls.ts"),
    import("@sendgrid/client"),
    import("@sendgrid/mail"),
    import("@sendgrid/helpers"),
  ]);
  // We use the SDK's classes, because its default exports are one instance for the process, with one credential.
  const { Client } = clientModule.default as unknown as { Client: new () => SdkClient };
  const { MailService } = mailModule.default as unknown as { MailService: new () => SdkMail };
  const { Mail } = helpersModule.default.classes;
  const calls = createHttpCalls(context);
  const baseUrl = apiUrl(settings, VENDOR_URL);
  const client = new Client();
  // We do not call setApiKey, because it logs keys of an unknown form to the console.
  client.setDefaultHeader("Authorization", `Bearer ${settings.apiKey}`);
  // We send the SDK's requests over our own connections: axios does not report whether a failed request was already
  // sent, and would need the address guard a second time.
  client.request = async (request) => {
    // MailService also sets the mail's header fields as headers of the HTTP request, so we remove those.
    const prepared = client.createRequest({ ...request, headers: {} }) as SdkRequest & {
      data: object;
    };
    const result = await calls.post({
      url: baseUrl + prepared.url,
      headers: prepared.headers as Record<string, string>,
      body:
        "attachments" in prepared.data ? jsonBody(prepared.data) : JSON.stringify(prepared.data),
    });
    if (!result.answered) throw new NotAccepted(result.outcome);
    const { status, headers, text } = result.answer;
    // The SDK's type requires an object, but the vendor's body is empty.
    return [{ statusCode: status, headers, body: text } as unknown as SdkResponse, text];
  };
  const service = new MailService();
  service.setClient(client);
  return {
    async send(message) {
      try {
        const mail = new Mail(toMail(message, settings) as SdkMailData);
        // The SDK copies other fields through JSON, but not content and attachments that are added by these methods.
        for (const part of partsOf(message)) mail.addContent(part);
        for (const file of message.attachments ?? []) mail.addAttachment(attachmentOf(file));
        const [response] = await service.send(mail as unknown as SdkMailData);
        const { statusCode: status, headers, body } = response;
        return judge(VENDOR, { status, headers, text: body as unknown as string }, context);
      } catch (error) {
        return thrownOutcome(error, "permanent");
      }
    },
    close: () => calls.close(),
  };
}

/** Returns the parts in the order that the vendor requires: plain text, then HTML. It rejects empty parts. */
function partsOf({ text, html }: EmailMessage) {
  return [
    { type: "text/plain", value: text },
    { type: "text/html", value: html },
  ].filter(({ value }) => value !== "");
}

/** Returns an attachment for the SDK. The SDK passes its content on unchanged, but types it as a string. */
function attachmentOf(file: OutgoingAttachment): AttachmentData {
  return {
    content: new Base64Of(file) as unknown as string,
    filename: file.name,
    type: file.type,
    ...(file.cid === undefined
      ? { disposition: "attachment" }
      : { disposition: "inline", content_id: file.cid }),
  } as AttachmentData;
}

const toAddress = (address: string) => ({ email: wireAddress(address) });

function toMail(message: EmailMessage, settings: Settings): Omit<SdkMailData, "content"> {
  const sender = senderOf(message, settings);
  return {
    personalizations: [
      {
        to: toAddress(message.to),
        ...(message.cc && { cc: message.cc.map(toAddress) }),
        ...(message.bcc && { bcc: message.bcc.map(toAddress) }),
        // The vendor stores these for years, and its staff can read them, so they contain only ids.
        customArgs: messageIds(message),
      },
    ],
    from: { email: sender.address, ...(sender.name !== undefined && { name: sender.name }) },
    ...(sender.replyTo !== undefined && { replyTo: { email: sender.replyTo } }),
    subject: message.subject,
    headers: mailHeaders(message),
    // If the account has subscription tracking on, the vendor would add its own List-Unsubscribe.
    ...(message.headers === undefined
      ? {}
      : { trackingSettings: { subscriptionTracking: { enable: false } } }),
  };
}

const VENDOR: JudgedVendor = {
  name: "SendGrid",
  acceptedId: (_, { status, headers }) => (status === 202 ? headers["x-message-id"] : undefined),
  meaning(body, { status }) {
    // Only 202 is a success: in its sandbox mode the vendor answers 200 and sends nothing.
    if (status === 202) return { class: "accepted" };
    return status === 400 && isAboutSender(body) ? { class: "credentials" } : {};
  },
};

/** Whether the first error is about the sender's address, which comes from the settings. */
function isAboutSender({ errors }: Record<string, unknown>): boolean {
  const { field } = recordOf(listOf(errors)[0]);
  return typeof field === "string" && /^(from|reply_to)\b/.test(field);
}
