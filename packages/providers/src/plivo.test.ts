import assert from "node:assert/strict";
import test from "node:test";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { JSON_HEADERS, SMS } from "../test/messages.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { testTextVendor } from "../test/text-vendor.ts";
import { testTextWebhooks } from "../test/text-webhooks.ts";
import { plivo, plivoSignature } from "./plivo.ts";

// The judge follows Plivo's description, read in 2026-11: plivo.com/docs/messaging/api/message (request, answer),
// docs.plivo.com/docs/messaging/api/response (statuses), plivo.com/docs/messaging/concepts/signature-validation and
// …/troubleshooting/error-codes, and the vendor's client plivo/plivo-node.
const AUTH_ID = "MAXXXXXXXXXXXXXXXXXX";
const KEY = "t0ken-of-the-account";
const SETTINGS = { authId: AUTH_ID, authToken: KEY, sender: "+15550100" };
const POWERPACK = "0193a1c0-0000-7000-8000-0000000000b0";
const MESSAGE = "db3ce55a-7f1d-11e1-8ea7-1231380bc196";
const API_ID = "db342550-7f1d-11e1-8ea7-1231380bc196";
const BASIC = Buffer.from(`${AUTH_ID}:${KEY}`).toString("base64");
const PUBLIC_URL = "https://mail.example.com";

const QUEUED = {
  status: 202,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message: "message(s) queued", message_uuid: [MESSAGE], api_id: API_ID }),
};
const failed = (status: number, error: string) => ({ status, body: { api_id: API_ID, error } });

function judge(call: ReceivedCall) {
  if (call.headers.authorization !== `Basic ${BASIC}`) return failed(401, "authentication_failed");
  if (call.path !== `/v1/Account/${AUTH_ID}/Message/`) return failed(404, "not found");
  if (call.method !== "POST") return failed(405, "method not allowed");
  const { src, powerpack_uuid, dst, text, url, method } = JSON.parse(call.body);
  const isSent =
    /^\d{3,15}$|^[A-Za-z0-9]{1,11}$/.test(src ?? "") !== (powerpack_uuid === POWERPACK);
  if (!isSent || !/^[1-9]\d{6,14}$/.test(dst) || typeof text !== "string" || text.length > 1600) {
    return failed(400, "invalid_parameter");
  }
  if (url !== undefined && !(/^https?:/.test(url) && method === "POST")) {
    return failed(400, "invalid_parameter");
  }
  return QUEUED;
}

testTextVendor({
  kind: plivo,
  settings: SETTINGS,
  secrets: [KEY],
  accept: QUEUED,
  messageId: MESSAGE,
  judge,
  path: `/v1/Account/${AUTH_ID}/Message/`,
  request: { src: "15550100", dst: "12025550123", text: SMS.text },
  headers: { ...JSON_HEADERS, authorization: `Basic ${BASIC}` },
  variants: [
    ...["15550100", "Belfry", "12345"].map((sender) => [{ sender }, { src: sender }] as const),
    [{ sender: POWERPACK }, { src: undefined, powerpack_uuid: POWERPACK }],
    [
      {},
      {
        url: `${PUBLIC_URL}/webhooks/plivo/${SMS.tenantId}?delivery=${SMS.deliveryId}`,
        method: "POST",
      },
      { publicUrl: PUBLIC_URL },
    ],
  ],
  refused: [
    [{ authToken: "an0ther-token-of-none" }, "401"],
    [{ authId: "SAXXXXXXXXXXXXXXXXXX" }, "401"],
  ],
  errors: [
    ...(
      [
        [400, "invalid_parameter", "permanent"],
        [401, "authentication_failed", "credentials"],
        [402, "insufficient credit", "credentials"],
        [404, "not_found", "credentials"],
        [405, "method not allowed", "permanent"],
        [429, "rate_limit_exceeded", "throttled"],
        [500, "server error", "transient"],
      ] as const
    ).map(([status, error, expected]) => {
      const outcome = { class: expected, vendorStatus: String(status) };
      return [error, failed(status, error), outcome] as const;
    }),
    [
      "an invalid number",
      {
        status: 202,
        body: { message: "no message", message_uuid: [], invalid_number: ["12025550123"] },
      },
      { class: "permanent", suppress: "bounced", vendorStatus: "invalid_number" },
    ],
  ],
  unclear: ["", "{}", "[]", '{"message_uuid":[]}', '{"message_uuid":["no id"]}', "<html>"],
  wrong: { authId: "MA1/../x", authToken: "", sender: "a\r\nb" },
});

