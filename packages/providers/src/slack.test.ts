import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { chatMessage, testNamedVendor } from "../test/chat-vendor.ts";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { testVendorErrors } from "../test/vendor-errors.ts";
import { checkSettings } from "./settings.ts";
import { slack } from "./slack.ts";

const TOKEN = "xoxb-0123456789-abcdef";
const settings = { botToken: TOKEN };
const message = chatMessage("slack:C024BE91L");
const accept = {
  status: 200,
  headers: {},
  body: '{"ok":true,"channel":"C024BE91L","ts":"1503435956.000247"}',
};
const start = providerAtVendor(slack, settings);

testHttpPromises({
  kind: slack,
  settings,
  message,
  secrets: [TOKEN],
  accept,
  statuses: { 429: "deferred" },
});

const CODES: readonly (readonly [string, OutcomeClass])[] = [
  ["channel_not_found", "policy"],
  ["user_not_found", "policy"],
  ["is_archived", "permanent"],
  ["not_in_channel", "policy"],
  ["cannot_dm_bot", "permanent"],
  ["invalid_auth", "credentials"],
  ["account_inactive", "credentials"],
  ["token_revoked", "credentials"],
  ["missing_scope", "credentials"],
  ["ratelimited", "deferred"],
  ["internal_error", "transient"],
  ["an_error_of_tomorrow", "policy"],
  ["constructor", "policy"],
];
testVendorErrors("Slack", start, message, [
  ...CODES.map(([error, expected]) => {
    const answer = { status: 200, body: { ok: false, error } };
    return [error, answer, { class: expected, vendorStatus: error }] as const;
  }),
  [
    "account_inactive, told as a refusal",
    { status: 200, body: { ok: false, error: "account_inactive" } },
    {
      class: "credentials",
      reason: "Slack refused the account or its configuration (account_inactive)",
    },
  ],
  [
    "with a time to wait",
    { status: 429, headers: { "retry-after": "30" }, body: { ok: false, error: "ratelimited" } },
    { class: "deferred", retryAfterSeconds: 30, vendorStatus: "ratelimited" },
  ],
]);

testNamedVendor({
  kind: slack,
  to: "slack:#ops",
  accept: { status: 200, headers: {}, body: "ok" },
  messageId: null,
  path: "/hooks/T0/secret-0123456789",
  errors: [
    [
      "no_service",
      { status: 404, body: "no_service" },
      { class: "permanent", reason: "the webhook of the address ops no longer exists" },
    ],
    [
      "channel_is_archived",
      { status: 410, body: "channel_is_archived" },
      {
        class: "permanent",
        reason: "address ops: Slack refused the message (channel_is_archived)",
      },
    ],
    [
      "action_prohibited",
      { status: 403, body: "action_prohibited" },
      { class: "permanent", vendorStatus: "action_prohibited" },
    ],
    ["rollup_error", { status: 500, body: "rollup_error" }, { class: "transient" }],
  ],
});

test("Slack: a bot's message names its channel, and names in its text are not linked", async (t) => {
  const { vendor, provider } = await start(t, accept);
  assert.equal((await provider.send(message)).messageId, "C024BE91L:1503435956.000247");
  const { path, headers, body } = vendor.received[0]!;
  assert.deepEqual([path, headers.authorization], ["/chat.postMessage", `Bearer ${TOKEN}`]);
  const { blocks: _, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, {
    channel: "C024BE91L",
    text: "Hello &amp; welcome 🎉",
    mrkdwn: false,
    link_names: false,
    parse: "none",
    unfurl_links: false,
    unfurl_media: false,
  });
});

test("Slack: an answer that has the token as its error shows the token nowhere", async (t) => {
  const { provider } = await start(t, { status: 200, body: { ok: false, error: TOKEN } });
  const sent = await provider.send(message);
  assert.equal(sent.reason, "Slack does not take the message by its rules (200)");
  assert.ok(!JSON.stringify(sent).includes(TOKEN));
});

test("Slack: a provider without a token leaves a bot's message to another", async (t) => {
  const addresses = "ops=https://hooks.slack.com/services/T0/B0/x";
  const { vendor, provider } = await start(t, accept, { botToken: undefined, addresses });
  assert.equal((await provider.send(message)).class, "policy");
  assert.equal(vendor.connections(), 0);
  assert.deepEqual(checkSettings(slack, {}), ["botToken: a bot token, addresses or both"]);
});
