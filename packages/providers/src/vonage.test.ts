import assert from "node:assert/strict";
import { createHash, createVerify, generateKeyPairSync, randomUUID } from "node:crypto";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { SignJWT } from "jose";
import { SMS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { testTextVendor } from "../test/text-vendor.ts";
import type { WebhookReader } from "./receipt.ts";
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
const PUBLIC_URL = "https://mail.example.com";
const SECRET = "a-signature-secret-of-the-account";

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
/** A status with a code of another API has the meaning of the status. */
const STATUSES: readonly (readonly [number, OutcomeClass])[] = [
  [401, "credentials"],
  [402, "credentials"],
  [422, "permanent"],
  [429, "throttled"],
  [500, "transient"],
];

const failed = (status: number, code: string) => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: {
    type: `https://developer.vonage.com/api-errors${code}`,
    title: "What is wrong",
    detail: "More of it",
    instance: "bf0ca0bf927b3b52e3cb03217e1a1ddf",
  },
});

const UNCLEAR = ["", "{}", "[]", "null", "<html>", '{"message_uuid":""}', '{"message_uuid":7}'];

testTextVendor({
  kind: vonage,
  settings: SETTINGS,
  secrets: [SETTINGS.apiSecret],
  accept: ACCEPT,
  messageId: UUID,
  path: "/v1/messages",
  request: {
    channel: "sms",
    message_type: "text",
    to: "12025550123",
    from: "Belfry",
    text: SMS.text,
    client_ref: SMS.deliveryId,
  },
  headers: {
    authorization: `Basic ${Buffer.from("abcd1234:s3cr3t-of-the-account").toString("base64")}`,
    "content-type": "application/json",
  },
  variants: [
    [
      { signatureSecret: SECRET },
      { webhook_url: `${PUBLIC_URL}/webhooks/vonage/${SMS.tenantId}`, webhook_version: "v1" },
      { publicUrl: PUBLIC_URL },
    ],
    [{ signatureSecret: SECRET }, {}],
    [{}, {}, { publicUrl: PUBLIC_URL }],
  ],
  errors: [
    ...CODES.map(([code, status, expected]) => {
      const outcome = { class: expected, vendorStatus: code };
      return [code, failed(status, `/messages#${code}`), outcome] as const;
    }),
    ...STATUSES.map(([status, expected]) => {
      const outcome = { class: expected, vendorStatus: String(status) };
      return ["unauthorized", failed(status, "#unauthorized"), outcome] as const;
    }),
    ...UNCLEAR.map((body) => [body, { status: 200, body }, { class: "ambiguous" }] as const),
  ],
  unclear: UNCLEAR,
  wrong: { sender: "A name too long" },
});

