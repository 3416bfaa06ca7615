import type { OutcomeClass, SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { plivoInbound, plivoReceipts } from "./plivo-receipt.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { DELIVERY_PARAMETER, receiptsAddress } from "./receipt.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import { outcome, parseObject, refusal, statusClass } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";

const VENDOR_URL = "https://api.plivo.com";
const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const POWERPACK = new RegExp(`^${UUID}$`);

const SETTINGS = Type.Object(
  {
    authId: lineField({
      title: "Auth ID",
      description: "Of the account (MA…) or of a subaccount (SA…).",
      pattern: "^(MA|SA)[A-Z0-9]{18}$",
      fault: "must be MA or SA and 18 capital letters or digits",
    }),
    authToken: secretField({
      title: "Auth token",
      description:
        "It also signs what Plivo posts to /webhooks/plivo/<tenant>: what became of each message, and to /webhooks/plivo/<tenant>/inbound: the answers of people.",
    }),
    sender: lineField({
      title: "Sender",
      description:
        "A number (+12025550100), short code, name of up to 11 letters and digits, or a Powerpack's UUID.",
      pattern: `^(\\+?[1-9][0-9]{2,14}|[A-Za-z0-9]{1,11}|${UUID})$`,
      fault:
        "must be a phone number, a short code, a name of up to 11 letters and digits or a Powerpack's UUID",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Text messages through Plivo's Message API, `POST /v1/Account/{auth_id}/Message/`. */
export const plivo = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "plivo",
  content: "text",
  title: "Plivo",
  receipts: plivoReceipts,
  inbound: plivoInbound,
  settings: SETTINGS,
  create: createPlivo,
});

async function createPlivo(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<SmsMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const { authId, authToken, sender } = settings;
  const base = (settings.baseUrl ?? VENDOR_URL).replace(/\/+$/, "");
  const url = `${base}/v1/Account/${authId}/Message/`;
  const headers = {
    accept: "application/json",
    authorization: `Basic ${Buffer.from(`${authId}:${authToken}`).toString("base64")}`,
    "content-type": "application/json",
    "user-agent": "belfry",
  };
  const callback = receiptsAddress(plivoReceipts, settings, context);
  const from = POWERPACK.test(sender)
    ? { powerpack_uuid: sender }
    : { src: sender.replace(/^\+/, "") };
  return {
    async send(message) {
      const status =
        callback === undefined
          ? {}
          : {
              url: `${callback(message.tenantId)}?${DELIVERY_PARAMETER}=${message.deliveryId}`,
              method: "POST",
            };
      const body = { ...from, dst: message.to.slice(1), text: message.text, ...status };
      const result = await calls.post({ url, headers, body: JSON.stringify(body) });
      return result.answered ? judge(result.answer, context) : result.outcome;
    },
    close: () => calls.close(),
  };
}

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  const body = parseObject(answer.text);
  if (answer.status === 202) {
    const [messageId] = listOf(body.message_uuid);
    if (typeof messageId === "string" && POWERPACK.test(messageId)) {
      const known = { messageId, vendorStatus: "202" };
      return outcome("accepted", "Plivo accepted the message", known);
    }
    // The number was left out, and it was the only one.
    if (listOf(body.invalid_number).length > 0) {
      const refused = refusal("Plivo", "permanent", answer, context, "invalid_number");
      return { ...refused, suppress: "bounced" };
    }
  }
  return refusal("Plivo", classOf(answer, body), answer, context);
}

/** The vendor tells errors by their HTTP status, and in words that it may change. */
function classOf({ status }: HttpAnswer, body: Record<string, unknown>): OutcomeClass {
  // The address names the account alone: it is what does not exist.
  if (status === 404 && typeof body.api_id === "string") return "credentials";
  return statusClass(status);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
