import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { startVendor } from "../test/loopback-vendor.ts";
import { EMAIL, LIST_EMAIL, testDeps } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { sendgrid } from "./sendgrid.ts";
import { checkSettings } from "./settings.ts";

const API_KEY = "SG.abcdefghijklmnop.0123456789";
const SETTINGS = {
  apiKey: API_KEY,
  from: "shop@example.com",
  fromName: "The Shop",
  replyTo: "help@example.com",
};
const ACCEPT = { status: 202, headers: { "x-message-id": "14c5d75ce93.dfd.64b469" }, body: "" };

const start = providerAtVendor(sendgrid, SETTINGS);

testHttpPromises({
  kind: sendgrid,
  settings: SETTINGS,
  message: EMAIL,
  secrets: [API_KEY],
  accept: ACCEPT,
});

test("a message is the vendor's documented request, field by field", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  assert.deepEqual(await provider.send(EMAIL), {
    class: "accepted",
    reason: "SendGrid accepted the message",
    messageId: "14c5d75ce93.dfd.64b469",
    vendorStatus: "202",
    vendorAnswer: null,
    retryAfterSeconds: null,
  });
  const [call] = vendor.received;
  assertHas(call, { method: "POST", path: "/v3/mail/send" });
  const { host: _host, "user-agent": _agent, "content-length": length, ...headers } = call!.headers;
  assert.deepEqual(headers, {
    accept: "application/json",
    authorization: `Bearer ${API_KEY}`,
    connection: "keep-alive",
    "content-type": "application/json",
  });
  assert.equal(Number(length), Buffer.byteLength(call!.body));
  assert.deepEqual(JSON.parse(call!.body), {
    personalizations: [
      {
        to: [{ email: "ann@example.com" }],
        custom_args: {
          delivery_id: EMAIL.deliveryId,
          tenant_id: EMAIL.tenantId,
          event_id: EMAIL.eventId,
        },
      },
    ],
    from: { email: "shop@example.com", name: "The Shop" },
    reply_to: { email: "help@example.com" },
    subject: EMAIL.subject,
    headers: { "Auto-Submitted": "auto-generated" },
    content: [
      { type: "text/plain", value: EMAIL.text },
      { type: "text/html", value: EMAIL.html },
    ],
  });
});

