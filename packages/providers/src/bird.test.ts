import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { SMS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { bird } from "./bird.ts";
import { checkSettings } from "./settings.ts";

// The judge follows Bird's description, read in 2026-11: docs.bird.com/api/channels-api (quickstart, API reference,
// message status) and docs.bird.com/api/api-access/common-api-usage (authorization, errors by HTTP status).
const WORKSPACE = "a1405560-c8d3-4b1a-877d-3f449ad95352";
const CHANNEL = "b1405560-c8d3-4b1a-877d-3f449ad95353";
const MESSAGE = "c1405560-c8d3-4b1a-877d-3f449ad95354";
const SETTINGS = {
  accessKey: "AbCdEfGhIjKlMnOpQrStUvWxYz",
  workspaceId: WORKSPACE,
  channelId: CHANNEL,
};

const made = (status: string) => ({
  status: 202,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ id: MESSAGE, channelId: CHANNEL, status, direction: "outgoing" }),
});
const failed = (status: number, code: string) => ({
  status,
  body: JSON.stringify({ code, message: "What is wrong" }),
});

function judge(call: ReceivedCall) {
  if (call.headers.authorization !== `AccessKey ${SETTINGS.accessKey}`) {
    return failed(401, "Unauthorized");
  }
  if (
    call.method !== "POST" ||
    call.path !== `/workspaces/${WORKSPACE}/channels/${CHANNEL}/messages`
  ) {
    return failed(404, "NotFound");
  }
  const { receiver, body, reference } = JSON.parse(call.body);
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

const start = providerAtVendor(bird, SETTINGS);

testHttpPromises({
  kind: bird,
  settings: SETTINGS,
  message: SMS,
  secrets: [SETTINGS.accessKey],
  accept: made("accepted"),
});

test("a message is the vendor's documented request, field by field, and names its delivery", async (t) => {
  const { vendor, provider } = await start(t, { judge });
  assert.deepEqual(await provider.send(SMS), {
    class: "accepted",
    reason: "Bird accepted the message",
    messageId: MESSAGE,
    vendorStatus: "202",
    vendorAnswer: null,
    retryAfterSeconds: null,
  });
  assert.deepEqual(JSON.parse(vendor.received[0]!.body), {
    receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: "+12025550123" }] },
    body: { type: "text", text: { text: SMS.text } },
    reference: SMS.deliveryId,
  });
});

test("another key, workspace or channel stops the account", async (t) => {
  for (const [changes, status] of [
    [{ accessKey: "of-somebody-else" }, "401"],
    [{ workspaceId: CHANNEL }, "404"],
    [{ channelId: WORKSPACE }, "404"],
  ] as const) {
    const { provider } = await start(t, { judge }, changes);
    assertHas(await provider.send(SMS), { class: "credentials", vendorStatus: status });
  }
});

const ERRORS: readonly (readonly [number, OutcomeClass])[] = [
  [400, "permanent"],
  [401, "credentials"],
  [402, "credentials"],
  [403, "credentials"],
  [404, "credentials"],
  [409, "permanent"],
  [422, "permanent"],
  [429, "throttled"],
  [500, "transient"],
  [503, "transient"],
];
for (const [status, expected] of ERRORS) {
  test(`${status} is ${expected}`, async (t) => {
    const { provider } = await start(t, failed(status, "SomeCode"));
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: expected, vendorStatus: String(status) });
    assert.match(outcome.vendorAnswer!, /SomeCode/);
  });
}

test("a message that is made and has ended is not sent again; one of another state may be there", async (t) => {
  for (const [status, expected] of [
    ["accepted", "accepted"],
    ["scheduled", "accepted"],
    ["processing", "accepted"],
    ["sent", "accepted"],
    ["delivered", "accepted"],
    ["rejected", "permanent"],
    ["sending_failed", "permanent"],
    ["dreaming", "ambiguous"],
  ] as const) {
    const { provider } = await start(t, made(status));
    assert.equal((await provider.send(SMS)).class, expected, status);
  }
});

for (const body of ["", "{}", "[]", '{"id":"no id","status":"accepted"}', '{"id":7}', "<html>"]) {
  test(`a 202 without the message's id is no success: ${body || "nothing"}`, async (t) => {
    const { provider } = await start(t, { status: 202, body });
    assert.equal((await provider.send(SMS)).class, "ambiguous");
  });
}

test("each fault of the settings names its field and repeats no value", () => {
  assert.deepEqual(checkSettings(bird, { ...SETTINGS, signingKey: "chosen-by-us" }), []);
  const wrong = { accessKey: "", workspaceId: "../x", channelId: "7", signingKey: "a b" };
  const faults = checkSettings(bird, wrong);
  assertEach(faults, (fault) => fault.split(":")[0], Object.keys(wrong));
});
