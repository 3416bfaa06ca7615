import type { EmailMessage, SmsMessage } from "@belfry/contracts/sending";
import type { ProviderDeps } from "../src/provider.ts";

const IDS = {
  deliveryId: "0193a1c0-0000-7000-8000-00000000000d",
  tenantId: "0193a1c0-0000-7000-8000-00000000000a",
  eventId: "0193a1c0-0000-7000-8000-00000000000e",
};

export const EMAIL: EmailMessage = {
  ...IDS,
  to: "ann@example.com",
  subject: "Your order – größer",
  html: "<p>Hello &amp; welcome 🎉</p>",
  text: "Hello & welcome 🎉",
};

/** A mail that can be unsubscribed from. */
export const LIST_EMAIL: EmailMessage = {
  ...EMAIL,
  headers: {
    listUnsubscribe: `https://mail.example.com/unsubscribe/k1.${"Ab-_9".repeat(60)}`,
    listId: "offers.acme.mail.example.com",
  },
};

/** List headers with values that no header field of a mail may hold. */
export const BAD_LIST_HEADERS: readonly (readonly [
  string,
  NonNullable<EmailMessage["headers"]>,
])[] = (
  [
    ["listUnsubscribe", "https://a.example/\r\nBcc: eve@example.com"],
    ["listUnsubscribe", "https://a.example/\nBcc: eve@example.com"],
    ["listUnsubscribe", "https://a.example/\u0000"],
    ["listUnsubscribe", "https://a.example/ b"],
    ["listUnsubscribe", "https://a.example/>, <mailto:eve@example.com"],
    ["listUnsubscribe", "https://a.example/ü"],
    ["listUnsubscribe", "mailto:eve@example.com"],
    ["listUnsubscribe", "javascript:alert(1)"],
    ["listUnsubscribe", ""],
    ["listUnsubscribe", `https://a.example/${"a".repeat(1000)}`],
    ["listId", "offers.acme.example.com>\r\nBcc: eve@example.com"],
    ["listId", "offers acme.example.com"],
    ["listId", "offers"],
    ["listId", "offers..acme"],
    ["listId", ".offers.acme"],
    ["listId", "öffers.acme"],
    ["listId", `${"a".repeat(250)}.example`],
  ] as const
).map(([part, value]) => [`${part}: ${value}`, { ...LIST_EMAIL.headers!, [part]: value }]);

export const SMS: SmsMessage = {
  ...IDS,
  to: "+12025550123",
  text: "Your code is 123456 – שלום",
  segments: 1,
  encoding: "UCS-2",
};

/** 2026-11-20T12:00:00Z: what the providers under test take for now. */
export const NOW_MS = Date.UTC(2026, 10, 20, 12);

export function testDeps(changes: Partial<ProviderDeps> = {}): ProviderDeps {
  return {
    timeoutMs: 60_000,
    allowPrivateAddresses: true,
    storeInOutbox: async () => "outbox-1",
    now: () => NOW_MS,
    ...changes,
  };
}

/** Header fields of a call whose request and answer are JSON. */
export const JSON_HEADERS = { accept: "application/json", "content-type": "application/json" };
