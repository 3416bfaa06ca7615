import { createHash } from "node:crypto";
import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { awsFields, AWS_CONSOLE as CONSOLE, signAwsRequest } from "./aws-signature.ts";
import {
  ACCOUNT_FOR_THIS_MESSAGE,
  apiUrl,
  createHttpVendor,
  JSON_HEADERS,
  meaningOf,
} from "./http-vendor.ts";
import { mailHeaders, messageIds, namedAddress, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
import type { Meaning } from "./send-outcome.ts";
import { sesReceipts } from "./ses-receipt.ts";
import { baseUrlField, lineField, senderFields } from "./settings.ts";
import { Base64Of, jsonBody, type StreamedBody } from "./streamed-body.ts";

const SETTINGS = Type.Object(
  {
    ...awsFields({ action: "ses:SendEmail", account: `${CONSOLE}/ses/home#/account` }),
    ...senderFields(": of a verified identity", `${CONSOLE}/ses/home#/identities`),
    configurationSet: Type.Optional(
      lineField({
        title: "Configuration set",
        description: "Its event destination reports what became of each mail; needed for receipts.",
        link: `${CONSOLE}/ses/home#/configuration-sets`,
        maxLength: 64,
        pattern: "^[A-Za-z0-9_-]+$",
        fault: "must be a configuration set's name",
      }),
    ),
    topicArn: Type.Optional(
      lineField({
        title: "SNS topic",
        description: "The ARN of the topic to which the configuration set publishes its events.",
        link: `${CONSOLE}/sns/v3/home#/topics`,
        pattern: "^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$",
        fault: "must be a topic's ARN: arn:aws:sns:…",
      }),
    ),
    baseUrl: baseUrlField("https://email.<region>.amazonaws.com"),
  },
  { additionalProperties: false },
);

/** The vendor's documented maximum length of a header field's value. */
const MAX_HEADER_CHARACTERS = 870;

/** Meanings by the exception's name. */
const ERRORS: Readonly<Record<string, Omit<Meaning, "code">>> = {
  AccountSuspendedException: { class: "credentials" },
  SendingPausedException: { class: "credentials" },
  MailFromDomainNotVerifiedException: { class: "credentials" },
  // The configuration set does not exist.
  NotFoundException: { class: "credentials" },
  AccessDeniedException: { class: "credentials" },
  IncompleteSignature: { class: "credentials" },
  NotAuthorized: { class: "credentials" },
  RequestExpired: { class: "credentials" },
  LimitExceededException: ACCOUNT_FOR_THIS_MESSAGE,
  ThrottlingException: { class: "throttled" },
  TooManyRequestsException: { class: "throttled" },
};

/**
 * Email through Amazon SES, `SendEmail` of its API v2. Written from its public description:
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html, …/APIReference-V2/CommonErrors.html,
 * https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
 */
export const ses = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "ses",
  content: "email",
  title: "Amazon SES",
  receipts: sesReceipts,
  maxMessageBytes: 40 * 1024 * 1024,
  attachments: "base64",
  settings: SETTINGS,
  faults({ topicArn, configurationSet }) {
    if (topicArn === undefined || configurationSet !== undefined) return [];
    return ["configurationSet: is needed where there is an SNS topic"];
  },
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Amazon SES",
    async request(message, settings, { now }) {
      const { region } = settings;
      const url = `${apiUrl(settings, `https://email.${region}.amazonaws.com`)}/v2/email/outbound-emails`;
      const body = jsonBody(toRequest(message, settings));
      // We sign only this one of our headers, because a proxy may change the others.
      const headers = { "content-type": JSON_HEADERS["content-type"] };
      const text = typeof body === "string" ? body : "";
      const bodySha256 = typeof body === "string" ? {} : { bodySha256: await sha256Of(body) };
      const request = { method: "POST", url, headers, body: text, ...bodySha256 } as const;
      const signed = signAwsRequest(request, "ses", settings, now());
      return { url, headers: { ...JSON_HEADERS, ...signed }, body };
    },
    acceptedId: ({ MessageId }) => MessageId,
    meaning(body, { headers }) {
      const type = headers["x-amzn-errortype"] ?? body.__type ?? body.code;
      const [, name] = typeof type === "string" ? (/^(?:.*#)?([^:]*)/.exec(type) ?? []) : [];
      const meaning = meaningOf(ERRORS, name);
      const words = String(body.message ?? body.Message);
      // The account's quota is used up, or an address is not verified. In SES's sandbox, this may be the recipient's.
      const isOfAccount = /daily (message|sending) quota|address is not verified/i.test(words);
      return isOfAccount ? { ...meaning, ...ACCOUNT_FOR_THIS_MESSAGE } : meaning;
    },
  }),
});

function toRequest(message: EmailMessage, settings: Static<typeof SETTINGS>) {
  const sender = senderOf(message, settings);
  const text = (Data: string) => ({ Data, Charset: "UTF-8" });
  // JSON leaves out undefined fields.
  return {
    FromEmailAddress: namedAddress(sender.address, sender.name),
    Destination: {
      ToAddresses: [wireAddress(message.to)],
      CcAddresses: message.cc?.map(wireAddress),
      BccAddresses: message.bcc?.map(wireAddress),
    },
    ReplyToAddresses: sender.replyTo && [sender.replyTo],
    Content: {
      Simple: {
        Subject: text(message.subject),
        Body: {
          Html: message.html === "" ? undefined : text(message.html),
          Text: message.text === "" ? undefined : text(message.text),
        },
        Attachments: message.attachments?.map((file) => ({
          FileName: file.name,
          ContentType: file.type,
          RawContent: new Base64Of(file),
          ContentTransferEncoding: "BASE64",
          ContentDisposition: file.cid === undefined ? "ATTACHMENT" : "INLINE",
          ContentId: file.cid,
        })),
        Headers: Object.entries(headersOf(message)).map(([Name, Value]) => ({ Name, Value })),
      },
    },
    EmailTags: Object.entries(messageIds(message)).map(([Name, Value]) => ({ Name, Value })),
    ConfigurationSetName: settings.configurationSet,
  };
}

/** Hashes the body for the signature. It is sent before the body, so the files are read once more for it. */
async function sha256Of(body: StreamedBody): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of body.read()) hash.update(piece);
  return hash.digest("hex");
}

/** Returns the mail's header fields, without those of the list if the vendor would refuse the mail for their length. */
function headersOf(message: EmailMessage): Record<string, string> {
  const headers = mailHeaders(message);
  const isLong = Object.values(headers).some((value) => value.length > MAX_HEADER_CHARACTERS);
  return isLong ? mailHeaders({}) : headers;
}
