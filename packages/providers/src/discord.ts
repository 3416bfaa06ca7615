import { defineChatWebhooks } from "./chat/chat-webhooks.ts";
import { discordMarkdown } from "./chat/markdown-dialects.ts";
import { meaningOf } from "./http-vendor.ts";

/** Suppresses the previews of links. */
const NO_EMBEDS = 4;

/** Messages to channels of Discord by webhooks. */
export const discord = defineChatWebhooks(
  {
    kind: "discord",
    title: "Discord",
    example: "ops=https://discord.com/api/webhooks/…",
    link: "https://support.discord.com/hc/en-us/articles/228383668",
  },
  {
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
      if (status !== 429) return meaningOf({}, code);
      const wait = typeof seconds === "number" ? { retryAfterSeconds: Math.ceil(seconds) } : {};
      return global === true ? { class: "throttled", ...wait } : wait;
    },
  },
);
