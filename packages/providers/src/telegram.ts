import type { ChatMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { telegramHtml } from "./chat/telegram-html.ts";
import { apiUrl, createHttpVendor, JSON_HEADERS } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import { recordOf } from "./receipt.ts";
import type { Meaning } from "./send-outcome.ts";
import { baseUrlField, secretField } from "./settings.ts";

const VENDOR_URL = "https://api.telegram.org";
/** The number of a person, a group or a channel, or a public channel's name. */
const ADDRESS = /^telegram:(-?\d{1,20}|@[A-Za-z]\w{3,63})$/;

const SETTINGS = Type.Object(
  {
    botToken: secretField({
      title: "Bot token",
      description: "A message reaches people who have started the bot, and groups that have it.",
      link: "https://t.me/BotFather",
      pattern: "^\\d{1,20}:[A-Za-z0-9_-]{10,100}$",
      fault: "must be a bot's token, as 123456:ABC…",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Messages to people, groups and channels of Telegram by a bot. */
export const telegram = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "telegram",
  content: "chat",
  title: "Telegram",
  settings: SETTINGS,
  messageFault: ({ to }) => (ADDRESS.test(to) ? null : "the address is not a Telegram address"),
  create: createHttpVendor<ChatMessage, Static<typeof SETTINGS>>({
    name: "Telegram",
    request: (message, settings) => ({
      url: `${apiUrl(settings, VENDOR_URL)}/bot${settings.botToken}/sendMessage`,
      headers: JSON_HEADERS,
      body: JSON.stringify({
        chat_id: ADDRESS.exec(message.to)?.[1],
        text: telegramHtml(message),
        parse_mode: "HTML",
        link_preview_options: { is_disabled: true },
      }),
    }),
    acceptedId({ ok, result }) {
      const { message_id: id } = recordOf(result);
      return ok === true && typeof id === "number" ? String(id) : undefined;
    },
    meaning: ({ ok, error_code: code, parameters }, { status }) =>
      status === 429 || ok === false ? meaningOf(code ?? status, recordOf(parameters)) : {},
  }),
});

/** https://core.telegram.org/bots/api#making-requests: the codes follow HTTP. */
function meaningOf(code: unknown, { retry_after: seconds }: Record<string, unknown>): Meaning {
  const wait = typeof seconds === "number" ? { retryAfterSeconds: seconds } : {};
  switch (code) {
    case 429:
      // The limit is that of one chat: a message a second, and 20 a minute in a group.
      return { class: "deferred", ...wait };
    case 400:
      // Another provider's bot may be in the chat.
      return { class: "policy", code: "400" };
    case 403:
      // The recipient has blocked the bot, or a group has removed it.
      return { class: "permanent", code: "403" };
    case 404:
      // No bot has this token.
      return { class: "credentials", code: "404" };
    default:
      return {};
  }
}
