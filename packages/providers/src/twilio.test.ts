import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { SMS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { checkSettings } from "./settings.ts";
import { twilio } from "./twilio.ts";

const ACCOUNT = `AC${"0a".repeat(16)}`;
const SERVICE = `MG${"0b".repeat(16)}`;
const API_KEY = `SK${"0c".repeat(16)}`;
const SID = `SM${"0d".repeat(16)}`;
const SETTINGS = { accountSid: ACCOUNT, authToken: "t0ken-of-the-account", sender: "+15550100" };

function created(changes: object = {}): string {
  return JSON.stringify({
    sid: SID,
    account_sid: ACCOUNT,
    status: "queued",
    error_code: null,
    error_message: null,
    num_segments: "1",
    ...changes,
  });
}

const start = providerAtVendor(twilio, SETTINGS);

testHttpPromises({
  kind: twilio,
  settings: SETTINGS,
  message: SMS,
  secrets: [SETTINGS.authToken],
  accept: { status: 201, headers: { "content-type": "application/json" }, body: created() },
});

test("a message is the vendor's documented request, field by field", async (t) => {
  const { vendor, provider } = await start(t, { status: 201, body: created() });
  assert.deepEqual(await provider.send(SMS), {
    class: "accepted",
    reason: "Twilio accepted the message",
    messageId: SID,
    vendorStatus: "201",
    vendorAnswer: null,
    retryAfterSeconds: null,
  });
  const [call] = vendor.received;
  assertHas(call, { method: "POST", path: `/2010-04-01/Accounts/${ACCOUNT}/Messages.json` });
  const { host: _host, "user-agent": _agent, "content-length": length, ...headers } = call!.headers;
  const basic = Buffer.from(`${ACCOUNT}:${SETTINGS.authToken}`).toString("base64");
  assert.deepEqual(headers, {
    accept: "application/json",
    authorization: `Basic ${basic}`,
    connection: "keep-alive",
    "content-type": "application/x-www-form-urlencoded",
  });
  assert.equal(Number(length), Buffer.byteLength(call!.body));
  assert.deepEqual(Object.fromEntries(new URLSearchParams(call!.body)), {
    To: "+12025550123",
    From: "+15550100",
    Body: SMS.text,
  });
});

test("a messaging service and an API key take the place of number and token", async (t) => {
  const changes = { sender: SERVICE, apiKeySid: API_KEY };
  const { vendor, provider } = await start(t, { status: 201, body: created() }, changes);
  assert.equal((await provider.send(SMS)).class, "accepted");
  const [call] = vendor.received;
  assert.equal(call!.path, `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`);
  const basic = Buffer.from(`${API_KEY}:${SETTINGS.authToken}`).toString("base64");
  assert.equal(call!.headers.authorization, `Basic ${basic}`);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(call!.body)), {
    To: "+12025550123",
    MessagingServiceSid: SERVICE,
    Body: SMS.text,
  });
});

test("receipts are asked for where they can be heard and verified: at a public address, with the account's token", async (t) => {
  const publicUrl = "https://mail.example.com/belfry";
  const path = `/webhooks/twilio/${SMS.tenantId}?delivery=${SMS.deliveryId}`;
  const address = publicUrl + path;
  const local = "http://127.0.0.1:4000";
  const withKey = { apiKeySid: API_KEY };
  for (const [changes, deps, expected] of [
    [{}, { publicUrl }, address],
    [{}, {}, null],
    [{}, { publicUrl: local }, local + path],
    [withKey, { publicUrl }, null],
    [{ ...withKey, webhookAuthToken: "t0ken-of-the-account" }, { publicUrl }, address],
  ] as const) {
    const { vendor, provider } = await start(t, { status: 201, body: created() }, changes, deps);
    assert.equal((await provider.send(SMS)).class, "accepted");
    const form = new URLSearchParams(vendor.received[0]!.body);
    assert.equal(form.get("StatusCallback"), expected);
  }
});

