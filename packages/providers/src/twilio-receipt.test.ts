import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { testDeps } from "../test/messages.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { callbackAddress } from "./receipt.ts";
import { twilio, twilioSignature } from "./twilio.ts";

const TOKEN = "t0ken-of-the-account";
const NOW = new Date("2026-11-22T12:00:00Z");
const deliveryId = randomUUID();
const URL_OF_HOOK = `https://mail.example.com/webhooks/twilio/acme?delivery=${deliveryId}`;
const MessageSid = `SM${"0a".repeat(16)}`;

interface Addresses {
  url?: string;
  signedUrl?: string;
}

async function read(fields: Record<string, string>, addresses: Addresses = {}) {
  const { url = URL_OF_HOOK, signedUrl = url } = addresses;
  const form = new URLSearchParams({ MessageSid, To: "+12025550123", ...fields });
  const headers = { "x-twilio-signature": twilioSignature(TOKEN, signedUrl, form) };
  const request = { headers, body: Buffer.from(form.toString()), url };
  return await readWebhook(twilio.receipts!, request, ["another-token", TOKEN], NOW);
}

async function receiptOf(fields: Record<string, string>, addresses = {}) {
  const result = await read(fields, addresses);
  assert.ok(result.ok);
  return result.receipts[0];
}

test("each status says what became of its delivery", async () => {
  for (const [MessageStatus, kind] of [
    ["queued", "accepted"],
    ["sending", "accepted"],
    ["sent", "accepted"],
    ["delivered", "delivered"],
    ["read", "delivered"],
    ["undelivered", "bounced"],
    ["failed", "bounced"],
    ["canceled", "bounced"],
    ["receiving", undefined],
    ["constructor", undefined],
    ["", undefined],
  ] as const) {
    assert.equal((await receiptOf({ MessageStatus }))?.kind, kind, MessageStatus);
  }
});

test("an error code tells its reason in words, and suppresses the number where it is the number's", async () => {
  for (const [ErrorCode, suppress] of [
    ["21211", "bounced"],
    ["21610", "opted out"],
    ["21614", "bounced"],
    ["30003", null],
    ["30004", null],
    ["30005", "bounced"],
    ["30006", null],
    ["30007", null],
    ["30008", null],
  ] as const) {
    const receipt = await receiptOf({ MessageStatus: "undelivered", ErrorCode });
    assert.deepEqual([receipt?.vendorStatus, receipt?.suppress], [ErrorCode, suppress]);
    assert.match(receipt!.reason!, /^[a-z'A-Z0-9 ]+$/, ErrorCode);
    const delivered = await receiptOf({ MessageStatus: "delivered", ErrorCode });
    assert.equal(delivered?.suppress, null, "what arrived suppresses nothing");
  }
  const unknown = await receiptOf({ MessageStatus: "failed", ErrorCode: "39999" });
  assert.deepEqual([unknown?.reason, unknown?.suppress], [null, null]);
  const told = { MessageStatus: "failed", ErrorCode: "30007", ErrorMessage: "Message filtered" };
  assert.equal((await receiptOf(told))?.reason, "Message filtered");
});

test("the same status is known again, another of the same message is not", async () => {
  const id = async (MessageStatus: string) => (await receiptOf({ MessageStatus }))?.vendorEvent;
  assert.equal(await id("sent"), await id("sent"));
  assert.notEqual(await id("sent"), await id("delivered"));
});

test("the delivery stands in the signed address: another one is forged, none is not ours", async () => {
  const MessageStatus = "delivered";
  assert.equal((await receiptOf({ MessageStatus }))?.deliveryId, deliveryId);
  const other = URL_OF_HOOK.replace(deliveryId, randomUUID());
  const forged = { ok: false, fault: "forged" };
  assert.deepEqual(await read({ MessageStatus }, { url: other, signedUrl: URL_OF_HOOK }), forged);
  for (const url of [URL_OF_HOOK.split("?")[0]!, URL_OF_HOOK.replace(deliveryId, "1001")]) {
    assert.equal(await receiptOf({ MessageStatus }, { url }), undefined);
  }
  for (const [url, signedUrl] of [
    [URL_OF_HOOK, URL_OF_HOOK.replace(".com/", ".com:443/")],
    [URL_OF_HOOK.replace(".com/", ".com:8443/"), URL_OF_HOOK],
  ] as const) {
    assert.equal((await receiptOf({ MessageStatus }, { url, signedUrl }))?.kind, "delivered");
  }
  const unreadable = { ok: false, fault: "unreadable" };
  assert.deepEqual(await read({ MessageStatus, MessageSid: "CA1" }), unreadable);
});

test("a private address is named only where providers may have private addresses, too", () => {
  const of = (publicUrl: string, allowPrivateAddresses: boolean) => {
    const deps = testDeps({ publicUrl, allowPrivateAddresses });
    return callbackAddress(twilio.receipts!, { authToken: TOKEN }, deps, { tenantId: "acme" });
  };
  assert.equal(of("http://127.0.0.1:4000", false), undefined);
  assert.equal(of("", true), undefined);
  assert.equal(of("http://127.0.0.1:4000", true), "http://127.0.0.1:4000/webhooks/twilio/acme");
});
