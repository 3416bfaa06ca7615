import assert from "node:assert/strict";
import test from "node:test";
import { SMS } from "../test/messages.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { testSignedWebhook } from "../test/signed-webhook.ts";
import { plivo, plivoSignature } from "./plivo.ts";

// Source, the vendor's description (plivo.com/docs/messaging/concepts/signature-validation, …/troubleshooting/error-codes)
// and its client plivo/plivo-node, lib/utils/v3Security.js.
const KEY = "t0ken-of-the-account";
const HOOK = "https://mail.example.com/webhooks/plivo/acme";
const ADDRESS = `${HOOK}?delivery=${SMS.deliveryId}`;
const NONCE = "12345678901234567890";
const MessageUUID = "db3ce55a-7f1d-11e1-8ea7-1231380bc196";
const FIELDS = { To: "14155550123", From: "14155550100", MessageUUID };

const signedBy =
  (header: string) =>
  ({ url, body }: { url: string; body: string }, key: string) => ({
    [header]: plivoSignature(key, url, NONCE, new URLSearchParams(body)),
    "x-plivo-signature-v3-nonce": NONCE,
  });
const signed = signedBy("x-plivo-signature-v3");

const formOf = (fields: object) =>
  new URLSearchParams({ ...FIELDS, ...fields } as Record<string, string>).toString();
const without = (field: string) => formOf({}).replace(new RegExp(`${field}=[^&]*&?`), "");
const shared = { key: KEY, otherKey: "an0ther-token", sign: signed };

const readReceipts = testSignedWebhook({
  ...shared,
  reader: plivo.receipts!,
  url: ADDRESS,
  body: formOf({ Status: "delivered" }),
  unreadable: ["", "no form", without("MessageUUID"), formOf({ MessageUUID: "a b" })],
});
const readInbound = testSignedWebhook({
  ...shared,
  reader: plivo.inbound!,
  url: `${HOOK}/inbound`,
  body: formOf({ Text: "please stop calling", Type: "sms" }),
  unreadable: ["", without("MessageUUID"), without("From"), formOf({ From: " " })],
});

test("a request is signed as the vendor's own client signs it", () => {
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

test("the main account's signature, and one of several, is the vendor's too", async () => {
  const body = formOf({ Status: "sent" });
  const request = { url: ADDRESS, body: Buffer.from(body) };
  const main = signedBy("x-plivo-signature-ma-v3")({ url: ADDRESS, body }, KEY);
  assert.ok(
    (await readWebhook(plivo.receipts!, { ...request, headers: main }, [KEY], new Date())).ok,
  );
  const right = signed({ url: ADDRESS, body }, KEY);
  const several = {
    ...right,
    "x-plivo-signature-v3": `AAAA,${right["x-plivo-signature-v3"]}`,
  };
  assert.ok(
    (await readWebhook(plivo.receipts!, { ...request, headers: several }, [KEY], new Date())).ok,
  );
});

async function receiptOf(fields: object, address = ADDRESS) {
  const read = await readReceipts(formOf(fields), address);
  assert.ok(read.ok);
  return read.receipts[0];
}

test("each status says what became of its delivery", async () => {
  for (const [Status, kind] of [
    ["queued", "accepted"],
    ["sent", "accepted"],
    ["delivered", "delivered"],
    ["read", "delivered"],
    ["undelivered", "bounced"],
    ["failed", "bounced"],
    ["rejected", "bounced"],
    ["constructor", undefined],
    ["", undefined],
  ] as const) {
    const receipt = await receiptOf({ Status });
    assert.equal(receipt?.kind, kind, Status);
    if (kind !== undefined) {
      assert.equal(receipt?.vendorEvent, `${MessageUUID}:${Status}`);
      assert.equal(receipt?.deliveryId, SMS.deliveryId);
    }
  }
  assert.equal(await receiptOf({ Status: "sent" }, HOOK), undefined, "a message of somebody else");
});

test("an error code tells its reason in words, and suppresses the number where it is the number's", async () => {
  const suppressing: Record<string, string> = { 50: "bounced", 70: "bounced", 200: "opted out" };
  const codes = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 200, 201, 450, 1000].map(String);
  for (const ErrorCode of codes) {
    const receipt = await receiptOf({ Status: "undelivered", ErrorCode });
    assert.equal(receipt?.vendorStatus, ErrorCode);
    assert.match(receipt!.reason!, /^[a-zA-Z' -]+$/, ErrorCode);
    assert.equal(receipt?.suppress, suppressing[ErrorCode] ?? null, ErrorCode);
    const delivered = await receiptOf({ Status: "delivered", ErrorCode });
    assert.equal(delivered?.suppress, null, "what arrived suppresses nothing");
  }
  const unknown = await receiptOf({ Status: "failed", ErrorCode: "9999" });
  assert.deepEqual([unknown?.reason, unknown?.suppress], [null, null]);
});

test("a text is its sender's message; a picture alone is none", async () => {
  const read = await readInbound(formOf({ Text: "größer & 100% = \u0000日本 🎉+" }));
  assert.deepEqual(read, {
    ok: true,
    message: {
      vendorId: MessageUUID,
      sender: "+14155550100",
      recipient: "+14155550123",
      text: "größer & 100% = 日本 🎉+",
    },
  });
  assert.deepEqual(await readInbound(formOf({ Type: "mms" })), { ok: true, message: undefined });
});
