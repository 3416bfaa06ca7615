import { adaptiveCard } from "./chat/adaptive-card.ts";
import { defineChatWebhooks } from "./chat/chat-webhooks.ts";
import { meaningOf } from "./http-vendor.ts";
import { recordOf } from "./receipt.ts";

/** Messages to Teams by the webhook of a workflow, which takes a message (202) and posts it later. */
export const teams = defineChatWebhooks(
  {
    kind: "teams",
    title: "Microsoft Teams",
    example: "ops=https://….api.powerplatform.com/…",
    link: "https://support.microsoft.com/office/8ae491c7-0394-4861-ba59-055e33f75498",
  },
  {
    body: adaptiveCard,
    acceptedId: () => undefined,
    meaning({ error }, { status }) {
      if (status === 202) return { class: "accepted" };
      return meaningOf({}, recordOf(error).code);
    },
  },
);