test("a mail that can be unsubscribed from has its three headers, and the vendor adds none", async (t) => {
  const { vendor, provider } = await start(t, { status: 202 });
  await provider.send(LIST_EMAIL);
  const body = JSON.parse(vendor.received[0]!.body);
  assert.deepEqual(body.headers, {
    "Auto-Submitted": "auto-generated",
    "List-Unsubscribe": `<${LIST_EMAIL.headers!.listUnsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": "<offers.acme.mail.example.com>",
  });
  assert.deepEqual(body.tracking_settings, { subscription_tracking: { enable: false } });
  assert.equal(body.personalizations[0].headers, undefined);
  assert.equal(vendor.received[0]!.headers["list-unsubscribe"], undefined, "of the mail alone");
});

test("what is not set is not sent: no name, no reply address, no empty part", async (t) => {
  const vendor = await startVendor(t, (response) => response.writeHead(202).end());
  const settings = { apiKey: API_KEY, from: "shop@example.com", baseUrl: `${vendor.url}/proxy/` };
  const provider = sendgrid.create(settings, testDeps());
  t.after(() => provider.close());
  const outcome = await provider.send({ ...EMAIL, html: "" });
  assert.equal(outcome.class, "accepted");
  assert.equal(outcome.messageId, null, "the header is absent");
  assert.equal(vendor.received[0]!.path, "/proxy/v3/mail/send");
  const body = JSON.parse(vendor.received[0]!.body);
  assert.deepEqual(body.from, { email: "shop@example.com" });
  assert.deepEqual(Object.keys(body).sort(), [
    "content",
    "from",
    "headers",
    "personalizations",
    "subject",
  ]);
  assert.deepEqual(body.content, [{ type: "text/plain", value: EMAIL.text }]);
});

test("what a mail says of itself goes before the settings, and its copies are in its one call", async (t) => {
  const { vendor, provider } = await start(t, { status: 202 });
  await provider.send({
    ...EMAIL,
    ...{ fromName: "Ann", replyTo: "ann@bücher.example" },
    ...{ cc: ["c@example.com", "a..b@example.com"], bcc: ["b@example.com"] },
  });
  const { from, reply_to, personalizations } = JSON.parse(vendor.received[0]!.body);
  assert.deepEqual(from, { email: "shop@example.com", name: "Ann" });
  assert.deepEqual(reply_to, { email: "ann@xn--bcher-kva.example" });
  assert.equal(personalizations.length, 1);
  assertHas(personalizations[0], {
    to: [{ email: "ann@example.com" }],
    cc: [{ email: "c@example.com" }, { email: '"a..b"@example.com' }],
    bcc: [{ email: "b@example.com" }],
  });
});

test("a name or address of a mail that could inject a header is refused before any call", async (t) => {
  const { vendor, provider } = await start(t, { status: 202 });
  for (const one of [...BAD_ADDRESSES, ""]) {
    for (const change of [{ replyTo: one }, { cc: ["c@example.com", one] }, { bcc: [one] }]) {
      assert.equal((await provider.send({ ...EMAIL, ...change })).class, "permanent", one);
    }
  }
  for (const fromName of ["a\r\nBcc: evil@x.io", "a\u0000", "a\u2028b", " "]) {
    assert.equal((await provider.send({ ...EMAIL, fromName })).class, "permanent", fromName);
  }
  assert.equal(vendor.connections(), 0);
});

test("an address at an international domain is sent as the DNS has it", async (t) => {
  const from = "laden@bücher.example";
  const { vendor, provider } = await start(t, { status: 202 }, { from });
  await provider.send({ ...EMAIL, to: "ann@παράδειγμα.example" });
  const body = JSON.parse(vendor.received[0]!.body);
  assert.equal(body.from.email, "laden@xn--bcher-kva.example");
  assert.deepEqual(body.personalizations[0].to, [{ email: "ann@xn--hxajbheg2az3al.example" }]);
});

test("braces in a message are text, not the SDK's substitutions", async (t) => {
  const { vendor, provider } = await start(t, { status: 202 });
  await provider.send({ ...EMAIL, subject: "{{x}} -y-", text: "{{delivery_id}}" });
  const body = JSON.parse(vendor.received[0]!.body);
  assert.equal(body.subject, "{{x}} -y-");
  assert.equal(body.content[0].value, "{{delivery_id}}");
});

const DOCUMENTED: readonly (readonly [number, OutcomeClass])[] = [
  [400, "permanent"],
  [401, "credentials"],
  [403, "credentials"],
  [404, "permanent"],
  [405, "permanent"],
  [413, "permanent"],
  [415, "permanent"],
  [429, "throttled"],
  [500, "transient"],
  [502, "transient"],
  [503, "transient"],
  [504, "transient"],
];
for (const [status, expected] of DOCUMENTED) {
  test(`the vendor's ${status} is ${expected}, its errors kept`, async (t) => {
    const errors = { errors: [{ message: "what is wrong", field: "subject", help: null }] };
    const { provider } = await start(t, {
      status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(errors),
    });
    const outcome = await provider.send(EMAIL);
    assertHas(outcome, { class: expected, vendorStatus: String(status) });
    assert.deepEqual(JSON.parse(outcome.vendorAnswer!), errors);
    assert.ok(!outcome.reason.includes("@"));
  });
}

test("a fault of the sender's address is the account's, not the message's", async (t) => {
  const errors = [{ message: "The from email is no valid address.", field: "from.email" }];
  const { provider } = await start(t, { status: 400, body: JSON.stringify({ errors }) });
  assert.equal((await provider.send(EMAIL)).class, "credentials");
});

test("an address with odd dots stands in quotes; one that the vendor refuses fails with its words", async (t) => {
  const refusal = { errors: [{ message: "Does not contain a valid address.", field: "to" }] };
  const { vendor, provider } = await start(t, (response) => {
    const isLast = vendor.received.length === 2;
    if (isLast) response.writeHead(400).end(JSON.stringify(refusal));
    else response.writeHead(202).end();
  });
  const addressed = (at: number) => JSON.parse(vendor.received[at]!.body).personalizations[0].to;
  assert.equal((await provider.send({ ...EMAIL, to: "a..b@docomo.ne.jp" })).class, "accepted");
  assert.deepEqual(addressed(0), [{ email: '"a..b"@docomo.ne.jp' }]);
  const outcome = await provider.send({ ...EMAIL, to: "jörg@bücher.example" });
  assert.deepEqual(addressed(1), [{ email: "jörg@xn--bcher-kva.example" }]);
  assert.equal(outcome.class, "permanent");
  assert.deepEqual(JSON.parse(outcome.vendorAnswer!), refusal);
});

test("an address or subject that could inject a header is refused before any call", async (t) => {
  const { vendor, provider } = await start(t, { status: 202 });
  for (const to of [...BAD_ADDRESSES, ""]) {
    assert.equal((await provider.send({ ...EMAIL, to })).class, "permanent", JSON.stringify(to));
  }
  for (const subject of ["a\r\nBcc: evil@x.io", "a\nb", "a\u0000", "a\u2028b", "a\u0085b"]) {
    assert.equal((await provider.send({ ...EMAIL, subject })).class, "permanent");
  }
  assert.equal(vendor.connections(), 0);
});

test("a key of another form is taken without a word on the console", (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  sendgrid.create({ ...SETTINGS, apiKey: "not-of-the-usual-form" }, testDeps());
  assert.equal(warn.mock.callCount(), 0);
});

test("each fault of the settings names its field and repeats no value", () => {
  const faults = checkSettings(sendgrid, {
    apiKey: "a b",
    from: "Shop <shop@example.com>",
    fromName: "Shop\r\nBcc: evil@x.io",
    replyTo: 7,
    subuser: "x",
  });
  assert.deepEqual(faults.sort(), [
    "apiKey: must be printable ASCII without spaces",
    "from: must be an email address",
    "fromName: must be one line without control characters",
    "replyTo: must be an email address",
    "subuser: is not a setting of this provider",
  ]);
  assert.deepEqual(checkSettings(sendgrid, { from: "a@b.io" }), ["apiKey: is missing"]);
  assert.deepEqual(checkSettings(sendgrid, SETTINGS), []);
  assert.deepEqual(checkSettings(sendgrid, { ...SETTINGS, baseUrl: "http://api.sendgrid.com" }), [
    "baseUrl: must begin with https://",
  ]);
});
