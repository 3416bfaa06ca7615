import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import test from "node:test";
import { testEmailVendor, testVendorReceipts } from "../test/email-vendor.ts";
import { EMAIL, LIST_EMAIL, testDeps } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { sendgrid } from "./sendgrid.ts";
import { checkSettings } from "./settings.ts";

const API_KEY = "SG.abcdefghijklmnop.0123456789";
const SETTINGS = { apiKey: API_KEY, from: "shop@example.com" };
const ACCEPT = { status: 202, headers: { "x-message-id": "14c5d75ce93.dfd.64b469" }, body: "" };

const start = providerAtVendor(sendgrid, SETTINGS);

const error = (status: number, message = "what is wrong", field = "subject") => ({
  status,
  headers: { "content-type": "application/json" },
  body: { errors: [{ message, field, help: null }] },
});

interface Address {
  email: string;
  name?: string;
}

testEmailVendor({
  kind: sendgrid,
  settings: SETTINGS,
  secrets: [API_KEY],
  accept: ACCEPT,
  messageId: "14c5d75ce93.dfd.64b469",
  path: "/v3/mail/send",
  named: "The Shop shop@example.com",
  read(call) {
    const {
      host,
      connection,
      "user-agent": agent,
      "content-length": length,
      ...fields
    } = call.headers;
    assert.deepEqual(fields, {
      accept: "application/json",
      authorization: `Bearer ${API_KEY}`,
      "content-type": "application/json",
    });
    assert.equal(Number(length), Buffer.byteLength(call.body));
    const { personalizations, from, reply_to, subject, headers, content, ...others } = JSON.parse(
      call.body,
    );
    // The vendor would add its own List-Unsubscribe.
    const isList = headers["List-Id"] !== undefined;
    const expected = { tracking_settings: { subscription_tracking: { enable: false } } };
    assert.deepEqual(others, isList ? expected : {});
    assert.equal(personalizations.length, 1);
    const { to, cc, bcc, custom_args: ids, ...more } = personalizations[0];
    assert.deepEqual(more, {});
    assert.equal(to.length, 1);
    assert.deepEqual(Object.keys(ids), ["delivery_id", "tenant_id", "event_id"]);
    const types = content.map(({ type }: { type: string }) => type);
    // Plain text stands first.
    assert.deepEqual(types, types.toSorted().reverse());
    const part = (type: string) => content[types.indexOf(type)]?.value;
    const of = (list?: Address[]) => list?.map(({ email }) => email);
    return {
      from: [from.name ?? [], from.email].flat().join(" "),
      to: to[0].email,
      cc: of(cc),
      bcc: of(bcc),
      replyTo: reply_to?.email,
      subject,
      html: part("text/html"),
      text: part("text/plain"),
      headers,
      deliveryId: ids.delivery_id,
    };
  },
  errors: [
    ...[400, 404, 405, 413, 415].map(
      (status) => ["", error(status), { class: "permanent" }] as const,
    ),
    ["", error(401), { class: "credentials", vendorStatus: "401" }],
    ["", error(403), { class: "credentials", vendorStatus: "403" }],
    ["", error(429), { class: "throttled", vendorStatus: "429" }],
    ...[500, 502, 503, 504].map((status) => ["", error(status), { class: "transient" }] as const),
    // The sender's address is the account's, not the message's.
    ["of the sender", error(400, "No valid address.", "from.email"), { class: "credentials" }],
    ["of the recipient", error(400, "No valid address.", "to"), { class: "permanent" }],
    ["without an id", { status: 202 }, { class: "accepted", messageId: null }],
  ],
});

test("SendGrid: braces in a message are text, not the SDK's substitutions", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  await provider.send({ ...EMAIL, subject: "{{x}} -y-", text: "{{delivery_id}}" });
  const body = JSON.parse(vendor.received[0]!.body);
  assert.equal(body.subject, "{{x}} -y-");
  assert.equal(body.content[0].value, "{{delivery_id}}");
});

test("SendGrid: an address with a name that is not ASCII is sent as it is", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  await provider.send({ ...EMAIL, to: "jörg@bücher.example" });
  const { personalizations } = JSON.parse(vendor.received[0]!.body);
  assert.deepEqual(personalizations[0].to, [{ email: "jörg@xn--bcher-kva.example" }]);
});

test("SendGrid: the header fields of a mail are no header fields of the call", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  await provider.send(LIST_EMAIL);
  assert.equal(vendor.received[0]!.headers["list-unsubscribe"], undefined);
});

test("SendGrid: a key of another form is taken without a word on the console", (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  sendgrid.create({ ...SETTINGS, apiKey: "not-of-the-usual-form" }, testDeps());
  assert.equal(warn.mock.callCount(), 0);
});

test("SendGrid: each fault of the settings names its field and repeats no value", () => {
  assert.deepEqual(checkSettings(sendgrid, { ...SETTINGS, replyTo: 7 }), [
    "replyTo: must be an email address",
  ]);
  assert.deepEqual(checkSettings(sendgrid, { from: "a@b.io" }), ["apiKey: is missing"]);
  assert.deepEqual(checkSettings(sendgrid, { ...SETTINGS, baseUrl: "http://api.sendgrid.com" }), [
    "baseUrl: must begin with https://",
  ]);
});

