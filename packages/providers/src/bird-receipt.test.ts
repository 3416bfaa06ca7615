import assert from "node:assert/strict";
import test from "node:test";
import { SMS } from "../test/messages.ts";
import { OTHER_JSON, testSignedWebhook } from "../test/signed-webhook.ts";
import { bird, birdSignature } from "./bird.ts";

// Source, the vendor's description: docs.bird.com/api/notifications-api/api-reference/webhooks/verifying-a-webhook,
// …/channels-api/message-status-and-interactions, …/message-failure-codes, …/sms-platform-extended-error-codes.
const HOOK = "https://mail.example.com/webhooks/bird/acme";
const MESSAGE = "c1405560-c8d3-4b1a-877d-3f449ad95354";

function signed({ url, body }: { url: string; body: string }, key: string, at: Date) {
  const time = String(Math.floor(at.getTime() / 1000));
  const signature = birdSignature(key, time, url, Buffer.from(body));
  return {
    "messagebird-signature": signature.toString("base64"),
    "messagebird-request-timestamp": time,
  };
}

const eventOf = (event: string, payload: object) =>
  JSON.stringify({ service: "channels", event, payload: { id: MESSAGE, ...payload } });
const outbound = (changes: object) =>
  eventOf("sms.outbound", {
    reference: SMS.deliveryId,
    direction: "outgoing",
    status: "delivered",
    reason: "",
    updatedAt: "2026-11-26T11:59:58.574Z",
    ...changes,
  });
const inbound = (changes: object = {}) =>
  eventOf("sms.inbound", {
    sender: { contact: { identifierKey: "phonenumber", identifierValue: "+12025550123" } },
    receiver: { connector: { identifierValue: "+15550100" } },
    body: { type: "text", text: { text: "please stop calling" } },
    status: "delivered",
    direction: "incoming",
    ...changes,
  });

const shared = {
  key: "chosen-by-us",
  otherKey: "an0ther-key",
  sign: signed,
  maxAgeSeconds: 24 * 60 * 60,
};
const readReceipts = testSignedWebhook({
  ...shared,
  reader: bird.receipts!,
  url: HOOK,
  body: outbound({}),
  unreadable: OTHER_JSON,
});
const readInbound = testSignedWebhook({
  ...shared,
  reader: bird.inbound!,
  url: `${HOOK}/inbound`,
  body: inbound(),
  unreadable: [...OTHER_JSON, inbound({ sender: {} }), inbound({ sender: null })],
});

test("a signature is over time, address and the body's hash as bytes, as the vendor's PHP has it", () => {
  // Computed by another program after the description.
  const signature = birdSignature(
    "secureSigningKey",
    "1719823259",
    "https://domain.com/webhook/bird",
    Buffer.from('{"service":"channels"}'),
  );
  assert.equal(signature.toString("base64"), "LHecnncIcr4K7yrloYAwqo67bgZxxTTLdgShZrs7t3w=");
});

async function receiptOf(changes: object) {
  const read = await readReceipts(outbound(changes));
  assert.ok(read.ok);
  return read.receipts[0];
}

test("each status says what became of its delivery", async () => {
  for (const [status, kind] of [
    ["accepted", "accepted"],
    ["scheduled", "accepted"],
    ["processing", "accepted"],
    ["sent", "accepted"],
    ["delivered", "delivered"],
    ["rejected", "bounced"],
    ["skipped", "bounced"],
    ["sending_failed", "bounced"],
    ["delivery_failed", "bounced"],
    ["deleted", undefined],
    ["constructor", undefined],
    [null, undefined],
  ] as const) {
    const receipt = await receiptOf({ status });
    assert.equal(receipt?.kind, kind, String(status));
    if (kind === undefined) continue;
    assert.equal(receipt?.vendorEvent, `${MESSAGE}:${status}`);
    assert.equal(receipt?.deliveryId, SMS.deliveryId);
    assert.equal(receipt?.occurredAt?.toISOString(), "2026-11-26T11:59:58.574Z");
  }
  for (const reference of [undefined, null, "1001", 7]) {
    assert.equal(await receiptOf({ reference }), undefined, "a message of somebody else");
  }
});

test("a failure suppresses the number where it is the number's", async () => {
  for (const [details, code, source, suppress] of [
    ["unknown_subscriber", 15005, "1", "bounced"],
    ["incorrect_number", 15005, "5", "bounced"],
    ["opted_out", 14007, "103", "opted out"],
    ["received_network_error", 15001, "34", null],
    ["unavailable_subscriber", 15005, "27", null],
    ["carrier_rejected", 15005, "102", null],
    ["constructor", 15005, "1", null],
  ] as const) {
    const failure = { code, source: { name: "sms-messagebird", code: source } };
    const reason = `details: ${details}; code: ${source}`;
    const receipt = await receiptOf({ status: "delivery_failed", details, reason, failure });
    assert.equal(receipt?.suppress, suppress, details);
    assert.deepEqual([receipt?.reason, receipt?.vendorStatus], [reason, String(code)]);
    const delivered = await receiptOf({ status: "delivered", details, failure });
    assert.equal(delivered?.suppress, null, "what arrived suppresses nothing");
  }
});

test("a text is its sender's message; a picture, or another event, is none", async () => {
  assert.deepEqual(await readInbound(inbound()), {
    ok: true,
    message: {
      vendorId: MESSAGE,
      sender: "+12025550123",
      recipient: "+15550100",
      text: "please stop calling",
    },
  });
  for (const body of [
    inbound({ body: { type: "image" } }),
    inbound({ body: null }),
    outbound({}),
  ]) {
    assert.deepEqual(await readInbound(body), { ok: true, message: undefined });
  }
  assert.deepEqual(await readReceipts(inbound()), { ok: true, receipts: [] });
});