const HOOK = `${PUBLIC_URL}/webhooks/plivo/acme`;
const ADDRESS = `${HOOK}?delivery=${SMS.deliveryId}`;
const NONCE = "12345678901234567890";
const FIELDS = { To: "14155550123", From: "14155550100", MessageUUID: MESSAGE };

const signedBy =
  (header: string) =>
  ({ url, body }: { url: string; body: string }, key: string) => ({
    [header]: plivoSignature(key, url, NONCE, new URLSearchParams(body)),
    "x-plivo-signature-v3-nonce": NONCE,
  });
const signed = signedBy("x-plivo-signature-v3");

const formOf = (fields: object = {}) =>
  new URLSearchParams({ ...FIELDS, ...fields } as Record<string, string>).toString();
const without = (field: string) => formOf().replace(new RegExp(`${field}=[^&]*&?`), "");

const SUPPRESSING = { 50: "bounced", 70: "bounced", 200: "opted out" } as const;
const WORDS = /^[a-zA-Z' -]+$/;

testTextWebhooks({
  kind: plivo,
  key: KEY,
  otherKey: "an0ther-token",
  sign: signed,
  url: ADDRESS,
  report: formOf,
  reply: (what) => formOf({ Text: "please stop calling", Type: "sms", ...what }),
  unreadable: {
    both: ["", without("MessageUUID")],
    reports: ["no form", formOf({ MessageUUID: "a b" })],
    replies: [without("From"), formOf({ From: " " })],
  },
  arrived: { Status: "delivered" },
  messageId: MESSAGE,
  statuses: [
    ["accepted", "queued", "sent"],
    ["delivered", "delivered", "read"],
    ["bounced", "undelivered", "failed", "rejected"],
    [null, "constructor", ""],
  ],
  status: (Status) => ({ Status }),
  occurredAt: null,
  failures: [
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 200, 201, 450, 1000].map(
      (ErrorCode) =>
        [
          { Status: "undelivered", ErrorCode },
          {
            suppress: SUPPRESSING[ErrorCode as keyof typeof SUPPRESSING] ?? null,
            vendorStatus: String(ErrorCode),
            reason: WORDS,
          },
        ] as const,
    ),
    [
      { Status: "failed", ErrorCode: "9999" },
      { suppress: null, vendorStatus: "9999", reason: null },
    ],
  ],
  foreign: [],
  replies: [
    [{}, { sender: "+14155550100", recipient: "+14155550123", text: "please stop calling" }],
    [{ Text: "größer & 100% = \u0000日本 🎉+" }, { text: "größer & 100% = 日本 🎉+" }],
    [{ Text: "", Type: "mms" }, undefined],
  ],
});

test("Plivo: a message whose address names no delivery has no receipt", async () => {
  const body = formOf({ Status: "sent" });
  const request = { headers: signed({ url: HOOK, body }, KEY), body: Buffer.from(body), url: HOOK };
  const read = await readWebhook(plivo.receipts!, request, [KEY], new Date());
  assert.deepEqual(read, { ok: true, receipts: [] });
});

test("Plivo: a request is signed as the vendor's own client signs it", () => {
  // Computed by lib/utils/v3Security.js.
  for (const [address, signature] of [
    [ADDRESS, "k3MtSPbIqmIPY877tVWFU4M+lqtRUe5eF01UoiavO6c="],
    [`${HOOK}/inbound`, "siv3gD2g+p9H+n+WacBovzyMCFIQO27jjMTqNevoc7E="],
    [
      "https://mail.example.com:8443/webhooks/plivo/acme?b=2&a=1",
      "HeqDndqmSEll3DXAUGor/4pzzCOwVirRh1RU40yOex4=",
    ],
  ] as const) {
    const form = new URLSearchParams({ ...FIELDS, Status: "delivered" });
    assert.equal(plivoSignature("MAXXXXXXXXXXXXXXXXXX", address, NONCE, form), signature);
  }
});

test("Plivo: the main account's signature, and one of several, is the vendor's too", async () => {
  const body = formOf({ Status: "sent" });
  const name = "x-plivo-signature-v3";
  const right = signed({ url: ADDRESS, body }, KEY);
  for (const headers of [
    signedBy("x-plivo-signature-ma-v3")({ url: ADDRESS, body }, KEY),
    { ...right, [name]: `AAAA,${right[name]}` },
  ]) {
    const request = { headers, body: Buffer.from(body), url: ADDRESS };
    assert.ok((await readWebhook(plivo.receipts!, request, [KEY], new Date())).ok);
  }
});
