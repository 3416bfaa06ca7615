import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { testEmailVendor, testVendorReceipts } from "../test/email-vendor.ts";
import { EMAIL } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { brevo } from "./brevo.ts";
import { basicAuthorization } from "./http-vendor.ts";

const API_KEY = "xkeysib-0123456789abcdef-ABCDEFGH";
const SETTINGS = { apiKey: API_KEY, from: "shop@example.com" };
const ACCEPT = {
  status: 201,
  headers: { "content-type": "application/json" },
  body: '{"messageId":"<201798300811.5787683@relay.domain.com>"}',
};

/** An error in the form of https://developers.brevo.com/reference/sendtransacemail. */
const error = (status: number, code: string, message = "what is wrong") => ({
  status,
  body: { code, message },
});

testEmailVendor({
  kind: brevo,
  settings: SETTINGS,
  secrets: [API_KEY],
  accept: ACCEPT,
  messageId: "<201798300811.5787683@relay.domain.com>",
  path: "/v3/smtp/email",
  named: "The Shop shop@example.com",
  read(call) {
    const mail = JSON.parse(call.body);
    const { sender, to, replyTo, subject, htmlContent, textContent, headers } = mail;
    const of = (list?: { email: string }[]) => list?.map(({ email }) => email);
    const { "X-Mailin-custom": custom, idempotencyKey, ...others } = headers;
    assert.equal(call.headers["api-key"], API_KEY);
    assert.equal(to.length, 1);
    const ids = JSON.parse(custom);
    assert.deepEqual(Object.keys(ids), ["delivery_id", "tenant_id", "event_id"]);
    assert.equal(idempotencyKey, ids.delivery_id);
    return {
      from: sender.name === undefined ? sender.email : `${sender.name} ${sender.email}`,
      to: to[0].email,
      cc: of(mail.cc),
      bcc: of(mail.bcc),
      replyTo: replyTo?.email,
      ...{ subject, html: htmlContent, text: textContent },
      headers: others,
      deliveryId: ids.delivery_id,
    };
  },
  errors: [
    [
      "invalid_parameter",
      error(400, "invalid_parameter", "email is not valid in to"),
      { class: "permanent", vendorStatus: "invalid_parameter" },
    ],
    [
      "invalid_parameter of the sender",
      error(
        400,
        "invalid_parameter",
        "Sending has been rejected because the sender you used is not valid",
      ),
      { class: "credentials" },
    ],
    ["missing_parameter", error(400, "missing_parameter"), { class: "permanent" }],
    ["out_of_range", error(400, "out_of_range"), { class: "permanent" }],
    ["duplicate_parameter", error(400, "duplicate_parameter"), { class: "permanent" }],
    [
      "duplicate_request: this delivery was taken before",
      error(400, "duplicate_request"),
      { class: "accepted", messageId: null },
    ],
    ["account_under_validation", error(400, "account_under_validation"), { class: "credentials" }],
    ["unauthorized", error(401, "unauthorized"), { class: "credentials" }],
    ["not_enough_credits", error(402, "not_enough_credits"), { class: "credentials" }],
    ["account_under_validation", error(402, "account_under_validation"), { class: "credentials" }],
    ["permission_denied", error(403, "permission_denied"), { class: "credentials" }],
    ["document_not_found", error(404, "document_not_found"), { class: "permanent" }],
    ["method_not_allowed", error(405, "method_not_allowed"), { class: "permanent" }],
    ["not_acceptable", error(406, "not_acceptable"), { class: "permanent" }],
    [
      "too many requests",
      { ...error(429, "too_many_requests"), headers: { "x-sib-ratelimit-reset": "17" } },
      { class: "throttled", retryAfterSeconds: 17 },
    ],
    ["an internal error", { status: 500 }, { class: "transient" }],
  ],
});

test("Brevo: in test mode the vendor drops the mail", async (t) => {
  const { vendor, provider } = await providerAtVendor(brevo, SETTINGS)(t, ACCEPT, {
    testMode: true,
  });
  assert.equal((await provider.send(EMAIL)).class, "accepted");
  assert.equal(JSON.parse(vendor.received[0]!.body).headers["X-Sib-Sandbox"], "drop");
});

