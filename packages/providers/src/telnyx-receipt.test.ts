import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import test from "node:test";
import { SMS } from "../test/messages.ts";
import { OTHER_JSON, testSignedWebhook } from "../test/signed-webhook.ts";
import { telnyx } from "./telnyx.ts";

// Source, the vendor's description (developers.telnyx.com/docs/messaging/messages/receiving-webhooks, …/error-codes) and
// its client team-telnyx/telnyx-node, src/lib/webhooks.ts.
const HOOK = "https://mail.example.com/webhooks/telnyx/acme";
const ADDRESS = `${HOOK}?delivery=${SMS.deliveryId}`;
const MESSAGE = "40385f64-5717-4562-b3fc-2c963f66afa6";

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

const finalized = (status: string, errors: object[] = [], webhook_url: unknown = ADDRESS) =>
  eventOf("message.finalized", {
    direction: "outbound",
    to: [{ phone_number: "+12025550123", status }],
    errors,
    webhook_url,
  });
const received = (changes: object = {}) =>
  eventOf("message.received", {
    direction: "inbound",
    from: { phone_number: "+12025550123", carrier: "T-MOBILE USA, INC." },
    to: [{ phone_number: "+15550100", status: "delivered" }],
    text: "please stop calling",
    media: [],
    ...changes,
  });

const shared = { key: newKey(), otherKey: newKey(), sign: signed, maxAgeSeconds: 15 * 60 };
const readReceipts = testSignedWebhook({
  ...shared,
  reader: telnyx.receipts!,
  url: ADDRESS,
  body: finalized("delivered"),
  unreadable: OTHER_JSON,
});
const readInbound = testSignedWebhook({
  ...shared,
  reader: telnyx.inbound!,
  url: `${HOOK}/inbound`,
  body: received(),
  unreadable: [...OTHER_JSON, received({ from: {} }), received({ from: null })],
});

async function receiptOf(body: string) {
  const read = await readReceipts(body);
  assert.ok(read.ok);
  return read.receipts[0];
}

test("each status says what became of its delivery", async () => {
  for (const [status, kind] of [
    ["queued", "accepted"],
    ["sending", "accepted"],
    ["sent", "accepted"],
    ["delivery_unconfirmed", "accepted"],
    ["delivered", "delivered"],
    ["sending_failed", "bounced"],
    ["delivery_failed", "bounced"],
    ["expired", "bounced"],
    ["constructor", undefined],
    ["", undefined],
  ] as const) {
    const receipt = await receiptOf(finalized(status));
    assert.equal(receipt?.kind, kind, status);
    if (kind === undefined) continue;
    assert.equal(receipt?.vendorEvent, `${MESSAGE}:${status}`);
    assert.equal(receipt?.occurredAt?.toISOString(), "2026-11-26T11:59:58.574Z");
  }
});

test("the delivery is the one that the signed body names, whatever address is called", async () => {
  const other = ADDRESS.replace(SMS.deliveryId, "0193a1c0-0000-7000-8000-0000000000ff");
  const read = await readReceipts(finalized("delivered"), other);
  assert.equal(read.ok && read.receipts[0]?.deliveryId, SMS.deliveryId);
  for (const address of [HOOK, null, 7, "no address", `${HOOK}?delivery=1001`]) {
    assert.equal(await receiptOf(finalized("delivered", [], address)), undefined);
  }
});

test("an error code suppresses the number where it is the number's, 40300 only with its words", async () => {
  const stop = { code: "40300", title: "Blocked due to STOP message", detail: "A block rule" };
  for (const [error, suppress] of [
    [{ code: "40001", title: "Not routable" }, "bounced"],
    [stop, "opted out"],
    [{ code: "40300", title: "Undeliverable", detail: "The number stopped working" }, null],
    [{ code: "40002", title: "Blocked as spam - temporary" }, null],
    [{ code: "40003", title: "Blocked as spam - permanent" }, null],
    [{ code: "40004", title: "Rejected by destination" }, null],
    [{ code: "40008", title: "Undeliverable" }, null],
    [{ code: "40012", title: "Invalid messaging destination number" }, null],
    [{ code: "__proto__", title: "x" }, null],
  ] as const) {
    const receipt = await receiptOf(finalized("delivery_failed", [error]));
    assert.equal(receipt?.suppress, suppress, error.title);
    assert.equal(receipt?.reason, "detail" in error ? error.detail : error.title);
    const delivered = await receiptOf(finalized("delivered", [error]));
    assert.equal(delivered?.suppress, null, "what arrived suppresses nothing");
  }
});

test("a text is its sender's message; a picture, or another event, is none", async () => {
  assert.deepEqual(await readInbound(received()), {
    ok: true,
    message: {
      vendorId: MESSAGE,
      sender: "+12025550123",
      recipient: "+15550100",
      text: "please stop calling",
    },
  });
  for (const body of [received({ text: "" }), received({ text: null }), finalized("delivered")]) {
    assert.deepEqual(await readInbound(body), { ok: true, message: undefined });
  }
  assert.deepEqual(await readReceipts(received()), { ok: true, receipts: [] });
});
