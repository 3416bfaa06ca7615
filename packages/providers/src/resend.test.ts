import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { Webhook } from "standardwebhooks";
import { testEmailVendor, testVendorReceipts } from "../test/email-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { resend } from "./resend.ts";

const API_KEY = "re_0123456789abcdefghijkl";

/** An error in the form of https://resend.com/docs/api-reference/errors. */
const error = (statusCode: number, name: string, message = "what is wrong") => ({
  status: statusCode,
  body: { statusCode, name, message },
});

testEmailVendor({
  kind: resend,
  settings: { apiKey: API_KEY, from: "shop@example.com" },
  secrets: [API_KEY],
  accept: {
    status: 200,
    headers: { "content-type": "application/json" },
    body: '{"id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}',
  },
  messageId: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794",
  path: "/emails",
  named: '"The Shop" <shop@example.com>',
  read(call) {
    const { from, to, cc, bcc, reply_to, subject, html, text, headers, tags } = JSON.parse(
      call.body,
    );
    assert.equal(call.headers.authorization, `Bearer ${API_KEY}`);
    const ids = Object.fromEntries(
      tags.map((tag: Record<string, string>) => {
        // The vendor takes nothing else in them.
        assert.match(`${tag.name}${tag.value}`, /^[A-Za-z0-9_-]+$/);
        return [tag.name, tag.value];
      }),
    );
    const { copies, ...own } = ids;
    // Receipts of copies can only be told apart by this tag.
    assert.equal(copies, cc || bcc ? "4" : undefined);
    assert.deepEqual(Object.keys(own), ["delivery_id", "tenant_id", "event_id"]);
    assert.equal(call.headers["idempotency-key"], ids.delivery_id);
    assert.equal(to.length, 1);
    return {
      ...{ from, to: to[0], cc, bcc, replyTo: reply_to?.[0], subject, html, text, headers },
      deliveryId: ids.delivery_id,
    };
  },
  errors: [
    ["invalid_idempotency_key", error(400, "invalid_idempotency_key"), { class: "permanent" }],
    ["validation_error", error(400, "validation_error"), { class: "permanent" }],
    [
      "validation_error of the key",
      error(400, "validation_error", "API key is invalid"),
      { class: "credentials", vendorStatus: "validation_error" },
    ],
    ["missing_api_key", error(401, "missing_api_key"), { class: "credentials" }],
    ["restricted_api_key", error(401, "restricted_api_key"), { class: "credentials" }],
    ["invalid_api_key", error(403, "invalid_api_key"), { class: "credentials" }],
    [
      "validation_error of a domain",
      error(403, "validation_error", "The example.com domain is not verified."),
      { class: "credentials" },
    ],
    [
      "validation_error of an account without a domain",
      error(403, "validation_error", "You can only send testing emails to your own email address"),
      { class: "credentials", ofOneMessage: true },
    ],
    ["not_found", error(404, "not_found"), { class: "permanent" }],
    ["method_not_allowed", error(405, "method_not_allowed"), { class: "permanent" }],
    [
      "for a key with another content: it was sent",
      error(409, "invalid_idempotent_request"),
      { class: "accepted", vendorStatus: "409", messageId: null },
    ],
    [
      "while the first try is in hand",
      error(409, "concurrent_idempotent_requests"),
      { class: "deferred" },
    ],
    ["invalid_attachment", error(422, "invalid_attachment"), { class: "permanent" }],
    ["invalid_from_address", error(422, "invalid_from_address"), { class: "credentials" }],
    ["invalid_access", error(422, "invalid_access"), { class: "permanent" }],
    ["invalid_parameter", error(422, "invalid_parameter"), { class: "permanent" }],
    ["missing_required_field", error(422, "missing_required_field"), { class: "permanent" }],
    [
      "rate_limit_exceeded",
      { ...error(429, "rate_limit_exceeded"), headers: { "retry-after": "3" } },
      { class: "throttled", retryAfterSeconds: 3 },
    ],
    [
      "rate_limit_exceeded that tells the reset alone",
      { ...error(429, "rate_limit_exceeded"), headers: { "ratelimit-reset": "2" } },
      { class: "throttled", retryAfterSeconds: 2 },
    ],
    [
      "daily_quota_exceeded",
      error(429, "daily_quota_exceeded"),
      { class: "credentials", ofOneMessage: true },
    ],
    [
      "monthly_quota_exceeded",
      error(429, "monthly_quota_exceeded"),
      { class: "credentials", ofOneMessage: true },
    ],
    ["security_error", error(451, "security_error"), { class: "policy" }],
    ["application_error", error(500, "application_error"), { class: "transient" }],
    ["internal_server_error", error(500, "internal_server_error"), { class: "transient" }],
  ],
});

