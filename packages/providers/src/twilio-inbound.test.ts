import assert from "node:assert/strict";
import test from "node:test";
import { readWebhook } from "../test/read-webhook.ts";
import { twilio, twilioSignature } from "./twilio.ts";

const TOKEN = "t0ken-of-the-account";
const URL_OF_HOOK = "https://mail.example.com/webhooks/twilio/acme/inbound";
const NOW = new Date("2026-11-22T12:00:00Z");
const FIELDS = {
  MessageSid: `SM${"0a".repeat(16)}`,
  AccountSid: `AC${"0b".repeat(16)}`,
  From: "+12025550123",
  To: "+12025550100",
  Body: "please stop calling",
  NumMedia: "0",
};

interface Changes {
  token?: string;
  url?: string;
  signature?: string | undefined;
  /** Instead of the form that was signed. */
  body?: string;
}

async function read(fields: object, changes: Changes = {}) {
  const form = new URLSearchParams(fields as Record<string, string>);
  const signature =
    "signature" in changes
      ? changes.signature
      : twilioSignature(changes.token ?? TOKEN, changes.url ?? URL_OF_HOOK, form);
  const body = Buffer.from(changes.body ?? form.toString());
  const headers = { "x-twilio-signature": signature };
  const keys = ["another-account's-token", TOKEN];
  return await readWebhook(twilio.inbound!, { headers, body, url: URL_OF_HOOK }, keys, NOW);
}

test("the vendor's published example is signed as it says", () => {
  const form = new URLSearchParams({
    CallSid: "CA1234567890ABCDE",
    Caller: "+14158675309",
    Digits: "1234",
    From: "+14158675309",
    To: "+18005551212",
  });
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  assert.equal(twilioSignature("12345", url, form), "RSOYDt4T1cUTdK1PDd93/VVr8B8=");
});

test("a signed form is its sender's message", async () => {
  assert.deepEqual(await read(FIELDS), {
    ok: true,
    message: {
      vendorId: FIELDS.MessageSid,
      sender: "+12025550123",
      recipient: "+12025550100",
      text: "please stop calling",
      keyword: undefined,
    },
  });
  const odd = { ...FIELDS, Body: "größer & 100% = \u0000日本 🎉+" };
  const answer = await read(odd);
  assert.equal(answer.ok && answer.message?.text, "größer & 100% = 日本 🎉+");
});

test("what the vendor itself took for an opt-out, in whatever language, is one", async () => {
  for (const [type, keyword] of [
    ["STOP", "stop"],
    ["START", "start"],
    ["HELP", undefined],
    ["constructor", undefined],
  ] as const) {
    const answer = await read({ ...FIELDS, Body: "ARRET", OptOutType: type });
    assert.equal(answer.ok && answer.message?.keyword, keyword, type);
  }
});

test("a changed field, address or token, or no signature, is forged", async () => {
  const forged = { ok: false, fault: "forged" };
  const other = new URLSearchParams({ ...FIELDS, From: "+12025550199" }).toString();
  assert.deepEqual(await read(FIELDS, { body: other }), forged);
  const more = `${new URLSearchParams(FIELDS)}&OptOutType=STOP`;
  assert.deepEqual(await read(FIELDS, { body: more }), forged);
  assert.deepEqual(await read(FIELDS, { token: "wrong" }), forged);
  assert.deepEqual(await read(FIELDS, { url: URL_OF_HOOK.replace("acme", "other") }), forged);
  for (const signature of [undefined, "", "AAAA", "é".repeat(28), "A".repeat(28)]) {
    assert.deepEqual(await read(FIELDS, { signature }), forged, signature);
  }
});

test("what is signed and no message says so", async () => {
  const unreadable = { ok: false, fault: "unreadable" };
  assert.deepEqual(await read({ ...FIELDS, MessageSid: "CA1" }), unreadable);
  assert.deepEqual(await read({ ...FIELDS, From: "" }), unreadable);
  assert.deepEqual(await read({ ...FIELDS, Body: " " }), { ok: true, message: undefined });
});

test("the key is the account's token: the secret of an API key signs no webhook", () => {
  assert.equal(twilio.inbound!.keyOf({ authToken: "a" }), "a");
  assert.equal(twilio.inbound!.keyOf({ authToken: "a", apiKeySid: "SK" }), undefined);
  assert.equal(
    twilio.inbound!.keyOf({ authToken: "a", apiKeySid: "SK", webhookAuthToken: "b" }),
    "b",
  );
  assert.equal(twilio.inbound!.keyOf({}), undefined);
});
