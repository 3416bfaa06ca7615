import assert from "node:assert/strict";
import { testEmailVendor } from "../test/email-vendor.ts";
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