const KEY = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;

const event = (type: string, data: object = {}) => ({ type, data });

testVendorReceipts({
  reader: resend.receipts!,
  key: KEY,
  otherKey: `whsec_${Buffer.alloc(24, 2).toString("base64")}`,
  request(what, deliveryId, key, at) {
    const { type, data } = what as ReturnType<typeof event>;
    // The form of https://resend.com/docs/webhooks/emails/delivered, signed by the standard's own library.
    const body = JSON.stringify({
      type,
      created_at: "2026-11-20T11:59:58.000Z",
      data: {
        email_id: "56761188-7520-42d8-8898-ff6fc54ce618",
        to: ["ann@example.com"],
        tags: { delivery_id: deliveryId },
        ...data,
      },
    });
    const id = "msg_2mP6qGyZ";
    return {
      headers: {
        "svix-id": id,
        "svix-timestamp": String(at.getTime() / 1000),
        "svix-signature": `v1,AAAA ${new Webhook(key).sign(id, at, body)}`,
      },
      body: Buffer.from(body),
      url: "",
    };
  },
  tamper: (request) => ({
    ...request,
    body: Buffer.from(request.body.toString().replace("delivered", "bounced")),
  }),
  oldest: 300,
  furthestAhead: 300,
  cases: [
    [
      event("email.delivered"),
      "delivered",
      null,
      { vendorEvent: "msg_2mP6qGyZ", occurredAt: new Date("2026-11-20T11:59:58Z") },
    ],
    [event("email.sent"), "accepted"],
    [event("email.delivery_delayed"), "deferred"],
    [
      event("email.bounced", {
        bounce: { message: "No such user", type: "Permanent", subType: "General" },
      }),
      "bounced",
      "bounced",
      { reason: "No such user", vendorStatus: "Permanent" },
    ],
    [event("email.bounced", { bounce: { message: "hard bounce" } }), "bounced", "bounced"],
    [event("email.bounced", { bounce: { type: "Transient" } }), "bounced"],
    // An out-of-office notice.
    [event("email.bounced", { bounce: { type: "Transient", subType: "General" } }), null],
    [
      event("email.bounced", {
        bounce: { type: "Transient", subType: "General", diagnosticCode: ["smtp; 421 4.4.7"] },
      }),
      "bounced",
    ],
    [event("email.bounced", { bounce: { type: "Undetermined" } }), "bounced"],
    [
      event("email.suppressed", { suppressed: { type: "OnAccountSuppressionList" } }),
      "bounced",
      "bounced",
    ],
    [
      event("email.failed", { failed: { reason: "reached_daily_quota" } }),
      "bounced",
      null,
      { reason: "reached_daily_quota" },
    ],
    [event("email.complained"), "complained", "complained"],
    [event("email.opened"), null],
    [event("email.clicked"), null],
    [event("contact.created"), null],
    [event("constructor"), null],
  ],
});

test("resend: of a mail with copies no receipt says whose it is, but that the vendor has the mail", async () => {
  const at = new Date("2026-11-20T12:00:00Z");
  const deliveryId = randomUUID();
  const read = async (type: string, tags: object) => {
    const data = { tags: { delivery_id: deliveryId, ...tags } };
    const body = JSON.stringify({ type, created_at: at.toISOString(), data });
    const headers = {
      "svix-id": "msg_1",
      "svix-timestamp": String(at.getTime() / 1000),
      "svix-signature": new Webhook(KEY).sign("msg_1", at, body),
    };
    const found = await readWebhook(
      resend.receipts!,
      { headers, body: Buffer.from(body), url: "" },
      [KEY],
      at,
    );
    assert.ok(found.ok);
    return found.receipts.map(({ kind, address, suppress }) => [kind, address, suppress]);
  };
  assert.deepEqual(await read("email.bounced", { copies: "2" }), [["bounced", "", null]]);
  assert.deepEqual(await read("email.complained", { copies: "2" }), [["complained", "", null]]);
  assert.deepEqual(await read("email.delivered", { copies: "2" }), [["delivered", "", null]]);
  assert.deepEqual(await read("email.sent", { copies: "2" }), [["accepted", null, null]]);
  assert.deepEqual(await read("email.bounced", {}), [["bounced", null, "bounced"]]);
});
