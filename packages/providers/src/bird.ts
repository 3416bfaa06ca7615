import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { birdInbound, birdReceipts } from "./bird-receipt.ts";
import { apiUrl, createHttpVendor, JSON_HEADERS } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";

const VENDOR_URL = "https://api.bird.com";
const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

const SETTINGS = Type.Object(
  {
    accessKey: secretField({
      title: "Access key",
      description: "One that may send messages of the channel.",
      link: "https://app.bird.com/settings/access-keys",
    }),
    workspaceId: lineField({
      title: "Workspace",
      description: "Its id.",
      link: "https://app.bird.com/settings",
      pattern: UUID,
      fault: "must be a workspace's id",
    }),
    channelId: lineField({
      title: "Channel",
      description: "The id of the channel for text messages, whose number or name is the sender.",
      link: "https://app.bird.com/settings",
      pattern: UUID,
      fault: "must be a channel's id",
    }),
    signingKey: Type.Optional(
      secretField({
        title: "Signing key",
        description:
          "Of the webhook subscriptions: sms.outbound to /webhooks/bird/<tenant>: what became of each message, and sms.inbound to /webhooks/bird/<tenant>/inbound: the answers of people. Choose it yourself, the same for both.",
        link: "https://app.bird.com/developers/webhooks",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

const ON_ITS_WAY = new Set(["accepted", "scheduled", "processing", "sent", "delivered"]);
const ENDED = new Set(["rejected", "sending_failed"]);

/** Text messages through Bird's Channels API, `POST /workspaces/{id}/channels/{id}/messages`. */
export const bird = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "bird",
  content: "text",
  title: "Bird",
  receipts: birdReceipts,
  inbound: birdInbound,
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Bird",
    request({ to, text, deliveryId }, settings) {
      const { accessKey, workspaceId, channelId } = settings;
      const body = {
        receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: to }] },
        body: { type: "text", text: { text } },
        // The message's events repeat this reference.
        reference: deliveryId,
      };
      const path = `/workspaces/${workspaceId}/channels/${channelId}/messages`;
      return {
        url: apiUrl(settings, VENDOR_URL) + path,
        headers: { ...JSON_HEADERS, authorization: `AccessKey ${accessKey}` },
        body: JSON.stringify(body),
      };
    },
    acceptedId: (body, { status }) =>
      status === 202 && isBirdMessageId(body.id) && ON_ITS_WAY.has(String(body.status))
        ? body.id
        : undefined,
    meaning({ id, status: state, code }, { status }) {
      // The message exists and has ended, so another call would make another message.
      if (status === 202 && isBirdMessageId(id) && ENDED.has(String(state))) {
        return { code: String(state), class: "permanent" };
      }
      // The URL names the workspace and the channel, so one of these does not exist.
      return status === 404 && typeof code === "string" ? { class: "credentials" } : {};
    },
  }),
});

function isBirdMessageId(value: unknown): value is string {
  return typeof value === "string" && new RegExp(UUID).test(value);
}
