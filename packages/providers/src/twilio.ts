import type { OutcomeClass, SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { DELIVERY_PARAMETER, receiptsAddress } from "./receipt.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import { classesByCode, outcome, parseObject, refusal, statusClass } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";
import { isTwilioMessageId, twilioInbound, twilioReceipts } from "./twilio-receipt.ts";

const VENDOR_URL = "https://api.twilio.com";
const MESSAGING_SERVICE = /^MG[0-9a-fA-F]{32}$/;

const SETTINGS = Type.Object(
  {
    accountSid: lineField({
      title: "Account SID",
      description: "The account that sends: AC and 32 hexadecimal digits.",
      link: "https://console.twilio.com/",
      pattern: "^AC[0-9a-fA-F]{32}$",
      fault: "must be AC and 32 hexadecimal digits",
    }),
    apiKeySid: Type.Optional(
      lineField({
        title: "API key SID",
        description:
          "Of an API key, SK and 32 hexadecimal digits; without it the account's own token is used.",
        link: "https://console.twilio.com/us1/account/keys-credentials/api-keys",
        pattern: "^SK[0-9a-fA-F]{32}$",
        fault: "must be SK and 32 hexadecimal digits",
      }),
    ),
    authToken: secretField({
      title: "Secret",
      description: "The API key's secret, or the account's auth token.",
      link: "https://console.twilio.com/us1/account/keys-credentials/api-keys",
    }),
    webhookAuthToken: Type.Optional(
      secretField({
        title: "Auth token for webhooks",
        link: "https://console.twilio.com/",
        description:
          "The account's auth token, which signs what Twilio posts to /webhooks/twilio/<tenant>: what became of each message, and to /webhooks/twilio/<tenant>/inbound: the answers of people. Only with an API key; else the secret above is it.",
      }),
    ),
    sender: lineField({
      title: "Sender",
      description:
        "A number (+12025550100), short code, name of up to 11 characters, or messaging service (MG…).",
      link: "https://console.twilio.com/us1/develop/phone-numbers/manage/incoming",
      pattern:
        "^(\\+[1-9][0-9]{6,14}|MG[0-9a-fA-F]{32}|[0-9]{3,11}|(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9 ._&+-]{1,11})$",
      fault:
        "must be a phone number, a short code, a name of up to 11 characters or a messaging service's SID",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Classes of error codes for which the HTTP status is not precise enough. */
const CODE_CLASSES = classesByCode({
  // About the account; from 21212 on about the sender in the settings.
  credentials: [
    10001, 20003, 20005, 20006, 20008, 20404, 30002, 21212, 21603, 21606, 21659, 21660, 21701,
    21703, 21705,
  ],
  // About the recipient or the text.
  permanent: [21211, 21265, 21266, 21602, 21604, 21610, 21614, 21617, 21635, 30005, 30006],
  // This account may not send this message to this recipient, or a carrier blocked it. Another provider may send it.
  policy: [21408, 21608, 21612, 30004, 30007],
  // Too many requests per second, at once or today.
  throttled: [14107, 20429, 21611, 30001, 63038],
  // The phone is off or unreachable, or its carrier gives no reason.
  deferred: [30003, 30008],
  transient: [20500, 20503],
});

/** Codes that suppress the number: the person has answered STOP, or the number cannot get text messages. */
const SUPPRESSED: ReadonlyMap<string | null, SendOutcome["suppress"]> = new Map([
  ["21610", "opted out"],
  ...["21211", "21614", "30005"].map((code) => [code, "bounced"] as const),
]);

/** Text messages through Twilio's Programmable Messaging, `POST /2010-04-01/Accounts/{sid}/Messages.json`. */
export const twilio = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "twilio",
  content: "text",
  title: "Twilio",
  receipts: twilioReceipts,
  inbound: twilioInbound,
  settings: SETTINGS,
  create: createTwilio,
});

async function createTwilio(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<SmsMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const { accountSid, apiKeySid = accountSid, authToken, sender } = settings;
  const base = (settings.baseUrl ?? VENDOR_URL).replace(/\/+$/, "");
  const url = `${base}/2010-04-01/Accounts/${accountSid}/Messages.json`;
  const headers = {
    accept: "application/json",
    authorization: `Basic ${Buffer.from(`${apiKeySid}:${authToken}`).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
    "user-agent": "belfry",
  };
  const callback = receiptsAddress(twilioReceipts, settings, context);
  const senderField = MESSAGING_SERVICE.test(sender) ? "MessagingServiceSid" : "From";
  return {
    async send(message) {
      const form = new URLSearchParams({
        To: message.to,
        [senderField]: sender,
        Body: message.text,
      });
      if (callback !== undefined) {
        const address = `${callback(message.tenantId)}?${DELIVERY_PARAMETER}=${message.deliveryId}`;
        form.set("StatusCallback", address);
      }
      const result = await calls.post({ url, headers, body: form.toString() });
      if (!result.answered) return result.outcome;
      return judge(result.answer, context);
    },
    close: () => calls.close(),
  };
}

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  const body = parseObject(answer.text);
  const code = answer.status >= 400 ? codeOf(body.code) : codeOf(body.error_code);
  if (answer.status === 201 && isTwilioMessageId(body.sid)) {
    const known = { messageId: body.sid, vendorStatus: "201" };
    if (isOnItsWay(body.status) && code === null) {
      return outcome("accepted", "Twilio accepted the message", known);
    }
    // The message exists and has finally failed. The default is "permanent", as a retry would create another message.
    if (body.status === "failed" || body.status === "undelivered" || body.status === "canceled") {
      const outcomeClass = (code === null ? undefined : CODE_CLASSES.get(code)) ?? "permanent";
      return refused(outcomeClass, answer, context, code);
    }
  }
  const outcomeClass =
    (code === null ? undefined : CODE_CLASSES.get(code)) ?? statusClass(answer.status);
  return refused(answer.status < 300 ? "ambiguous" : outcomeClass, answer, context, code);
}

function refused(
  outcomeClass: OutcomeClass,
  answer: HttpAnswer,
  context: ProviderContext,
  code: string | null,
): SendOutcome {
  const outcome = refusal("Twilio", outcomeClass, answer, context, code);
  const suppress = outcomeClass === "permanent" ? SUPPRESSED.get(code) : undefined;
  return suppress === undefined ? outcome : { ...outcome, suppress };
}

function isOnItsWay(status: unknown): boolean {
  return ["accepted", "scheduled", "queued", "sending", "sent", "delivered"].includes(
    String(status),
  );
}

function codeOf(value: unknown): string | null {
  return (typeof value === "number" || typeof value === "string") && /^\d{5}$/.test(String(value))
    ? String(value)
    : null;
}
