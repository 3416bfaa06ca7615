import { wireAddress } from "@belfry/contracts/addresses";
import type {
  EmailMessage,
  OutcomeClass,
  OutgoingAttachment,
  SendOutcome,
} from "@belfry/contracts/sending";
import type sdkClient from "@sendgrid/client";
import type sdkMail from "@sendgrid/mail";
import { type Static, Type } from "@sinclair/typebox";
import { mailHeaders, messageIds, senderOf } from "./message-form.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import {
  NotAccepted,
  outcome,
  parseObject,
  refusal,
  statusClass,
  thrownOutcome,
} from "./send-outcome.ts";
import { sendgridReceipts, webhookKey } from "./sendgrid-receipt.ts";
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

/** Classes of the HTTP statuses in the vendor's documentation. Other statuses have the class of `statusClass`. */
const STATUS_CLASSES: Readonly<Record<number, OutcomeClass>> = {
  400: "permanent",
  401: "credentials",
  403: "credentials",
  404: "permanent",
  405: "permanent",
  413: "permanent",
  415: "permanent",
  429: "throttled",
  500: "transient",
  502: "transient",
  503: "transient",
  504: "transient",
};

/** Email through Twilio SendGrid's `POST /v3/mail/send`. */
export const sendgrid = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "sendgrid",
  content: "email",
  title: "SendGrid",
  receipts: sendgridReceipts,
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
  const baseUrl = (settings.baseUrl ?? VENDOR_URL).replace(/\/+$/, "");
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
        return judge(toAnswer(response), context);
      } catch (error) {
        return thrownOutcome(error, "permanent");
      }
    },
    close: () => calls.close(),
  };
}

function toAnswer({ statusCode, headers, body }: SdkResponse): HttpAnswer {
  return { status: statusCode, headers, text: body as unknown as string };
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

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  // Only 202 is a success: in its sandbox mode the vendor answers 200 and sends nothing.
  if (answer.status === 202) {
    const id = answer.headers["x-message-id"];
    const messageId = typeof id === "string" && /^[\x21-\x7e]{1,255}$/.test(id) ? id : null;
    return outcome("accepted", "SendGrid accepted the message", { messageId, vendorStatus: "202" });
  }
  const outcomeClass =
    answer.status === 400 && isAboutSender(answer.text)
      ? "credentials"
      : (STATUS_CLASSES[answer.status] ?? statusClass(answer.status));
  return refusal("SendGrid", outcomeClass, answer, context);
}

/** Whether the first error is about the sender's address, which comes from the settings. */
function isAboutSender(body: string): boolean {
  const { errors } = parseObject(body);
  const field: unknown = Array.isArray(errors) ? errors[0]?.field : undefined;
  return typeof field === "string" && /^(from|reply_to)\b/.test(field);
}
