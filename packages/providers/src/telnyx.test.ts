import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { SMS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { checkSettings } from "./settings.ts";
import { telnyx } from "./telnyx.ts";

// The judge follows Telnyx's description, read in 2026-11: developers.telnyx.com/docs/messaging/messages/send-message
// and …/error-codes, /development/api-fundamentals/api-errors, and the vendor's client team-telnyx/telnyx-node.
const SETTINGS = { apiKey: "KEY0123456789ABCDEF_token", sender: "+15550100" };
const PROFILE = "4000eba1-a0c0-4563-9925-b25e842a7cb6";
const MESSAGE = "40385f64-5717-4562-b3fc-2c963f66afa6";
const PUBLIC_KEY = `${"A".repeat(43)}=`;

const QUEUED = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    data: {
      record_type: "message",
      direction: "outbound",
      id: MESSAGE,
      type: "SMS",
      to: [{ phone_number: SMS.to, status: "queued" }],
      errors: [],
    },
  }),
};

const failed = (status: number, code: string, title = "What is wrong") => ({
  status,
  body: JSON.stringify({ errors: [{ code, title, detail: "More of it" }] }),
});

function judge(call: ReceivedCall) {
  if (call.headers.authorization !== `Bearer ${SETTINGS.apiKey}`) return failed(401, "10009");
  if (call.method !== "POST" || call.path !== "/v2/messages") return failed(404, "10005");
  const { from, messaging_profile_id: profile, to, text, webhook_url } = JSON.parse(call.body);
  if (from === undefined && profile === undefined) return failed(422, "10004");
  if (from !== undefined && !/^\+/.test(from) && profile === undefined) return failed(400, "40306");
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return failed(400, "40310");
  if (typeof text !== "string") return failed(400, "40316");
  if (webhook_url !== undefined && !/^https?:/.test(webhook_url)) return failed(422, "10003");
  return QUEUED;
}

const start = providerAtVendor(telnyx, SETTINGS);

testHttpPromises({
  kind: telnyx,
  settings: SETTINGS,
  message: SMS,
  secrets: [SETTINGS.apiKey],
  accept: QUEUED,
});

test("the judge takes a message from a number, a name of a profile, and a profile's pool", async (t) => {
  for (const changes of [
    {},
    { sender: "Belfry", messagingProfileId: PROFILE },
    { sender: undefined, messagingProfileId: PROFILE },
  ]) {
    const settings = JSON.parse(JSON.stringify({ ...SETTINGS, ...changes }));
    const { provider } = await providerAtVendor(telnyx, settings)(t, { judge });
    assert.deepEqual(await provider.send(SMS), {
      class: "accepted",
      reason: "Telnyx accepted the message",
      messageId: MESSAGE,
      vendorStatus: "200",
      vendorAnswer: null,
      retryAfterSeconds: null,
    });
  }
});

test("a message is the vendor's documented request, field by field", async (t) => {
  const { vendor, provider } = await start(t, { judge });
  await provider.send(SMS);
  const expected = { from: "+15550100", to: "+12025550123", text: SMS.text };
  assert.deepEqual(JSON.parse(vendor.received[0]!.body), expected);
  assert.equal(vendor.received[0]!.headers["content-type"], "application/json");
});

test("receipts are asked for where they can be heard and verified: with the account's public key", async (t) => {
  const publicUrl = "https://mail.example.com";
  const address = `${publicUrl}/webhooks/telnyx/${SMS.tenantId}?delivery=${SMS.deliveryId}`;
  for (const [changes, expected] of [
    [{ webhookPublicKey: PUBLIC_KEY }, address],
    [{}, undefined],
  ] as const) {
    const { vendor, provider } = await start(t, { judge }, changes, { publicUrl });
    assert.equal((await provider.send(SMS)).class, "accepted");
    assert.equal(JSON.parse(vendor.received[0]!.body).webhook_url, expected);
  }
});

