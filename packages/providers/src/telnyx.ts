import type { SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { DELIVERY_PARAMETER, receiptsAddress, recordOf } from "./receipt.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import { classesByCode, outcome, parseObject, refusal, statusClass } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";
import { telnyxInbound, telnyxReceipts } from "./telnyx-receipt.ts";

const VENDOR_URL = "https://api.telnyx.com";

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "Of API version 2; it begins with KEY.",
    }),
    sender: Type.Optional(
      lineField({
        title: "Sender",
        description:
          "A number (+12025550100), short code, or name of up to 11 characters. Without it the messaging profile chooses a number of its pool.",
        pattern: "^(\\+[1-9][0-9]{6,14}|[A-Za-z0-9 ]{1,11})$",
        fault: "must be a phone number, a short code or a name of up to 11 letters and digits",
      }),
    ),
    messagingProfileId: Type.Optional(
      lineField({
        title: "Messaging profile",
        description: "Its id. It is needed without a sender, and for a name as sender.",
        pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
        fault: "must be a messaging profile's id",
      }),
    ),
    webhookPublicKey: Type.Optional(
      lineField({
        title: "Public key",
        description:
          "Of the account, 44 characters. It verifies what Telnyx posts to /webhooks/telnyx/<tenant>: what became of each message, and to /webhooks/telnyx/<tenant>/inbound: the answers of people.",
        pattern: "^[A-Za-z0-9+/]{43}=$",
        fault: "must be an Ed25519 key: 44 characters of base64",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** The vendor's codes; what is not here is classed by its HTTP status, which may vary for one code. */
const CODE_CLASSES = classesByCode({
  // The account, its profile, or the sender that the settings name.
  credentials: [
    10009, 10010, 40013, 40100, 40150, 40151, 40305, 40306, 40308, 40311, 40312, 40313, 40314,
    40315, 40321, 40329,
  ],
  // The recipient or the text.
  permanent: [
    10002, 10004, 10015, 10016, 40009, 40012, 40300, 40301, 40302, 40304, 40310, 40316, 40317,
    40328,
  ],
  // This account may not send this message there. Another provider may.
  policy: [10039, 40309, 40319, 40322],
  throttled: [10011, 40011, 40016, 40018, 40318],
  transient: [10007, 10008, 40006, 40320],
});

/** Numbers that are never sent to again. Of an answer to a request 40300 means STOP; of a receipt it may not. */
const SUPPRESSED: ReadonlyMap<string | null, SendOutcome["suppress"]> = new Map([
  ["40300", "opted out"],
  ["40310", "bounced"],
]);

/** Text messages through Telnyx's Messaging API, `POST /v2/messages`. */
export const telnyx = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "telnyx",
  content: "text",
  title: "Telnyx",
  receipts: telnyxReceipts,
  inbound: telnyxInbound,
  settings: SETTINGS,
  faults: ({ sender, messagingProfileId }) =>
    sender === undefined && messagingProfileId === undefined
      ? ["sender: give a sender, a messaging profile, or both"]
      : [],
  create: createTelnyx,
});

async function createTelnyx(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<SmsMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const { apiKey, sender: from, messagingProfileId } = settings;
  const url = `${(settings.baseUrl ?? VENDOR_URL).replace(/\/+$/, "")}/v2/messages`;
  const headers = {
    accept: "application/json",
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "user-agent": "belfry",
  };
  const callback = receiptsAddress(telnyxReceipts, settings, context);
  return {
    async send({ to, text, tenantId, deliveryId }) {
      const address = callback && `${callback(tenantId)}?${DELIVERY_PARAMETER}=${deliveryId}`;
      // JSON leaves out what is undefined.
      const body = {
        from,
        messaging_profile_id: messagingProfileId,
        to,
        text,
        webhook_url: address,
      };
      const result = await calls.post({ url, headers, body: JSON.stringify(body) });
      return result.answered ? judge(result.answer, context) : result.outcome;
    },
    close: () => calls.close(),
  };
}

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  const body = parseObject(answer.text);
  const code = codeOf(body.errors);
  if (answer.status === 200 && code === null) {
    const { id } = recordOf(body.data);
    if (isTelnyxMessageId(id)) {
      const known = { messageId: id, vendorStatus: "200" };
      return outcome("accepted", "Telnyx accepted the message", known);
    }
  }
  const byCode = code === null ? undefined : CODE_CLASSES.get(code);
  const outcomeClass = answer.status < 300 ? "ambiguous" : (byCode ?? statusClass(answer.status));
  const refused = refusal("Telnyx", outcomeClass, answer, context, code);
  const suppress = outcomeClass === "permanent" ? SUPPRESSED.get(code) : undefined;
  return suppress === undefined ? refused : { ...refused, suppress };
}

function codeOf(errors: unknown): string | null {
  const [first] = Array.isArray(errors) ? errors : [];
  return /^\d{5,8}$/.exec(String(recordOf(first).code ?? ""))?.[0] ?? null;
}

function isTelnyxMessageId(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,200}$/.test(value);
}
