import type { ChatMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { createChatWebhooks } from "./chat/chat-webhooks.ts";
import { discordMarkdown } from "./chat/markdown-dialects.ts";
import { addressesFaults, addressesField } from "./chat/named-addresses.ts";
import { each, meaningOf } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";

const SETTINGS = Type.Object(
  {
    addresses: addressesField({
      example: "ops=https://discord.com/api/webhooks/…",
      link: "https://support.discord.com/hc/en-us/articles/228383668",
    }),
  },
  { additionalProperties: false },
);

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const MEANINGS = {
  // Unknown channel, guild and webhook; missing access and permissions; an invalid webhook token.
  ...each({ class: "permanent" }, 10003, 10004, 10015, 50001, 50013, 50027),
  // The webhook's channel is slowed down, or the server has reached its rate of writing.
  ...each({ class: "deferred" }, 20016, 20028, 20029, 31001),
  // Archived threads take no message, and messages of a server under verification wait.
  ...each({ class: "permanent" }, 50006, 50035, 50083, 160005),
} as const;

/** Suppresses the previews of links. */
const NO_EMBEDS = 4;

/** Messages to channels of Discord by webhooks. */
export const discord = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "discord",
  content: "chat",
  title: "Discord",
  settings: SETTINGS,
  faults: ({ addresses }, context) => addressesFaults(addresses, context),
  create: createChatWebhooks({
    name: "Discord",
    url(address) {
      // Discord answers before it has stored the message, and without an id, unless it is told to wait.
      const url = new URL(address);
      url.searchParams.set("wait", "true");
      return url.href;
    },
    body: (message) => ({
      content: discordMarkdown(message),
      allowed_mentions: { parse: [] },
      flags: NO_EMBEDS,
    }),
    acceptedId: ({ id }, { status }) => (status === 200 ? id : undefined),
    meaning({ code, retry_after: seconds, global }, { status }) {
      if (status !== 429) return meaningOf(MEANINGS, code === 0 ? undefined : code);
      const wait = typeof seconds === "number" ? { retryAfterSeconds: Math.ceil(seconds) } : {};
      return global === true ? { class: "throttled", ...wait } : wait;
    },
  }),
});
