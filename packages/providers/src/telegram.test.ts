import assert from "node:assert/strict";
import test from "node:test";
import { chatMessage } from "../test/chat-vendor.ts";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { testVendorErrors } from "../test/vendor-errors.ts";
import { checkSettings } from "./settings.ts";
import { telegram } from "./telegram.ts";

const TOKEN = "123456:ABC-DEF_0123456789";
const settings = { botToken: TOKEN };
const message = chatMessage("telegram:-1001234567890");
const accept = { status: 200, headers: {}, body: '{"ok":true,"result":{"message_id":42}}' };
const refused = (status: number, description: string, parameters?: object) => ({
  status,
  body: { ok: false, error_code: status, description, parameters },
});
const start = providerAtVendor(telegram, settings);

testHttpPromises({
  kind: telegram,
  settings,
  message,
  secrets: [TOKEN],
  accept,
  statuses: { 429: "deferred" },
});
testVendorErrors("Telegram", start, message, [
  ["an unknown chat", refused(400, "Bad Request: chat not found"), { class: "policy" }],
  ["blocked", refused(403, "Forbidden: bot was blocked by the user"), { class: "permanent" }],
  ["a wrong token", refused(401, "Unauthorized"), { class: "credentials" }],
  ["no token of a bot", refused(404, "Not Found"), { class: "credentials" }],
  [
    "too fast for one chat",
    refused(429, "Too Many Requests: retry after 31", { retry_after: 31 }),
    { class: "deferred", retryAfterSeconds: 31 },
  ],
  ["a success without a message", { status: 200, body: '{"ok":true}' }, { class: "ambiguous" }],
]);

test("Telegram: a message names its chat and has no previews", async (t) => {
  const { vendor, provider } = await start(t, accept);
  assert.equal((await provider.send(message)).messageId, "42");
  await provider.send({ ...message, to: "telegram:@our_news" });
  assert.deepEqual(
    vendor.received.map(({ path }) => path),
    new Array(2).fill(`/bot${TOKEN}/sendMessage`),
  );
  assert.deepEqual(JSON.parse(vendor.received[0]!.body), {
    chat_id: "-1001234567890",
    text: "Hello &amp; welcome 🎉",
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  });
  assert.equal(JSON.parse(vendor.received[1]!.body).chat_id, "@our_news");
});

test("Telegram: an address of another form and an empty message cost no call", async (t) => {
  const { vendor, provider } = await start(t, accept);
  for (const to of ["telegram:", "telegram:ann", "telegram:1 2", "slack:C024BE91L", "7"]) {
    assert.equal((await provider.send({ ...message, to })).class, "permanent", to);
  }
  assert.equal((await provider.send({ ...message, blocks: [] })).class, "permanent");
  assert.equal(vendor.connections(), 0);
  assert.deepEqual(checkSettings(telegram, settings), []);
  assert.deepEqual(checkSettings(telegram, { botToken: "123456/x" }), [
    "botToken: must be a bot's token, as 123456:ABC…",
  ]);
});
