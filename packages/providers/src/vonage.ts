import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import type { Messages as SdkMessages } from "@vonage/messages";
import { apiUrl, each, meaningOf } from "./http-vendor.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import {
  callbackAddress,
  deliveryIdOf,
  entryOf,
  momentOf,
  phoneOf,
  receiptText,
  recordOf,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";
import {
  type JudgedVendor,
  judge,
  NotAccepted,
  outcome,
  parseObject,
  thrownOutcome,
} from "./send-outcome.ts";
import { baseUrlField, lineField, privateKeyField, privateKeyOf, secretField } from "./settings.ts";
import { NO_ANSWER, textWebhooks } from "./text-webhooks.ts";
import { signedBody } from "./vonage-signature.ts";

type SdkRequest = Parameters<SdkMessages["sendRequest"]>[0];
type SdkResponse<T> = Awaited<ReturnType<typeof SdkMessages.prototype.sendRequest<T>>>;

const VENDOR_URL = "https://api.nexmo.com";
/** The Messages API's documented limit for a text. It is lower than our own limit of segments. */
const MAX_CHARACTERS = 1_000;

const SETTINGS = Type.Object(
  {
    sender: lineField({
      title: "Sender",
      description: "The number that messages come from, or a name of up to 11 letters and digits.",
      link: "https://dashboard.nexmo.com/your-numbers",
      pattern: "^(\\+?[1-9][0-9]{2,14}|[0-9]{3,11}|(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9 ._&-]{1,11})$",
      fault: "must be a phone number, a short code or a name of up to 11 letters and digits",
    }),
    apiKey: Type.Optional(
      lineField({
        title: "API key",
        link: "https://dashboard.nexmo.com/settings",
        description: "With the API secret: Basic authentication.",
        pattern: "^[A-Za-z0-9_-]{1,64}$",
        fault: "must be letters and digits",
      }),
    ),
    apiSecret: Type.Optional(
      secretField({
        title: "API secret",
        link: "https://dashboard.nexmo.com/settings",
        description: "With the API key: Basic authentication.",
      }),
    ),
    applicationId: Type.Optional(
      lineField({
        title: "Application id",
        link: "https://dashboard.nexmo.com/applications",
        description: "With the private key: JWT authentication, preferred to Basic.",
        pattern: "^[A-Za-z0-9-]{1,64}$",
        fault: "must be an application's id",
      }),
    ),
    privateKey: Type.Optional(
      privateKeyField({
        title: "Private key",
        link: "https://dashboard.nexmo.com/applications",
        description: "The application's RSA key in PEM form.",
      }),
    ),
    signatureSecret: Type.Optional(
      secretField({
        title: "Signature secret",
        link: "https://dashboard.nexmo.com/settings",
        description:
          "Of the account's signed webhooks, which post to /webhooks/vonage/<tenant>: what became of each message, and to /webhooks/vonage/<tenant>/inbound: the answers of people.",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

type Settings = Static<typeof SETTINGS>;

/** Meanings of the Messages API's codes. Other codes are judged by the HTTP status. */
const ERRORS = {
  ...each({ class: "throttled" }, 1000),
  ...each({ class: "permanent" }, 1010, 1020, 1021, 1022, 1040, 1050, 1090, 1130, 1150),
  // The sender may not send to this number, or this account may not send to it. Another provider may.
  ...each({ class: "policy" }, 1120, 1160),
  // This recipient's carrier or phone did not accept the message. This is not about the account.
  ...each({ class: "deferred" }, 1100),
  ...each({ class: "transient" }, 1030),
  ...each({ class: "credentials" }, 1060, 1070, 1080, 1140),
};

/** Codes in a receipt that are about the number. */
const SUPPRESSED = {
  // The recipient is on the vendor's list of people who have answered STOP.
  9: "opted out",
  // The vendor does not send to this number.
  1050: "bounced",
} as const;

/** The webhooks of the vendor's Messages API, signed with a JWT (HS256) that contains the body's hash. */
const webhooks = textWebhooks<Record<string, unknown>>({
  kind: "vonage",
  keyOf: (settings) => textSetting(settings, "signatureSecret"),
  signsAddress: false,
  askedByMessage: true,
  proof: signedBody,
  statuses: {
    accepted: ["submitted"],
    delivered: ["delivered", "read"],
    bounced: ["rejected", "undeliverable"],
  },
  result(given) {
    // We do not use the token's id, because each retry of the vendor has a new token. A replayed token has the same
    // message and status.
    const id = vendorEventOf(given.message_uuid);
    if (id === null) return undefined;
    const error = errorOf(given);
    const code = receiptCode(error);
    return {
      id,
      status: given.status,
      deliveryId: deliveryIdOf(given.client_ref),
      reason: receiptText(error.detail) ?? receiptText(error.title),
      code,
      occurredAt: momentOf(given.timestamp),
      suppress: entryOf(SUPPRESSED, code),
    };
  },
  reply: ({ message_uuid, from, to, text, channel = "sms" }) => ({
    id: vendorEventOf(message_uuid),
    sender: phoneOf(from),
    recipient: phoneOf(to),
    text: channel === "sms" ? text : null,
  }),
  answer: NO_ANSWER.json,
});

/** Returns the error of a status. Older callbacks nest it one level deeper. */
function errorOf(status: Record<string, unknown>): Record<string, unknown> {
  const error = recordOf(status.error);
  return "error" in error ? recordOf(error.error) : error;
}

function receiptCode(error: Record<string, unknown>): string | null {
  const fragment = typeof error.type === "string" ? /#(\d{1,5})$/.exec(error.type)?.[1] : undefined;
  if (fragment !== undefined) return fragment;
  return /^\d{1,5}$/.exec(String(error.title ?? ""))?.[0] ?? null;
}

/** Text messages through Vonage's Messages API, `POST /v1/messages`. */
export const vonage = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "vonage",
  content: "text",
  title: "Vonage",
  ...webhooks,
  settings: SETTINGS,
  messageFault: ({ text }) =>
    text.length > MAX_CHARACTERS ? "Vonage takes at most 1,000 characters" : null,
  faults(settings) {
    const faults: string[] = [];
    const { apiKey, apiSecret, applicationId, privateKey } = settings;
    if (apiKey !== undefined && apiSecret === undefined) faults.push("apiSecret: is missing");
    if (apiKey === undefined && apiSecret !== undefined) faults.push("apiKey: is missing");
    if (applicationId !== undefined && privateKey === undefined)
      faults.push("privateKey: is missing");
    if (applicationId === undefined && privateKey !== undefined)
      faults.push("applicationId: is missing");
    if (apiKey === undefined && applicationId === undefined && faults.length === 0) {
      faults.push("apiKey: give apiKey and apiSecret, or applicationId and privateKey");
    }
    if (privateKey !== undefined && privateKeyOf(privateKey)?.asymmetricKeyType !== "rsa") {
      faults.push("privateKey: must be an RSA private key in PEM form");
    }
    return faults;
  },
  create: createVonage,
});

async function createVonage(
  settings: Settings,
  context: ProviderContext,
): Promise<Provider<SmsMessage>> {
  const [{ createHttpCalls }, { Auth }, { Messages, SMS }] = await Promise.all([
    import("./http-calls.ts"),
    import("@vonage/auth"),
    import("@vonage/messages"),
  ]);
  const calls = createHttpCalls(context);
  /**
   * The SDK's client over our own connections. The SDK would use the global fetch, which follows redirects with the
   * credentials, has no limit on connections and no address guard, and reports an empty 200 as a success.
   */
  class GuardedMessages extends Messages {
    override async sendRequest<T>(request: SdkRequest): Promise<SdkResponse<T>> {
      const prepared = await this.prepareRequest(request);
      const result = await calls.post({
        url: prepared.url,
        headers: prepared.headers as Record<string, string>,
        body: this.prepareBody(prepared) ?? "",
      });
      if (!result.answered) throw new NotAccepted(result.outcome);
      const { answer } = result;
      const judged = judge(VENDOR, answer, context);
      if (judged.class !== "accepted") throw new NotAccepted(judged);
      return {
        data: parseObject(answer.text) as T,
        status: answer.status,
        statusText: "Accepted",
        headers: {},
        config: prepared,
        request: prepared,
      };
    }
  }
  const apiHost = apiUrl(settings, VENDOR_URL);
  const client = new GuardedMessages(new Auth(credentials(settings)), { apiHost });
  const from = settings.sender.replace(/^\+(?=\d+$)/, "");
  return {
    async send(message) {
      const sms = new SMS(message.text, message.to.slice(1), from, message.deliveryId);
      const { tenantId } = message;
      const callback = callbackAddress(webhooks.receipts, settings, context, { tenantId });
      if (callback !== undefined) {
        sms.webhookUrl = callback;
        sms.webhookVersion = "v1";
      }
      try {
        const { messageUUID } = await client.send(sms);
        const known = { messageId: messageUUID, vendorStatus: "202" };
        return outcome("accepted", "Vonage accepted the message", known);
      } catch (error) {
        // Errors that are not NotAccepted mean that the SDK cannot sign with the private key.
        return thrownOutcome(error, "credentials");
      }
    },
    close: () => calls.close(),
  };
}

const VENDOR: JudgedVendor = {
  name: "Vonage",
  acceptedId: ({ message_uuid: id }, { status }) =>
    status === 202 && typeof id === "string" && /^[\x21-\x7e]{1,255}$/.test(id) ? id : undefined,
  meaning: (body, { status }) => (status >= 400 ? meaningOf(ERRORS, errorCode(body)) : {}),
};

function credentials(settings: Settings) {
  const { apiKey, apiSecret, applicationId, privateKey } = settings;
  return {
    ...(apiKey !== undefined && apiSecret !== undefined ? { apiKey, apiSecret } : {}),
    // Empty by default, because the SDK looks up this value in the file system.
    privateKey: "",
    ...(applicationId !== undefined && privateKey !== undefined
      ? { applicationId, privateKey }
      : {}),
  };
}

/** Returns the code of a problem document: the fragment of its `type`, or a numeric title. Null if it has none. */
function errorCode(body: Record<string, unknown>): string | null {
  const { type, title } = body;
  const fragment = typeof type === "string" ? /#(\d{3,5})$/.exec(type)?.[1] : undefined;
  return fragment ?? (typeof title === "string" ? (/^\d{3,5}$/.exec(title)?.[0] ?? null) : null);
}
