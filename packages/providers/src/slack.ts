import type { ChatMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { createChatWebhooks } from "./chat/chat-webhooks.ts";
import { addressesFaults, addressesField } from "./chat/named-addresses.ts";
import { slackContent } from "./chat/slack-blocks.ts";
import { apiUrl, createHttpVendor, each, JSON_HEADERS, meaningOf } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import { outcome } from "./send-outcome.ts";
import { baseUrlField, secretField } from "./settings.ts";

const VENDOR_URL = "https://slack.com/api";
const APPS = "https://api.slack.com/apps";
/** A channel, group, conversation or person by its id, which the bot writes to; or a webhook's name. */
const ADDRESS = /^slack:([CDGUW][A-Z0-9]{2,30}|#[A-Za-z0-9_-]{1,64})$/;

const SETTINGS = Type.Object(
  {
    botToken: Type.Optional(
      secretField({
        title: "Bot token",
        description: "With the scope chat:write, for addresses such as slack:C024BE91L.",
        link: APPS,
        pattern: "^xox[a-z.]{1,8}-[A-Za-z0-9-]+$",
        fault: "must be a token, as xoxb-…",
      }),
    ),
    addresses: Type.Optional(
      addressesField({ example: "ops=https://hooks.slack.com/services/…", link: APPS }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);
type Settings = Static<typeof SETTINGS>;

/** https://docs.slack.dev/reference/methods/chat.postMessage: errors come with 200. */
const MEANINGS = {
  // Another provider may belong to the workspace of the channel or the person, or its bot may be in the channel.
  ...each(
    { class: "policy" },
    ...["channel_not_found", "user_not_found", "team_not_found", "not_in_channel"],
  ),
  ...each({ class: "permanent" }, "is_archived", "cannot_dm_bot"),
  ...each(
    { class: "credentials" },
    ...["not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired"],
    ...["missing_scope", "no_permission", "not_allowed_token_type", "org_login_required"],
    ...[
      "ekm_access_denied",
      "access_denied",
      "team_access_not_granted",
      "enterprise_is_restricted",
    ],
  ),
  ...each({ class: "deferred" }, "ratelimited", "rate_limited", "message_limit_exceeded"),
  ...each({ class: "transient" }, "fatal_error", "internal_error", "service_unavailable"),
} as const;

const createBot = createHttpVendor<ChatMessage, Settings>({
  name: "Slack",
  request: (message, settings) => ({
    url: `${apiUrl(settings, VENDOR_URL)}/chat.postMessage`,
    headers: {
      ...JSON_HEADERS,
      "content-type": "application/json; charset=utf-8",
      authorization: `Bearer ${settings.botToken}`,
    },
    body: JSON.stringify({
      channel: message.to.slice("slack:".length),
      ...slackContent(message),
      link_names: false,
      parse: "none",
      unfurl_links: false,
      unfurl_media: false,
    }),
  }),
  acceptedId: ({ ok, channel, ts }) =>
    ok === true && typeof ts === "string" ? `${channel}:${ts}` : undefined,
  meaning({ ok, error }, { status }) {
    // The limit is that of one channel: a message a second.
    if (status === 429) return { ...meaningOf(MEANINGS, error), class: "deferred" };
    const known = meaningOf(MEANINGS, error);
    return ok === false && known.class === undefined ? { ...known, class: "policy" } : known;
  },
});

const createWebhooks = createChatWebhooks({
  name: "Slack",
  body: slackContent,
  acceptedId: () => undefined,
  meaning(_body, { status, text }) {
    if (status === 200 && text.trim() === "ok") return { class: "accepted" };
    return meaningOf({}, text.trim());
  },
});

/** Messages to channels and people of Slack, by a bot and by incoming webhooks. */
export const slack = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "slack",
  content: "chat",
  title: "Slack",
  settings: SETTINGS,
  messageFault: ({ to }) => (ADDRESS.test(to) ? null : "the address is not a Slack address"),
  faults({ botToken, addresses }, context) {
    const isEmpty = botToken === undefined && addresses === undefined;
    return isEmpty
      ? ["botToken: a bot token, addresses or both"]
      : addressesFaults(addresses, context);
  },
  async create(settings, context) {
    const webhooks = await createWebhooks(settings, context);
    const bot = settings.botToken === undefined ? undefined : await createBot(settings, context);
    return {
      async send(message) {
        if (message.to.startsWith("slack:#")) return webhooks.send(message);
        return bot?.send(message) ?? outcome("policy", "the provider has no bot token");
      },
      async close() {
        await Promise.all([webhooks.close(), bot?.close()]);
      },
    };
  },
});
