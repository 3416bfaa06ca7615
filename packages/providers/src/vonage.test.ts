import assert from "node:assert/strict";
import { createVerify, generateKeyPairSync } from "node:crypto";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { SMS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { checkSettings } from "./settings.ts";
import { vonage } from "./vonage.ts";

const SETTINGS = { sender: "Belfry", apiKey: "abcd1234", apiSecret: "s3cr3t-of-the-account" };
const UUID = "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab";
const ACCEPT = {
  status: 202,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message_uuid: UUID }),
};
const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

const start = providerAtVendor(vonage, SETTINGS);

testHttpPromises({
  kind: vonage,
  settings: SETTINGS,
  message: SMS,
  secrets: [SETTINGS.apiSecret],
  accept: ACCEPT,
});

test("a text of more than 1,000 characters is refused with the reason, before any call", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  const most = { ...SMS, text: "x".repeat(1_000), segments: 7, encoding: "GSM-7" } as const;
  assert.equal((await provider.send(most)).class, "accepted");
  const refused = await provider.send({ ...most, text: `${most.text}x` });
  assert.deepEqual(
    [refused.class, refused.reason, refused.vendorStatus],
    ["permanent", "Vonage takes at most 1,000 characters", null],
  );
  assert.equal(vendor.received.length, 1);
});

test("a message is the vendor's documented request, field by field, with Basic authentication", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  assert.deepEqual(await provider.send(SMS), {
    class: "accepted",
    reason: "Vonage accepted the message",
    messageId: UUID,
    vendorStatus: "202",
    vendorAnswer: null,
    retryAfterSeconds: null,
  });
  const [call] = vendor.received;
  assertHas(call, { method: "POST", path: "/v1/messages" });
  const { host: _host, "user-agent": _agent, "content-length": length, ...headers } = call!.headers;
  const basic = Buffer.from("abcd1234:s3cr3t-of-the-account").toString("base64");
  assert.deepEqual(headers, {
    authorization: `Basic ${basic}`,
    connection: "keep-alive",
    "content-type": "application/json",
  });
  assert.equal(Number(length), Buffer.byteLength(call!.body));
  assert.deepEqual(JSON.parse(call!.body), {
    channel: "sms",
    message_type: "text",
    to: "12025550123",
    from: "Belfry",
    text: SMS.text,
    client_ref: SMS.deliveryId,
  });
});

test("an application signs each call with its key, a number as sender loses its plus", async (t) => {
  const applicationId = "cccccccc-bbbb-4ccc-8ddd-0123456789ab";
  const changes = { sender: "+15550100", applicationId, privateKey };
  const { vendor, provider } = await start(t, ACCEPT, changes);
  assert.equal((await provider.send(SMS)).class, "accepted");
  assert.equal((await provider.send(SMS)).class, "accepted");
  const tokens = vendor.received.map((call) => call.headers.authorization!);
  assert.notEqual(tokens[0], tokens[1], "a token is used once");
  const [head, claims, signature] = tokens[0]!.replace(/^Bearer /, "").split(".");
  const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  assert.deepEqual(decode(head!), { alg: "RS256", typ: "JWT" });
  const { application_id, iat, exp, jti } = decode(claims!);
  assert.equal(application_id, applicationId);
  assert.match(jti, /^[\da-f-]{36}$/);
  assert.ok(exp - iat <= 900);
  const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`);
  assert.ok(verify.verify(publicKey, signature!, "base64url"));
  assert.equal(JSON.parse(vendor.received[0]!.body).from, "15550100");
});

test("receipts are asked for where they can be heard and verified: public, https, with a signature secret", async (t) => {
  const publicUrl = "https://mail.example.com";
  const signed = { signatureSecret: "a-signature-secret-of-the-account" };
  const address = `${publicUrl}/webhooks/vonage/${SMS.tenantId}`;
  for (const [changes, deps, expected] of [
    [signed, { publicUrl }, { webhook_url: address, webhook_version: "v1" }],
    [signed, {}, {}],
    [{}, { publicUrl }, {}],
  ] as const) {
    const { vendor, provider } = await start(t, ACCEPT, changes, deps);
    assert.equal((await provider.send(SMS)).class, "accepted");
    const { webhook_url, webhook_version } = JSON.parse(vendor.received[0]!.body);
    assert.deepEqual(JSON.parse(JSON.stringify({ webhook_url, webhook_version })), expected);
  }
});

const CODES: readonly (readonly [string, number, OutcomeClass])[] = [
  ["1000", 429, "throttled"],
  ["1010", 422, "permanent"],
  ["1020", 422, "permanent"],
  ["1021", 422, "permanent"],
  ["1022", 422, "permanent"],
  ["1030", 500, "transient"],
  ["1040", 422, "permanent"],
  ["1050", 422, "permanent"],
  ["1060", 403, "credentials"],
  ["1070", 402, "credentials"],
  ["1080", 403, "credentials"],
  ["1090", 422, "permanent"],
  ["1100", 500, "deferred"],
  ["1120", 422, "policy"],
  ["1130", 422, "permanent"],
  ["1140", 403, "credentials"],
  ["1150", 422, "permanent"],
  ["1160", 422, "policy"],
];
for (const [code, status, expected] of CODES) {
  test(`the vendor's code ${code} is ${expected}`, async (t) => {
    const problem = {
      type: `https://developer.vonage.com/api-errors/messages#${code}`,
      title: "What is wrong",
      detail: "More of it",
      instance: "bf0ca0bf927b3b52e3cb03217e1a1ddf",
    };
    const { provider } = await start(t, {
      status,
      headers: { "content-type": "application/problem+json" },
      body: JSON.stringify(problem),
    });
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: expected, vendorStatus: code });
    assert.deepEqual(JSON.parse(outcome.vendorAnswer!), problem);
  });
}

