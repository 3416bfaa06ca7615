import assert from "node:assert/strict";
import test from "node:test";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { JSON_HEADERS, SMS } from "../test/messages.ts";
import { testTextVendor } from "../test/text-vendor.ts";
import { OTHER_JSON, testTextWebhooks } from "../test/text-webhooks.ts";
import { bird, birdSignature } from "./bird.ts";

// The judge follows Bird's description, read in 2026-11: docs.bird.com/api/channels-api (quickstart, API reference,
// message status) and docs.bird.com/api/api-access/common-api-usage (authorization, errors by HTTP status). Webhooks:
// docs.bird.com/api/notifications-api/api-reference/webhooks/verifying-a-webhook, …/channels-api/
// message-status-and-interactions, …/message-failure-codes, …/sms-platform-extended-error-codes.
const WORKSPACE = "a1405560-c8d3-4b1a-877d-3f449ad95352";
const CHANNEL = "b1405560-c8d3-4b1a-877d-3f449ad95353";
const MESSAGE = "c1405560-c8d3-4b1a-877d-3f449ad95354";
const SETTINGS = {
  accessKey: "AbCdEfGhIjKlMnOpQrStUvWxYz",
  workspaceId: WORKSPACE,
  channelId: CHANNEL,
};
const PATH = `/workspaces/${WORKSPACE}/channels/${CHANNEL}/messages`;

const made = (status: string) => ({
  status: 202,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ id: MESSAGE, channelId: CHANNEL, status, direction: "outgoing" }),
});
const failed = (status: number, code = "SomeCode") => ({
  status,
  body: { code, message: "What is wrong" },
});

function judge({ headers, method, path, body: text }: ReceivedCall) {
  if (headers.authorization !== `AccessKey ${SETTINGS.accessKey}`) return failed(401);
  if (method !== "POST" || path !== PATH) return failed(404, "NotFound");
  const { receiver, body, reference } = JSON.parse(text);
  const [contact, ...others] = receiver.contacts;
  const isFit =
    others.length === 0 &&
    contact.identifierKey === "phonenumber" &&
    /^\+[1-9]\d{6,14}$/.test(contact.identifierValue) &&
    body.type === "text" &&
    typeof body.text.text === "string" &&
    typeof reference === "string";
  return isFit ? made("accepted") : failed(422, "InvalidPayload");
}

testTextVendor({
  kind: bird,
  settings: SETTINGS,
  secrets: [SETTINGS.accessKey],
  accept: made("accepted"),
  messageId: MESSAGE,
  judge,
  path: PATH,
  request: {
    receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: "+12025550123" }] },
    body: { type: "text", text: { text: SMS.text } },
    reference: SMS.deliveryId,
  },
  headers: { ...JSON_HEADERS, authorization: `AccessKey ${SETTINGS.accessKey}` },
  variants: [[{ signingKey: "chosen-by-us" }, {}]],
  refused: [
    [{ accessKey: "of-somebody-else" }, "401"],
    [{ workspaceId: CHANNEL }, "404"],
    [{ channelId: WORKSPACE }, "404"],
  ],
  errors: [
    ...[400, 409, 422].map((status) => ["", failed(status), { class: "permanent" }] as const),
    ...[401, 402, 403, 404].map(
      (status) => ["", failed(status), { class: "credentials" }] as const,
    ),
    ["", failed(429), { class: "throttled", vendorStatus: "429" }],
    ["", failed(500), { class: "transient", vendorStatus: "500" }],
    ["", failed(503), { class: "transient" }],
    // The message is made and has ended, so it is not sent again; one of an unknown state may be there.
    ...["scheduled", "processing", "sent", "delivered"].map(
      (state) => [state, made(state), { class: "accepted", vendorStatus: "202" }] as const,
    ),
    ...["rejected", "sending_failed"].map(
      (state) => [state, made(state), { class: "permanent", vendorStatus: state }] as const,
    ),
    ["dreaming", made("dreaming"), { class: "ambiguous" }],
  ],
  unclear: ["", "{}", "[]", '{"id":"no id","status":"accepted"}', '{"id":7}', "<html>"],
  wrong: { accessKey: "", workspaceId: "../x", channelId: "7", signingKey: "a b" },
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

const eventOf = (event: string, payload: object) =>
  JSON.stringify({ service: "channels", event, payload: { id: MESSAGE, ...payload } });
const report = (what: object = {}) =>
  eventOf("sms.outbound", {
    reference: SMS.deliveryId,
    direction: "outgoing",
    updatedAt: "2026-11-26T11:59:58.574Z",
    ...what,
  });
const reply = (what: object = {}) =>
  eventOf("sms.inbound", {
    sender: { contact: { identifierKey: "phonenumber", identifierValue: "+12025550123" } },
    receiver: { connector: { identifierValue: "+15550100" } },
    body: { type: "text", text: { text: "please stop calling" } },
    status: "delivered",
    direction: "incoming",
    ...what,
  });

const failure = (details: string, code: number, reason: string) => ({
  ...{ status: "delivery_failed", details, reason },
  failure: { code, source: { name: "sms-messagebird", code: "1" } },
});

testTextWebhooks({
  kind: bird,
  key: "chosen-by-us",
  otherKey: "an0ther-key",
  sign({ url, body }, key, at) {
    const time = String(Math.floor(at.getTime() / 1000));
    const signature = birdSignature(key, time, url, Buffer.from(body)).toString("base64");
    return { "messagebird-signature": signature, "messagebird-request-timestamp": time };
  },
  maxAgeSeconds: 24 * 60 * 60,
  url: "https://mail.example.com/webhooks/bird/acme",
  report,
  reply,
  unreadable: {
    both: OTHER_JSON,
    reports: [],
    replies: [reply({ sender: {} }), reply({ sender: null })],
  },
  others: { report: reply(), reply: report({ status: "delivered" }) },
  arrived: { status: "delivered" },
  messageId: MESSAGE,
  statuses: [
    ["accepted", "accepted", "scheduled", "processing", "sent"],
    ["delivered", "delivered"],
    ["bounced", "rejected", "skipped", "sending_failed", "delivery_failed"],
    [null, "deleted", "constructor", null],
  ],
  status: (status) => ({ status }),
  occurredAt: new Date("2026-11-26T11:59:58.574Z"),
  failures: (
    [
      ["unknown_subscriber", 15005, "bounced"],
      ["incorrect_number", 15005, "bounced"],
      ["opted_out", 14007, "opted out"],
      ["received_network_error", 15001, null],
      ["unavailable_subscriber", 15005, null],
      ["carrier_rejected", 15005, null],
      ["constructor", 15005, null],
    ] as const
  ).map(([details, code, suppress]) => {
    const reason = `details: ${details}; code: 1`;
    return [failure(details, code, reason), { suppress, reason, vendorStatus: String(code) }];
  }),
  foreign: [undefined, null, "1001", 7].map((reference) => ({ reference })),
  replies: [
    [{}, { sender: "+12025550123", recipient: "+15550100", text: "please stop calling" }],
    [{ body: { type: "image" } }, undefined],
    [{ body: null }, undefined],
  ],
});
