import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { JSON_HEADERS, SMS } from "../test/messages.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { testTextVendor } from "../test/text-vendor.ts";
import { OTHER_JSON, testTextWebhooks } from "../test/text-webhooks.ts";
import { checkSettings } from "./settings.ts";
import { telnyx } from "./telnyx.ts";

// The judge follows Telnyx's description, read in 2026-11: developers.telnyx.com/docs/messaging/messages/send-message,
// …/error-codes and …/receiving-webhooks, /development/api-fundamentals/api-errors, and the vendor's client
// team-telnyx/telnyx-node.
const SETTINGS = { apiKey: "KEY0123456789ABCDEF_token", sender: "+15550100" };
const PROFILE = "4000eba1-a0c0-4563-9925-b25e842a7cb6";
const MESSAGE = "40385f64-5717-4562-b3fc-2c963f66afa6";
const PUBLIC_URL = "https://mail.example.com";

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
const failed = (status: number, code: string) => ({
  status,
  body: { errors: [{ code, title: "What is wrong", detail: "More of it" }] },
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
const SUPPRESSING = { 40300: "opted out", 40310: "bounced" } as const;

testTextVendor({
  kind: telnyx,
  settings: SETTINGS,
  secrets: [SETTINGS.apiKey],
  accept: QUEUED,
  messageId: MESSAGE,
  judge,
  path: "/v2/messages",
  request: { from: "+15550100", to: "+12025550123", text: SMS.text },
  headers: { ...JSON_HEADERS, authorization: `Bearer ${SETTINGS.apiKey}` },
  variants: [
    [
      { sender: "Belfry", messagingProfileId: PROFILE },
      { from: "Belfry", messaging_profile_id: PROFILE },
    ],
    [
      { sender: undefined, messagingProfileId: PROFILE },
      { from: undefined, messaging_profile_id: PROFILE },
    ],
    [
      { webhookPublicKey: `${"A".repeat(43)}=` },
      { webhook_url: `${PUBLIC_URL}/webhooks/telnyx/${SMS.tenantId}?delivery=${SMS.deliveryId}` },
      { publicUrl: PUBLIC_URL },
    ],
    [{}, {}, { publicUrl: PUBLIC_URL }],
  ],
  refused: [[{ apiKey: "KEY_of_somebody_else" }, "10009"]],
  errors: [
    ...CODES.map(([code, status, expected]) => {
      const suppress = SUPPRESSING[code as keyof typeof SUPPRESSING];
      const outcome = {
        class: expected,
        vendorStatus: String(code),
        ...(suppress && { suppress }),
      };
      return [code, failed(status, String(code)), outcome] as const;
    }),
    [
      "with an error inside",
      {
        status: 200,
        body: { data: { id: MESSAGE }, errors: [{ code: "40310", title: "Invalid" }] },
      },
      { class: "ambiguous", vendorStatus: "40310" },
    ],
  ],
  unclear: ["", "{}", "[]", '{"data":{"id":7}}', '{"data":{"id":""}}', "<html>"],
  wrong: { apiKey: "", sender: "a\r\nb", messagingProfileId: "1", webhookPublicKey: "AAAA" },
});

test("Telnyx: settings have a sender, a messaging profile, or both", () => {
  const { apiKey } = SETTINGS;
  assert.deepEqual(checkSettings(telnyx, { apiKey, messagingProfileId: PROFILE }), []);
  assert.deepEqual(checkSettings(telnyx, { apiKey }), [
    "sender: give a sender, a messaging profile, or both",
  ]);
});

const HOOK = `${PUBLIC_URL}/webhooks/telnyx/acme`;
const ADDRESS = `${HOOK}?delivery=${SMS.deliveryId}`;

const privateKeys = new Map<string, KeyObject>();
function newKey(): string {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  // The vendor shows the 32 bytes of the key, without what stands before them in its DER form.
  const key = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64");
  privateKeys.set(key, privateKey);
  return key;
}
const strangers = generateKeyPairSync("ed25519").privateKey;

function signed({ body }: { body: string }, key: string, at: Date) {
  const time = String(Math.floor(at.getTime() / 1000));
  const privateKey = privateKeys.get(key) ?? strangers;
  const signature = sign(null, Buffer.from(`${time}|${body}`), privateKey);
  return {
    "telnyx-signature-ed25519": signature.toString("base64"),
    "telnyx-timestamp": time,
  };
}

function eventOf(event_type: string, payload: object): string {
  return JSON.stringify({
    data: {
      record_type: "event",
      id: "86f58db9-0fe3-4adc-9d1f-46e66e6e9323",
      event_type,
      occurred_at: "2026-11-26T11:59:58.574Z",
      payload: { record_type: "message", id: MESSAGE, type: "SMS", ...payload },
    },
    meta: { attempt: 1, delivered_to: ADDRESS },
  });
}

interface Told {
  status?: unknown;
  error?: object;
  webhook_url?: unknown;
}

const report = ({ status = "delivered", error, webhook_url = ADDRESS }: Told = {}) =>
  eventOf("message.finalized", {
    direction: "outbound",
    to: [{ phone_number: "+12025550123", status }],
    errors: error === undefined ? [] : [error],
    webhook_url,
  });
const reply = (what: object = {}) =>
  eventOf("message.received", {
    direction: "inbound",
    from: { phone_number: "+12025550123", carrier: "T-MOBILE USA, INC." },
    to: [{ phone_number: "+15550100", status: "delivered" }],
    text: "please stop calling",
    media: [],
    ...what,
  });
const KEY = newKey();

testTextWebhooks({
  kind: telnyx,
  key: KEY,
  otherKey: newKey(),
  sign: signed,
  maxAgeSeconds: 15 * 60,
  url: ADDRESS,
  report,
  reply,
  unreadable: {
    both: OTHER_JSON,
    reports: [],
    replies: [reply({ from: {} }), reply({ from: null })],
  },
  others: { report: reply(), reply: report() },
  arrived: { status: "delivered" },
  messageId: MESSAGE,
  statuses: [
    ["accepted", "queued", "sending", "sent", "delivery_unconfirmed"],
    ["delivered", "delivered"],
    ["bounced", "sending_failed", "delivery_failed", "expired"],
    [null, "constructor", ""],
  ],
  status: (status) => ({ status }),
  occurredAt: new Date("2026-11-26T11:59:58.574Z"),
  failures: (
    [
      ["40001", "Not routable", "bounced"],
      ["40300", "Blocked due to STOP message", "opted out", "A block rule"],
      // Another block, though a word of it begins so.
      ["40300", "Undeliverable", null, "The number stopped working"],
      ["40002", "Blocked as spam - temporary", null],
      ["40003", "Blocked as spam - permanent", null],
      ["40004", "Rejected by destination", null],
      ["40008", "Undeliverable", null],
      ["40012", "Invalid messaging destination number", null],
      ["__proto__", "x", null],
    ] as const
  ).map(([code, title, suppress, detail]) => [
    { status: "delivery_failed", error: { code, title, detail } },
    { suppress, vendorStatus: code === "__proto__" ? null : code, reason: detail ?? title },
  ]),
  foreign: [HOOK, null, 7, "no address", `${HOOK}?delivery=1001`].map((webhook_url) => ({
    webhook_url,
  })),
  replies: [
    [{}, { sender: "+12025550123", recipient: "+15550100", text: "please stop calling" }],
    [{ text: "" }, undefined],
    [{ text: null }, undefined],
  ],
});

test("Telnyx: the delivery is the one that the signed body names, whatever address is called", async () => {
  const url = ADDRESS.replace(SMS.deliveryId, "0193a1c0-0000-7000-8000-0000000000ff");
  const [body, at] = [report(), new Date()];
  const request = { headers: signed({ body }, KEY, at), body: Buffer.from(body), url };
  const read = await readWebhook(telnyx.receipts!, request, [KEY], at);
  assert.equal(read.ok && read.receipts[0]?.deliveryId, SMS.deliveryId);
});