test("the vendor's template language in a mail is text: nothing of it is replaced", async (t) => {
  const accept = { status: 201, headers: {}, body: '{"messageId":"<a@x>"}' };
  const { vendor, provider } = await providerAtVendor(brevo, SETTINGS)(t, accept);
  const marks = "{{contact.EMAIL}} {% if 1 %} {# x #}";
  await provider.send({ ...EMAIL, subject: marks, html: `<p>${marks}</p>`, text: marks });
  const { subject, htmlContent, textContent } = JSON.parse(vendor.received[0]!.body);
  for (const part of [subject, htmlContent, textContent]) assert.doesNotMatch(part, /\{[{%#]/);
  assert.equal(htmlContent.replaceAll("&#123;", "{"), `<p>${marks}</p>`);
  for (const part of [subject, textContent]) assert.equal(part.replaceAll("\u2060", ""), marks);
});

const KEY = "a-long-random-text";

/** The form of https://developers.brevo.com/docs/transactional-webhooks. */
const event = (what: object, deliveryId: string) => ({
  email: "ann@example.com",
  id: 26224,
  "message-id": "<201803062010.27287306012@smtp-relay.mailin.fr>",
  ts_event: 1_795_089_598,
  ts_epoch: 1_795_089_598_000,
  "X-Mailin-custom": JSON.stringify({ delivery_id: deliveryId }),
  ...what,
});

const request = (body: unknown, key = KEY) => ({
  headers: { authorization: basicAuthorization("belfry", key) },
  body: Buffer.from(JSON.stringify(body)),
  url: "",
});

testVendorReceipts({
  reader: brevo.receipts!,
  key: KEY,
  otherKey: "another-long-random-text",
  request: (what, deliveryId, key) => request(event(what, deliveryId), key),
  bounceOf: (email) => ({ event: "hard_bounce", email }),
  deliveredTo: (email) => ({ event: "delivered", email }),
  cases: [
    [
      { event: "delivered" },
      "delivered",
      null,
      {
        vendorEvent:
          "<201803062010.27287306012@smtp-relay.mailin.fr>:delivered:1795089598000:cdT1X3L6Eo37",
        occurredAt: new Date(1_795_089_598_000),
      },
    ],
    [{ event: "request" }, "accepted"],
    [{ event: "deferred" }, "deferred"],
    [
      { event: "hard_bounce", reason: " 550 5.5.0 mailbox unavailable" },
      "bounced",
      "bounced",
      { reason: "550 5.5.0 mailbox unavailable", vendorStatus: "hard_bounce" },
    ],
    [{ event: "invalid_email" }, "bounced", "bounced"],
    [{ event: "soft_bounce" }, "bounced"],
    [
      { event: "error", ts_epoch: 1_795_089_598 },
      "bounced",
      null,
      { occurredAt: new Date(1_795_089_598_000) },
    ],
    [{ event: "blocked", reason: "blocked : due to blacklist user" }, "bounced"],
    [{ event: "blocked", reason: "blocked : due to unsubscribed user" }, "bounced", "opted out"],
    [{ event: "spam" }, "complained", "complained"],
    [{ event: "complaint" }, "complained", "complained"],
    [{ event: "unsubscribed" }, "opted out", "opted out"],
    [{ event: "unsubscribe" }, "opted out", "opted out"],
    ...["opened", "unique_opened", "proxy_open", "click", "list_addition", "constructor"].map(
      (name) => [{ event: name }, null] as const,
    ),
  ],
});

test("brevo: a batch is read event by event", async () => {
  const ids = [randomUUID(), randomUUID()];
  const body = ids.map((id) => event({ event: "delivered" }, id));
  const read = await readWebhook(brevo.receipts!, request(body), [KEY], new Date());
  assert.deepEqual(read.ok && read.receipts.map(({ deliveryId }) => deliveryId), ids);
});