const privateKeys = new Map<string, KeyObject>();
function newKey(): string {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  privateKeys.set(key, privateKey);
  return key;
}
const KEY = newKey();

/** Returns the request as the vendor signs it. */
function signed(body: string, key: string, at: Date) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = sign("sha256", Buffer.from(timestamp + body), privateKeys.get(key)!);
  return requestOf({ body, timestamp, signature: signature.toString("base64") });
}

function requestOf(parts: { body: string; timestamp: string; signature: string }) {
  const headers = {
    "x-twilio-email-event-webhook-signature": parts.signature,
    "x-twilio-email-event-webhook-timestamp": parts.timestamp,
  };
  return { headers, body: Buffer.from(parts.body), url: "" };
}

testVendorReceipts({
  reader: sendgrid.receipts!,
  key: KEY,
  otherKey: newKey(),
  request(what, delivery_id, key, at) {
    const event = { email: "ann@example.com", delivery_id, sg_event_id: "e1", ...what };
    const other = { ...event, delivery_id: "1001", sg_event_id: "e2" };
    return signed(`${JSON.stringify([event, other, null])}\r\n`, key, at);
  },
  tamper: (request) => ({
    ...request,
    body: Buffer.from(request.body.toString().replace("delivered", "bounced")),
  }),
  oldest: 86_400,
  furthestAhead: 900,
  bounceOf: (email) => ({ event: "bounce", type: "bounce", email }),
  cases: [
    [
      { event: "delivered", timestamp: 1600112492 },
      "delivered",
      null,
      { vendorEvent: "e1", occurredAt: new Date(1600112492_000) },
    ],
    [{ event: "processed" }, "accepted"],
    [{ event: "deferred", response: "busy" }, "deferred", null, { reason: "busy" }],
    [
      { event: "bounce", type: "bounce", reason: "550 no such user", status: "5.1.1" },
      "bounced",
      "bounced",
      { reason: "550 no such user", vendorStatus: "5.1.1" },
    ],
    [{ event: "bounce", type: "blocked" }, "bounced"],
    [{ event: "dropped", reason: "Bounced Address" }, "bounced", "bounced"],
    [{ event: "dropped", reason: "Unsubscribed Address" }, "bounced", "opted out"],
    [{ event: "dropped", reason: "Spam Reporting Address" }, "bounced", "complained"],
    [{ event: "dropped", reason: "Spam Content" }, "bounced"],
    [{ event: "spamreport" }, "complained", "complained"],
    [{ event: "unsubscribe" }, "opted out", "opted out"],
    [{ event: "group_unsubscribe" }, "opted out"],
    [{ event: "delivered", email: 7 }, "delivered", null, { address: null }],
    ...["open", "constructor", 7].map((event) => [{ event }, null] as const),
  ],
});

test("SendGrid: a signed body that is no list of events is unreadable", async () => {
  const at = new Date();
  for (const body of ["{}", "[", ""]) {
    const read = await readWebhook(sendgrid.receipts!, signed(body, KEY, at), [KEY], at);
    assert.deepEqual(read, { ok: false, fault: "unreadable" });
  }
});

/** The vendor's own published example: key, signature, timestamp and body. */
const PUBLISHED = {
  key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==",
  signature:
    "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
  timestamp: "1600112502",
  body: `${JSON.stringify([
    {
      email: "hello@world.com",
      event: "dropped",
      reason: "Bounced Address",
      sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
      sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
      "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
      timestamp: 1600112492,
    },
  ])}\r\n`,
};

const OTHER_KEY =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==";

const FORGED = { ok: false, fault: "forged" } as const;
const readPublished = (changes: Partial<typeof PUBLISHED> = {}, keys = [PUBLISHED.key]) =>
  readWebhook(
    sendgrid.receipts!,
    requestOf({ ...PUBLISHED, ...changes }),
    keys,
    new Date(1600112502_000),
  );

test("SendGrid: the published example is taken, with its last line end; mail that is not ours is left out", async () => {
  assert.deepEqual(await readPublished(), { ok: true, receipts: [] });
  assert.deepEqual(await readPublished({}, [OTHER_KEY, PUBLISHED.key]), { ok: true, receipts: [] });
});

test("SendGrid: a changed body, signature, timestamp or another key is forged", async () => {
  const { body, signature } = PUBLISHED;
  for (const changed of [
    { body: body.trimEnd() },
    { body: body.replace("dropped", "bounced") },
    { signature: signature.replace("lRZ", "lRY").replace("MEUCIGH", "MEUCIGI") },
    { signature: "" },
    { signature: "AAAA" },
    { timestamp: "1600112503" },
    { timestamp: "" },
  ]) {
    assert.deepEqual(await readPublished(changed), FORGED, JSON.stringify(changed));
  }
  assert.deepEqual(await readPublished({}, [OTHER_KEY]), FORGED);
  assert.deepEqual(await readPublished({}, ["nonsense"]), FORGED);
});
