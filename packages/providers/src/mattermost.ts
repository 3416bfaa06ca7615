import type { ChatMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { createChatWebhooks } from "./chat/chat-webhooks.ts";
import { mattermostMarkdown } from "./chat/markdown-dialects.ts";
import { addressesFaults, addressesField } from "./chat/named-addresses.ts";
import { each, meaningOf } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";

const SETTINGS = Type.Object(
  {
    addresses: addressesField({
      example: "ops=https://chat.example.com/hooks/…",
      link: "https://developers.mattermost.com/integrate/webhooks/incoming/",
    }),
  },
  { additionalProperties: false },
);

/** Ids of errors of its server's source, `app/webhook.go`. */
const MEANINGS = {
  ...each(
    { class: "permanent" },
    "web.incoming_webhook.invalid.app_error",
    "web.incoming_webhook.channel.app_error",
    "web.incoming_webhook.channel_locked.app_error",
    "web.incoming_webhook.permissions.app_error",
    "web.incoming_webhook.user.app_error",
    "web.incoming_webhook.text.length.app_error",
  ),
  ...each({ class: "credentials" }, "web.incoming_webhook.disabled.app_error"),
} as const;

/** Messages to channels of Mattermost by webhooks. */
export const mattermost = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "mattermost",
  content: "chat",
  title: "Mattermost",
  settings: SETTINGS,
  faults: ({ addresses }, context) => addressesFaults(addresses, context),
  create: createChatWebhooks({
    name: "Mattermost",
    body: (message) => ({ text: mattermostMarkdown(message) }),
    acceptedId: () => undefined,
    meaning({ id }, { status, text }) {
      if (status === 200 && text.trim() === "ok") return { class: "accepted" };
      return meaningOf(MEANINGS, id);
    },
  }),
});
