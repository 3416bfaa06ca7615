import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage, OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { parseObject, refusal, statusClass } from "./http-outcome.ts";
import { mailHeaders } from "./message-form.ts";
import type { HttpAnswer } from "./post-once.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { outcome, thrownOutcome } from "./send-outcome.ts";
import { webhookKey } from "./sendgrid-receipt.ts";
import type { SendgridMailData, SendgridResponse } from "./sendgrid-sdk.ts";
import { baseUrlField, emailField, lineField, secretField } from "./settings.ts";

const VENDOR_URL = "https://api.sendgrid.com";

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "A key with the permission Mail Send.",
    }),
    from: emailField({
      title: "From",
      description: "The sender's address: a verified sender or of an authenticated domain.",
    }),
    fromName: Type.Optional(
      lineField({ title: "From name", description: "The name shown beside the sender's address." }),
    ),
    replyTo: Type.Optional(
      emailField({ title: "Reply to", description: "Where answers go, if not to the sender." }),
    ),
    webhookPublicKey: Type.Optional(
      lineField({
        title: "Webhook public key",
        description:
          "The verification key of the signed Event Webhook, which posts to /webhooks/sendgrid/<tenant>: what became of each mail.",
        maxLength: 512,
        pattern: "^[A-Za-z0-9+/]+={0,2}$",
        fault: "must be the verification key as SendGrid shows it",
      }),
    ),
    baseUrl: baseUrlField(`${VENDOR_URL} (EU: https://api.eu.sendgrid.com)`),
  },
  { additionalProperties: false },
);

/** The vendor's table; what is not here is classed by its status alone. */
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
  settings: SETTINGS,
  faults({ webhookPublicKey }) {
    if (webhookPublicKey === undefined || webhookKey(webhookPublicKey) !== undefined) return [];
    return ["webhookPublicKey: must be the verification key as SendGrid shows it"];
  },
  create: createSendgrid,
});

async function createSendgrid(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<EmailMessage>> {
  const [{ createHttpCalls }, { GuardedClient, MailService, sendgridMail }] = await Promise.all([
    import("./http-calls.ts"),
    import("./sendgrid-sdk.ts"),
  ]);
  const calls = createHttpCalls(context);
  const client = new GuardedClient(settings.apiKey, settings.baseUrl ?? VENDOR_URL, calls);
  const mail = new MailService();
  mail.setClient(client);
  return {
    async send(message) {
      try {
        const made = sendgridMail(toMail(message, settings), partsOf(message));
        const [response] = await mail.send(made);
        return judge(toAnswer(response), context);
      } catch (error) {
        return thrownOutcome(error, "permanent");
      }
    },
    close: () => calls.close(),
  };
}

function toAnswer(response: SendgridResponse): HttpAnswer {
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body as unknown as string,
  };
}

/** The vendor takes them in the order plain, HTML, and no empty one. */
function partsOf({ text, html }: EmailMessage) {
  return [
    { type: "text/plain", value: text },
    { type: "text/html", value: html },
  ].filter(({ value }) => value !== "");
}

function toMail(
  message: EmailMessage,
  settings: Static<typeof SETTINGS>,
): Omit<SendgridMailData, "content"> {
  return {
    personalizations: [
      {
        to: { email: wireAddress(message.to) },
        // Kept for years and read by the vendor's staff: ids only.
        customArgs: {
          delivery_id: message.deliveryId,
          tenant_id: message.tenantId,
          event_id: message.eventId,
        },
      },
    ],
    from: {
      email: wireAddress(settings.from),
      ...(settings.fromName === undefined ? {} : { name: settings.fromName }),
    },
    ...(settings.replyTo === undefined
      ? {}
      : { replyTo: { email: wireAddress(settings.replyTo) } }),
    subject: message.subject,
    headers: mailHeaders(message),
    // An account that has it on would add a List-Unsubscribe of the vendor's own.
    ...(message.headers === undefined
      ? {}
      : { trackingSettings: { subscriptionTracking: { enable: false } } }),
  };
}

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  // 200 is what the vendor's sandbox mode answers: nothing is sent.
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

/** The first fault named is one of the sender's address, which the settings give. */
function isAboutSender(body: string): boolean {
  const { errors } = parseObject(body);
  const field: unknown = Array.isArray(errors) ? errors[0]?.field : undefined;
  return typeof field === "string" && /^(from|reply_to)\b/.test(field);
}
