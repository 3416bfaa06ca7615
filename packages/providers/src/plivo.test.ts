import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { SMS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { plivo } from "./plivo.ts";
import { checkSettings } from "./settings.ts";

// The judge follows Plivo's description, read in 2026-11: plivo.com/docs/messaging/api/message (request, answer) and
// docs.plivo.com/docs/messaging/api/response (statuses), and the vendor's client plivo/plivo-node.
const AUTH_ID = "MAXXXXXXXXXXXXXXXXXX";
const SETTINGS = { authId: AUTH_ID, authToken: "t0ken-of-the-account", sender: "+15550100" };
const POWERPACK = "0193a1c0-0000-7000-8000-0000000000b0";
const MESSAGE = "db3ce55a-7f1d-11e1-8ea7-1231380bc196";
const API_ID = "db342550-7f1d-11e1-8ea7-1231380bc196";

const QUEUED = {
  status: 202,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    message: "message(s) queued",
    message_uuid: [MESSAGE],
    api_id: API_ID,
  }),
};

const failed = (status: number, error: string) => ({
  status,
  body: JSON.stringify({ api_id: API_ID, error }),
});

function judge(call: ReceivedCall) {
  const basic = Buffer.from(`${AUTH_ID}:${SETTINGS.authToken}`).toString("base64");
  if (call.headers.authorization !== `Basic ${basic}`) return failed(401, "authentication_failed");
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

const start = providerAtVendor(plivo, SETTINGS);
const startJudge = (t: test.TestContext, changes = {}, deps = {}) =>
  start(t, { judge }, changes, deps);

testHttpPromises({
  kind: plivo,
  settings: SETTINGS,
  message: SMS,
  secrets: [SETTINGS.authToken],
  accept: QUEUED,
});

test("the judge takes a message from a number, a name, a short code and a Powerpack", async (t) => {
  for (const sender of ["+15550100", "15550100", "Belfry", "12345", POWERPACK]) {
    const { provider } = await startJudge(t, { sender });
    assert.deepEqual(await provider.send(SMS), {
      class: "accepted",
      reason: "Plivo accepted the message",
      messageId: MESSAGE,
      vendorStatus: "202",
      vendorAnswer: null,
      retryAfterSeconds: null,
    });
  }
});

test("a message is the vendor's documented request, field by field", async (t) => {
  const { vendor, provider } = await startJudge(t);
  await provider.send(SMS);
  const expected = { src: "15550100", dst: "12025550123", text: SMS.text };
  assert.deepEqual(JSON.parse(vendor.received[0]!.body), expected);
  assert.equal(vendor.received[0]!.headers["content-type"], "application/json");
});

test("each message asks for its status where it can be heard", async (t) => {
  const publicUrl = "https://mail.example.com";
  const { vendor, provider } = await startJudge(t, {}, { publicUrl });
  assert.equal((await provider.send(SMS)).class, "accepted");
  const url = `${publicUrl}/webhooks/plivo/${SMS.tenantId}?delivery=${SMS.deliveryId}`;
  assertHas(JSON.parse(vendor.received[0]!.body), { url, method: "POST" });
});

test("another token or account stops the account", async (t) => {
  for (const [changes, status] of [
    [{ authToken: "an0ther-token-of-none" }, "401"],
    [{ authId: "SAXXXXXXXXXXXXXXXXXX" }, "401"],
  ] as const) {
    const { provider } = await startJudge(t, changes);
    assertHas(await provider.send(SMS), { class: "credentials", vendorStatus: status });
  }
  const { provider } = await start(t, failed(404, "not found"));
  assertHas(await provider.send(SMS), { class: "credentials", vendorStatus: "404" });
});

const ERRORS: readonly (readonly [number, string, OutcomeClass])[] = [
  [400, "invalid_parameter", "permanent"],
  [401, "authentication_failed", "credentials"],
  [402, "insufficient credit", "credentials"],
  [404, "not_found", "credentials"],
  [405, "method not allowed", "permanent"],
  [429, "rate_limit_exceeded", "throttled"],
  [500, "server error", "transient"],
];
for (const [status, error, expected] of ERRORS) {
  test(`${status} ${error} is ${expected}`, async (t) => {
    const { provider } = await start(t, failed(status, error));
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: expected, vendorStatus: String(status) });
    assert.equal(outcome.suppress, undefined);
    assert.deepEqual(JSON.parse(outcome.vendorAnswer!), { api_id: API_ID, error });
  });
}

test("a number that the vendor leaves out as invalid is suppressed", async (t) => {
  const body = { message: "no message", message_uuid: [], invalid_number: ["12025550123"] };
  const { provider } = await start(t, { status: 202, body: JSON.stringify(body) });
  assertHas(await provider.send(SMS), {
    class: "permanent",
    suppress: "bounced",
    vendorStatus: "invalid_number",
  });
});

for (const body of [
  "",
  "{}",
  "[]",
  '{"message_uuid":[]}',
  '{"message_uuid":["no id"]}',
  "<html>",
]) {
  test(`a 202 without the message's id is no success: ${body || "nothing"}`, async (t) => {
    const { provider } = await start(t, { status: 202, body });
    assert.equal((await provider.send(SMS)).class, "ambiguous");
  });
}

test("each fault of the settings names its field and repeats no value", () => {
  assert.deepEqual(checkSettings(plivo, SETTINGS), []);
  const faults = checkSettings(plivo, { authId: "MA1/../x", authToken: "", sender: "a\r\nb" });
  assertEach(faults, (fault) => fault.split(":")[0], ["authId", "authToken", "sender"]);
});
