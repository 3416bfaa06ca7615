import { plainChat } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { createChatWebhooks } from "./chat/chat-webhooks.ts";
import { cutText } from "./chat/fit-chat.ts";
import { addressesFaults, addressesField } from "./chat/named-addresses.ts";
import { apiUrl } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import { baseUrlField } from "./settings.ts";

const VENDOR_URL = "https://events.pagerduty.com";
const INTEGRATION_KEY = /^[A-Za-z0-9]{32}$/;
const MAX_SUMMARY_CHARACTERS = 1024;
const MAX_DETAILS_CHARACTERS = 16 * 1024;

const SETTINGS = Type.Object(
  {
    addresses: addressesField({
      example: "ops=R0123456789ABCDEF0123456789ABCDE",
      link: "https://support.pagerduty.com/main/docs/services-and-integrations",
      what: "integration key (Events API v2)",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Incidents at PagerDuty, by its Events API v2: https://developer.pagerduty.com/docs/send-alert-event. */
export const pagerduty = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "pagerduty",
  content: "chat",
  title: "PagerDuty",
  settings: SETTINGS,
  faults: ({ addresses }, context) =>
    addressesFaults(addresses, context, (key) =>
      INTEGRATION_KEY.test(key) ? null : "must be an integration key of 32 letters and digits",
    ),
  create: createChatWebhooks({
    name: "PagerDuty",
    url: (_, settings) => `${apiUrl(settings, VENDOR_URL)}/v2/enqueue`,
    body: pagerdutyEvent,
    acceptedId: ({ status, dedup_key: key }, answer) =>
      answer.status === 202 && status === "success" ? key : undefined,
    // The base URL is wrong. PagerDuty itself refuses a key that it does not know with 400.
    meaning: (_, { status }) => (status === 404 ? { class: "deferred" } : {}),
  }),
});

function pagerdutyEvent({ blocks, url, incident, ...ids }: ChatMessage, key: string): object {
  const text = plainChat(blocks);
  const summary = text.split("\n").find((line) => line.trim() !== "") ?? "";
  return {
    routing_key: key,
    event_action: incident?.action ?? "trigger",
    dedup_key: incident?.key ?? ids.eventId,
    payload: {
      summary: cutText(summary, MAX_SUMMARY_CHARACTERS),
      source: "belfry",
      severity: incident?.severity ?? "error",
      custom_details: { text: cutText(text, MAX_DETAILS_CHARACTERS), tenant: ids.tenantId },
    },
    links: [
      ...(url === undefined ? [] : [{ href: url, text: new URL(url).host }]),
      ...blocks.flatMap((one) =>
        one.kind === "button" ? [{ href: one.url, text: one.label }] : [],
      ),
    ],
  };
}
