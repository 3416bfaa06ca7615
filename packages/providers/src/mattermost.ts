import { defineChatWebhooks } from "./chat/chat-webhooks.ts";
import { mattermostMarkdown } from "./chat/markdown-dialects.ts";
import { meaningOf } from "./http-vendor.ts";

/** Ids of its server's `app/webhook.go` whose statuses say something else: the server takes no webhooks. */
const MEANINGS = { "web.incoming_webhook.disabled.app_error": { class: "deferred" } } as const;

/** Messages to channels of Mattermost by webhooks. */
export const mattermost = defineChatWebhooks(
  {
    kind: "mattermost",
    title: "Mattermost",
    example: "ops=https://chat.example.com/hooks/…",
    link: "https://developers.mattermost.com/integrate/webhooks/incoming/",
  },
  {
    body: (message) => ({ text: mattermostMarkdown(message) }),
    acceptedId: () => undefined,
    meaning({ id }, { status, text }) {
      if (status === 200 && text.trim() === "ok") return { class: "accepted" };
      return meaningOf(MEANINGS, id);
    },
  },
);
