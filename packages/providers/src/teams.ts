import type { ChatMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { adaptiveCard } from "./chat/adaptive-card.ts";
import { createChatWebhooks } from "./chat/chat-webhooks.ts";
import { addressesFaults, addressesField } from "./chat/named-addresses.ts";
import { meaningOf } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import { recordOf } from "./receipt.ts";

const SETTINGS = Type.Object(
  {
    addresses: addressesField({
      example: "ops=https://….api.powerplatform.com/…",
      link: "https://support.microsoft.com/office/8ae491c7-0394-4861-ba59-055e33f75498",
    }),
  },
  { additionalProperties: false },
);

/** Messages to Teams by the webhook of a workflow, which takes a message (202) and posts it later. */
export const teams = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "teams",
  content: "chat",
  title: "Microsoft Teams",
  settings: SETTINGS,
  faults: ({ addresses }, context) => addressesFaults(addresses, context),
  create: createChatWebhooks({
    name: "Microsoft Teams",
    body: adaptiveCard,
    acceptedId: () => undefined,
    meaning({ error }, { status }) {
      if (status === 202) return { class: "accepted" };
      return meaningOf({}, recordOf(error).code);
    },
  }),
});