test("Vonage: a text of more than 1,000 characters is refused with the reason, before any call", async (t) => {
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

test("Vonage: an application signs each call with its key, a number as sender loses its plus", async (t) => {
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

test("Vonage: a success cut off in its body is ambiguous", async (t) => {
  const { provider } = await start(t, (response) => {
    response.writeHead(202, { ...ACCEPT.headers, "content-length": "99" }).write('{"message_uu');
    setTimeout(() => response.destroy(), 20);
  });
  assert.equal((await provider.send(SMS)).class, "ambiguous");
});

test("Vonage: an empty text is refused before any call; the number is the vendor's to judge", async (t) => {
  const { vendor, provider } = await start(t, { status: 202, body: ACCEPT.body });
  assert.equal((await provider.send({ ...SMS, text: "" })).class, "permanent");
  assert.equal(vendor.connections(), 0);
  assert.equal((await provider.send({ ...SMS, to: "+12" })).class, "accepted");
});

test("Vonage: settings have both parts of one of the two credentials", () => {
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

test("Vonage: the name of a file on the server is not taken for a private key", () => {
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

const NOW = new Date("2026-11-20T12:00:00Z");
const SECONDS = NOW.getTime() / 1000;
const STATUS = {
  message_uuid: UUID,
  client_ref: SMS.deliveryId,
  status: "delivered",
  timestamp: "2026-11-20T11:59:58Z",
};
/** The vendor's documented example. */
const INBOUND = {
  channel: "sms",
  message_uuid: UUID,
  to: "447700900000",
  from: "447700900001",
  timestamp: "2026-11-20T11:59:58Z",
  text: "Please stop calling",
  message_type: "text",
  sms: { num_messages: "1", keyword: "PLEASE" },
  usage: { currency: "EUR", price: "0.0333" },
};
const FORGED = { ok: false, fault: "forged" };

interface Changes {
  /** null leaves a claim out. */
  claims?: Record<string, unknown>;
  secret?: string;
  alg?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Returns a function that reads content as the vendor signs it, but for the changes. */
function readerOf<Held>(reader: WebhookReader<Held>) {
  return async (content: unknown, changes: Changes = {}) => {
    const body = JSON.stringify(content);
    const claims = {
      iss: "Vonage",
      iat: SECONDS,
      jti: randomUUID(),
      api_key: "abcd1234",
      payload_hash: createHash("sha256").update(body).digest("hex"),
      ...changes.claims,
    };
    const given = Object.fromEntries(Object.entries(claims).filter(([, claim]) => claim !== null));
    const token = await new SignJWT(given)
      .setProtectedHeader({ alg: changes.alg ?? "HS256" })
      .sign(new TextEncoder().encode(changes.secret ?? SECRET));
    const headers = changes.headers ?? { authorization: `Bearer ${token}` };
    const request = { headers, body: Buffer.from(changes.body ?? body), url: "" };
    return await readWebhook(reader, request, ["another-account's-secret", SECRET], NOW);
  };
}
const readStatus = readerOf(vonage.receipts!);
const readReply = readerOf(vonage.inbound!);

test("Vonage: each status says what became of its delivery, and a barred number is suppressed", async () => {
  const barred = {
    type: "https://developer.vonage.com/api-errors/messages#1050",
    detail: "barred",
  };
  const cases: [object, string | null, string | null, string | null][] = [
    [{ status: "submitted" }, "accepted", null, null],
    [{ status: "delivered" }, "delivered", null, null],
    [{ status: "read" }, "delivered", null, null],
    [{ status: "undeliverable", error: { error: { title: "1030" } } }, "bounced", null, "1030"],
    [{ status: "rejected", error: barred }, "bounced", "bounced", "1050"],
    [{ status: "rejected", error: { title: 9, detail: "opted out" } }, "bounced", "opted out", "9"],
    [{ status: "undeliverable", error: { type: "https://x#9" } }, "bounced", "opted out", "9"],
    [{ status: "sent by pigeon" }, null, null, null],
    [{ client_ref: "1001" }, null, null, null],
    [{ message_uuid: null }, null, null, null],
  ];
  for (const [change, kind, suppress, code] of cases) {
    const result = await readStatus({ ...STATUS, ...change });
    assert.ok(result.ok, JSON.stringify(change));
    const [receipt] = result.receipts;
    assert.deepEqual(
      [receipt?.kind ?? null, receipt?.suppress ?? null, receipt?.vendorStatus ?? null],
      [kind, suppress, code],
      JSON.stringify(change),
    );
    if (receipt === undefined) continue;
    assert.equal(receipt.deliveryId, SMS.deliveryId);
    const { status } = { ...STATUS, ...change } as { status: string };
    assert.equal(receipt.vendorEvent, `${UUID}:${status}`, "known again, signed anew or copied");
  }
});

test("Vonage: a signed message is its sender's, with numbers as they are written everywhere else", async () => {
  const message = {
    vendorId: UUID,
    sender: "+447700900001",
    recipient: "+447700900000",
    text: "Please stop calling",
  };
  assert.deepEqual(await readReply(INBOUND), { ok: true, message });
  assert.deepEqual(await readReply({ ...INBOUND, from: "ACME" }), {
    ok: true,
    message: { ...message, sender: "ACME" },
  });
});

test("Vonage: what is signed and holds no text of a person is left out, or refused as unreadable", async () => {
  const nothing = { ok: true, message: undefined };
  const unreadable = { ok: false, fault: "unreadable" };
  assert.deepEqual(
    await readReply({ ...INBOUND, text: undefined, message_type: "image" }),
    nothing,
  );
  assert.deepEqual(await readReply({ ...INBOUND, channel: "whatsapp" }), nothing);
  for (const bad of [[], "x", 1, { ...INBOUND, from: null }, { ...INBOUND, message_uuid: 5 }]) {
    assert.deepEqual(await readReply(bad), unreadable);
  }
});

test("Vonage: another secret, issuer, algorithm, body or age, or a missing claim, is forged", async () => {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const unsigned = `Bearer ${encoded({ alg: "none" })}.${encoded({ iss: "Vonage" })}.`;
  const cases: Changes[] = [
    { secret: "somebody-else's-secret-that-is-long" },
    { claims: { iss: "Somebody" } },
    { alg: "HS512" },
    { body: JSON.stringify({ ...STATUS, status: "rejected" }) },
    { claims: { payload_hash: "00" } },
    { claims: { payload_hash: null } },
    { claims: { jti: null } },
    { claims: { iat: null } },
    { claims: { iat: SECONDS - 16 * 60 } },
    { claims: { iat: SECONDS + 16 * 60 } },
    { headers: { authorization: "Bearer nonsense" } },
    { headers: { authorization: `Basic ${SECRET}` } },
    { headers: { authorization: unsigned } },
  ];
  for (const changes of cases) {
    assert.deepEqual(await readStatus(STATUS, changes), FORGED, JSON.stringify(changes));
    assert.deepEqual(await readReply(INBOUND, changes), FORGED, JSON.stringify(changes));
  }
  assert.equal((await readStatus(STATUS, { claims: { iat: SECONDS - 4 * 60 } })).ok, true);
});

test("Vonage: a webhook without a signature is told from a forged one: it is to come again, signed", async () => {
  const unsigned = { ok: false, fault: "unsigned" };
  assert.deepEqual(await readStatus(STATUS, { headers: {} }), unsigned);
  assert.deepEqual(await readReply(INBOUND, { headers: {} }), unsigned);
});
