import type { SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { birdInbound, birdReceipts } from "./bird-receipt.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import { outcome, parseObject, refusal, statusClass } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";

const VENDOR_URL = "https://api.bird.com";
const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

const SETTINGS = Type.Object(
  {
    accessKey: secretField({
      title: "Access key",
      description: "One that may send messages of the channel.",
    }),
    workspaceId: lineField({
      title: "Workspace",
      description: "Its id.",
      pattern: UUID,
      fault: "must be a workspace's id",
    }),
    channelId: lineField({
      title: "Channel",
      description: "The id of the channel for text messages, whose number or name is the sender.",
      pattern: UUID,
      fault: "must be a channel's id",
    }),
    signingKey: Type.Optional(
      secretField({
        title: "Signing key",
        description:
          "Of the webhook subscriptions: sms.outbound to /webhooks/bird/<tenant>: what became of each message, and sms.inbound to /webhooks/bird/<tenant>/inbound: the answers of people. Choose it yourself, the same for both.",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Text messages through Bird's Channels API, `POST /workspaces/{id}/channels/{id}/messages`. */
export const bird = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "bird",
  content: "text",
  title: "Bird",
  receipts: birdReceipts,
  inbound: birdInbound,
  settings: SETTINGS,
  create: createBird,
});

async function createBird(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<SmsMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const { accessKey, workspaceId, channelId } = settings;
  const base = (settings.baseUrl ?? VENDOR_URL).replace(/\/+$/, "");
  const url = `${base}/workspaces/${workspaceId}/channels/${channelId}/messages`;
  const headers = {
    accept: "application/json",
    authorization: `AccessKey ${accessKey}`,
    "content-type": "application/json",
    "user-agent": "belfry",
  };
  return {
    async send({ to, text, deliveryId }) {
      const body = {
        receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: to }] },
        body: { type: "text", text: { text } },
        // It stands in the message's events, too.
        reference: deliveryId,
      };
      const result = await calls.post({ url, headers, body: JSON.stringify(body) });
      return result.answered ? judge(result.answer, context) : result.outcome;
    },
    close: () => calls.close(),
  };
}

const ON_ITS_WAY = new Set(["accepted", "scheduled", "processing", "sent", "delivered"]);

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  const { id, status, code } = parseObject(answer.text);
  if (answer.status === 202 && isBirdMessageId(id)) {
    if (typeof status === "string" && ON_ITS_WAY.has(status)) {
      const known = { messageId: id, vendorStatus: "202" };
      return outcome("accepted", "Bird accepted the message", known);
    }
    // The message exists and is at its end: asking again would make another.
    if (status === "rejected" || status === "sending_failed") {
      return refusal("Bird", "permanent", answer, context, status);
    }
  }
  // The address names the workspace and the channel: they are what does not exist.
  const isTheirs = answer.status === 404 && typeof code === "string";
  const outcomeClass = isTheirs ? "credentials" : statusClass(answer.status);
  return refusal("Bird", outcomeClass, answer, context);
}

function isBirdMessageId(value: unknown): value is string {
  return typeof value === "string" && new RegExp(UUID).test(value);
}