const CODES: readonly (readonly [number, number, OutcomeClass])[] = [
  [10001, 400, "credentials"],
  [14107, 429, "throttled"],
  [20003, 401, "credentials"],
  [20005, 403, "credentials"],
  [20006, 403, "credentials"],
  [20008, 403, "credentials"],
  [20404, 404, "credentials"],
  [20429, 429, "throttled"],
  [20500, 500, "transient"],
  [20503, 503, "transient"],
  [21211, 400, "permanent"],
  [21212, 400, "credentials"],
  [21265, 400, "permanent"],
  [21266, 400, "permanent"],
  [21408, 403, "policy"],
  [21602, 400, "permanent"],
  [21603, 400, "credentials"],
  [21604, 400, "permanent"],
  [21606, 400, "credentials"],
  [21608, 400, "policy"],
  [21610, 400, "permanent"],
  [21611, 429, "throttled"],
  [21612, 400, "policy"],
  [21614, 400, "permanent"],
  [21617, 400, "permanent"],
  [21635, 400, "permanent"],
  [21659, 400, "credentials"],
  [21660, 400, "credentials"],
  [21701, 404, "credentials"],
  [21703, 400, "credentials"],
  [21705, 400, "credentials"],
  [30001, 429, "throttled"],
  [30002, 403, "credentials"],
  [30003, 400, "deferred"],
  [30004, 400, "policy"],
  [30007, 400, "policy"],
  [30005, 400, "permanent"],
  [30006, 400, "permanent"],
  [30008, 400, "deferred"],
  [63038, 429, "throttled"],
  [99999, 400, "permanent"],
  [99999, 500, "transient"],
];
/** Numbers that are none, or no mobile's. */
const GONE = [21211, 21614, 30005];
for (const [code, status, expected] of CODES) {
  test(`the vendor's code ${code} with ${status} is ${expected}`, async (t) => {
    const body = { code, message: "What is wrong", more_info: "https://www.twilio.com", status };
    const { provider } = await start(t, { status, body: JSON.stringify(body) });
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: expected, vendorStatus: String(code) });
    assert.equal(
      outcome.suppress,
      code === 21610 ? "opted out" : GONE.includes(code) ? "bounced" : undefined,
    );
    assert.deepEqual(JSON.parse(outcome.vendorAnswer!), body);
  });
}

const ANSWERS: readonly (readonly [string, number, string, OutcomeClass])[] = [
  ["201 with nothing", 201, "", "ambiguous"],
  ["201 with {}", 201, "{}", "ambiguous"],
  ["201 without a message's SID", 201, created({ sid: "CA1" }), "ambiguous"],
  ["200 with a message", 200, created(), "ambiguous"],
  ["a status that is not documented", 201, created({ status: "dreaming" }), "ambiguous"],
  ["a queued message with an error", 201, created({ error_code: 30008 }), "ambiguous"],
  ["a message that failed", 201, created({ status: "failed", error_code: 30006 }), "permanent"],
  ["a suspended account", 201, created({ status: "failed", error_code: 30002 }), "credentials"],
  ["a message accepted for later", 201, created({ status: "accepted" }), "accepted"],
];
for (const [name, status, body, expected] of ANSWERS) {
  test(`${name} is ${expected}`, async (t) => {
    const { provider } = await start(t, { status, body });
    assert.equal((await provider.send(SMS)).class, expected);
  });
}

test("each fault of the settings names its field and repeats no value", () => {
  assert.deepEqual(checkSettings(twilio, SETTINGS), []);
  assert.deepEqual(checkSettings(twilio, { ...SETTINGS, sender: SERVICE, apiKeySid: API_KEY }), []);
  for (const sender of ["+15550100", "12345", "Belfry", "B+ 1", "A1"]) {
    assert.deepEqual(checkSettings(twilio, { ...SETTINGS, sender }), [], sender);
  }
  for (const sender of ["++1", "+1", "---", "   ", "1", "+0123456789"]) {
    assert.equal(checkSettings(twilio, { ...SETTINGS, sender }).length, 1, sender);
  }
  const faults = checkSettings(twilio, { accountSid: "AC1/../x", authToken: "", sender: "a\r\nb" });
  assertEach(faults, (fault) => fault.split(":")[0], ["accountSid", "authToken", "sender"]);
});