test("another key stops the account", async (t) => {
  const { provider } = await start(t, { judge }, { apiKey: "KEY_of_somebody_else" });
  assertHas(await provider.send(SMS), { class: "credentials", vendorStatus: "10009" });
});

/** The vendor says that the HTTP status of a code varies: the code decides. */
const CODES: readonly (readonly [number, number, OutcomeClass])[] = [
  [10002, 422, "permanent"],
  [10004, 422, "permanent"],
  [10005, 404, "permanent"],
  [10007, 500, "transient"],
  [10008, 408, "transient"],
  [10009, 401, "credentials"],
  [10010, 403, "credentials"],
  [10011, 429, "throttled"],
  [10015, 400, "permanent"],
  [10016, 422, "permanent"],
  [10039, 403, "policy"],
  [40006, 400, "transient"],
  [40009, 400, "permanent"],
  [40011, 400, "throttled"],
  [40012, 400, "permanent"],
  [40013, 400, "credentials"],
  [40016, 400, "throttled"],
  [40018, 400, "throttled"],
  [40100, 400, "credentials"],
  [40150, 400, "credentials"],
  [40151, 400, "credentials"],
  [40300, 400, "permanent"],
  [40300, 403, "permanent"],
  [40300, 409, "permanent"],
  [40301, 400, "permanent"],
  [40302, 400, "permanent"],
  [40304, 400, "permanent"],
  [40305, 400, "credentials"],
  [40306, 400, "credentials"],
  [40308, 400, "credentials"],
  [40309, 400, "policy"],
  [40310, 400, "permanent"],
  [40311, 400, "credentials"],
  [40312, 400, "credentials"],
  [40313, 400, "credentials"],
  [40314, 403, "credentials"],
  [40315, 400, "credentials"],
  [40316, 400, "permanent"],
  [40317, 400, "permanent"],
  [40318, 400, "throttled"],
  [40319, 400, "policy"],
  [40320, 400, "transient"],
  [40321, 400, "credentials"],
  [40322, 400, "policy"],
  [40328, 400, "permanent"],
  [40329, 400, "credentials"],
  [99999, 402, "credentials"],
  [99999, 422, "permanent"],
  [99999, 503, "transient"],
];
for (const [code, status, expected] of CODES) {
  test(`the vendor's code ${code} with ${status} is ${expected}`, async (t) => {
    const { provider } = await start(t, failed(status, String(code)));
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: expected, vendorStatus: String(code) });
    const suppress = { 40300: "opted out", 40310: "bounced" }[code];
    assert.equal(outcome.suppress, suppress);
  });
}

for (const body of ["", "{}", "[]", '{"data":{"id":7}}', '{"data":{"id":""}}', "<html>"]) {
  test(`a 200 without the message's id is no success: ${body || "nothing"}`, async (t) => {
    const { provider } = await start(t, { status: 200, body });
    assert.equal((await provider.send(SMS)).class, "ambiguous");
  });
}

test("a 200 with an error inside is no success", async (t) => {
  const body = { data: { id: MESSAGE }, errors: [{ code: "40310", title: "Invalid" }] };
  const { provider } = await start(t, { status: 200, body: JSON.stringify(body) });
  assertHas(await provider.send(SMS), { class: "ambiguous", vendorStatus: "40310" });
});

test("each fault of the settings names its field and repeats no value", () => {
  assert.deepEqual(checkSettings(telnyx, SETTINGS), []);
  const { apiKey } = SETTINGS;
  assert.deepEqual(checkSettings(telnyx, { apiKey, messagingProfileId: PROFILE }), []);
  assert.deepEqual(checkSettings(telnyx, { apiKey }), [
    "sender: give a sender, a messaging profile, or both",
  ]);
  const wrong = { apiKey: "", sender: "a\r\nb", messagingProfileId: "1", webhookPublicKey: "AAAA" };
  const fields = ["apiKey", "sender", "messagingProfileId", "webhookPublicKey"];
  assertEach(checkSettings(telnyx, wrong), (fault) => fault.split(":")[0], fields);
});