const STATUSES: readonly (readonly [number, OutcomeClass])[] = [
  [401, "credentials"],
  [402, "credentials"],
  [422, "permanent"],
  [429, "throttled"],
  [500, "transient"],
];
for (const [status, expected] of STATUSES) {
  test(`the vendor's ${status} with a code of another API is ${expected} by its status`, async (t) => {
    const problem = { type: "https://developer.vonage.com/api-errors#unauthorized", title: "No" };
    const { provider } = await start(t, { status, body: JSON.stringify(problem) });
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: expected, vendorStatus: String(status) });
  });
}

for (const body of [
  "",
  "{}",
  "[]",
  "null",
  "<html>",
  '{"message_uuid":""}',
  '{"message_uuid":7}',
]) {
  test(`a success without the message's id is none: ${body || "nothing"}`, async (t) => {
    for (const status of [200, 202]) {
      const { provider } = await start(t, { status, headers: ACCEPT.headers, body });
      assert.equal((await provider.send(SMS)).class, "ambiguous");
    }
  });
}

test("a success cut off in its body is ambiguous", async (t) => {
  const { provider } = await start(t, (response) => {
    response.writeHead(202, { ...ACCEPT.headers, "content-length": "99" }).write('{"message_uu');
    setTimeout(() => response.destroy(), 20);
  });
  assert.equal((await provider.send(SMS)).class, "ambiguous");
});

test("an empty text is refused before any call; the number is the vendor's to judge", async (t) => {
  const { vendor, provider } = await start(t, { status: 202, body: ACCEPT.body });
  assert.equal((await provider.send({ ...SMS, text: "" })).class, "permanent");
  assert.equal(vendor.connections(), 0);
  assert.equal((await provider.send({ ...SMS, to: "+12" })).class, "accepted");
});

test("each fault of the settings names its field and repeats no value", () => {
  const faultsOf = (settings: object) => checkSettings(vonage, settings);
  assert.deepEqual(faultsOf(SETTINGS), []);
  assert.deepEqual(faultsOf({ sender: "Belfry", applicationId: "a-1", privateKey }), []);
  assert.deepEqual(faultsOf({ sender: "Belfry" }), [
    "apiKey: give apiKey and apiSecret, or applicationId and privateKey",
  ]);
  assert.deepEqual(faultsOf({ sender: "Belfry", apiKey: "a" }), ["apiSecret: is missing"]);
  assert.deepEqual(faultsOf({ sender: "Belfry", apiSecret: "a" }), ["apiKey: is missing"]);
  assert.deepEqual(faultsOf({ sender: "Belfry", applicationId: "a" }), ["privateKey: is missing"]);
  assert.deepEqual(faultsOf({ sender: "Belfry", privateKey }), ["applicationId: is missing"]);
  assert.deepEqual(faultsOf({ ...SETTINGS, sender: "A name too long" }), [
    "sender: must be a phone number, a short code or a name of up to 11 letters and digits",
  ]);
});

test("the name of a file on the server is not taken for a private key", () => {
  for (const key of [
    "/etc/passwd",
    "./key.pem",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
  ]) {
    const faults = checkSettings(vonage, { sender: "B", applicationId: "a", privateKey: key });
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /^privateKey: must be/);
  }
});
