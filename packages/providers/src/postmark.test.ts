import assert from "node:assert/strict";
import { testEmailVendor, testVendorReceipts } from "../test/email-vendor.ts";
import { basicAuthorization } from "./http-vendor.ts";
import { postmark } from "./postmark.ts";

const TOKEN = "a1b2c3d4-0000-4000-8000-123456789abc";

/** An error in the form of https://postmarkapp.com/developer/api/overview#error-codes. */
const error = (ErrorCode: number, Message = "what is wrong", status = 422) => ({
  status,
  body: { ErrorCode, Message },
});

testEmailVendor({
  kind: postmark,
  settings: { serverToken: TOKEN, from: "shop@example.com" },
  secrets: [TOKEN],
  accept: {
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      To: "ann@example.com",
      SubmittedAt: "2026-11-20T12:00:00.0000000Z",
      MessageID: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
      ErrorCode: 0,
      Message: "OK",
    }),
  },
  messageId: "0a129aee-e1cd-480d-b08d-4f48548ff48d",
  path: "/email",
  named: '"The Shop" <shop@example.com>',
  read(call) {
    const mail = JSON.parse(call.body);
    assert.equal(call.headers["x-postmark-server-token"], TOKEN);
    assert.equal(call.headers.accept, "application/json");
    assert.equal(mail.MessageStream, "outbound");
    assert.deepEqual(Object.keys(mail.Metadata), ["delivery_id", "tenant_id", "event_id"]);
    // The vendor's bounds of a field's name and value.
    for (const [name, value] of Object.entries<string>(mail.Metadata)) {
      assert.ok(name.length <= 20 && value.length <= 80);
    }
    return {
      from: mail.From,
      to: mail.To,
      cc: mail.Cc?.split(", "),
      bcc: mail.Bcc?.split(", "),
      replyTo: mail.ReplyTo,
      subject: mail.Subject,
      html: mail.HtmlBody,
      text: mail.TextBody,
      headers: Object.fromEntries(
        mail.Headers.map(({ Name, Value }: Record<string, string>) => [Name, Value]),
      ),
      deliveryId: mail.Metadata.delivery_id,
    };
  },
  errors: [
    [
      "10, a bad token",
      error(10, "Bad or missing API token.", 401),
      { class: "credentials", vendorStatus: "10" },
    ],
    ["100, maintenance", error(100, "Maintenance", 503), { class: "transient" }],
    ["300, a bad request", error(300), { class: "permanent" }],
    [
      "300 of the recipient",
      error(300, "Error parsing 'To': Illegal email domain."),
      { class: "permanent" },
    ],
    ["300 of the sender", error(300, "Invalid 'From' address: 'x'."), { class: "credentials" }],
    ["400, an unknown sender", error(400), { class: "credentials" }],
    ["401, an unconfirmed sender", error(401), { class: "credentials" }],
    ["402, invalid JSON", error(402), { class: "permanent" }],
    ["403, incompatible JSON", error(403), { class: "permanent" }],
    ["405, out of credits", error(405), { class: "credentials" }],
    [
      "406, an inactive recipient",
      error(406),
      { class: "permanent", suppress: "bounced", vendorStatus: "406" },
    ],
    ["409, JSON required", error(409), { class: "permanent" }],
    ["411, a forbidden attachment", error(411), { class: "permanent" }],
    [
      "412, an account that is pending",
      error(412),
      { class: "credentials", ofOneMessage: true, vendorStatus: "412" },
    ],
    ["413, an account that may not send", error(413), { class: "credentials" }],
    ["1235, an unknown stream", error(1235), { class: "credentials" }],
    ["413, too large", { status: 413 }, { class: "permanent" }],
    [
      "429, too fast",
      { status: 429, headers: { "retry-after": "5" } },
      { class: "throttled", retryAfterSeconds: 5 },
    ],
    ["500, an internal error", { status: 500 }, { class: "transient" }],
    ["503, unavailable", { status: 503 }, { class: "transient" }],
  ],
});

const MESSAGE_ID = "883953f4-6105-42a2-a16a-77a8eac79483";

const bounce = (Type: string, more: object = {}) => ({
  RecordType: "Bounce",
  ID: 42,
  Type,
  BouncedAt: "2026-11-20T11:59:58.2735393Z",
  ...more,
});
const change = (more: object) => ({
  RecordType: "SubscriptionChange",
  ChangedAt: "2026-11-20T11:59:58Z",
  Origin: "Recipient",
  SuppressSending: true,
  SuppressionReason: "ManualSuppression",
  ...more,
});

testVendorReceipts({
  reader: postmark.receipts!,
  key: "a-long-random-text:with-a-colon",
  otherKey: "another-long-random-text",
  request: (what, deliveryId, key) => ({
    headers: { authorization: basicAuthorization("belfry", key) },
    // The form of https://postmarkapp.com/developer/webhooks/delivery-webhook and …/bounce-webhook.
    body: Buffer.from(
      JSON.stringify({
        MessageID: MESSAGE_ID,
        ServerID: 23,
        MessageStream: "outbound",
        Metadata: { delivery_id: deliveryId },
        ...what,
      }),
    ),
    url: "",
  }),
  bounceOf: (Email) => bounce("HardBounce", { Email }),
  deliveredTo: (Recipient) => ({ RecordType: "Delivery", Recipient }),
  cases: [
    [
      {
        RecordType: "Delivery",
        DeliveredAt: "2026-11-20T11:59:58.2735393-04:00",
        Details: "250 OK",
      },
      "delivered",
      null,
      {
        vendorEvent: `Delivery:${MESSAGE_ID}:`,
        occurredAt: new Date("2026-11-20T15:59:58.273Z"),
        reason: "250 OK",
      },
    ],
    [
      bounce("HardBounce", { Details: "smtp;550 5.1.1 no such user" }),
      "bounced",
      "bounced",
      {
        vendorEvent: "Bounce:42",
        reason: "smtp;550 5.1.1 no such user",
        vendorStatus: "HardBounce",
        occurredAt: new Date("2026-11-20T11:59:58.273Z"),
      },
    ],
    [bounce("BadEmailAddress"), "bounced", "bounced"],
    [bounce("Transient"), "deferred"],
    [bounce("DnsError"), "deferred"],
    ...["SoftBounce", "SpamNotification", "VirusNotification", "ManuallyDeactivated"].map(
      (type) => [bounce(type), "bounced"] as const,
    ),
    ...["Unconfirmed", "Blocked", "SMTPApiError", "DMARCPolicy"].map(
      (type) => [bounce(type), "bounced"] as const,
    ),
    [bounce("Unsubscribe"), "opted out", "opted out"],
    [bounce("SpamComplaint"), "complained", "complained"],
    ...["Subscribe", "AutoResponder", "AddressChange", "OpenRelayTest", "Unknown"].map(
      (type) => [bounce(type), null] as const,
    ),
    [bounce("ChallengeVerification"), null],
    [bounce("constructor"), null],
    [
      { RecordType: "SpamComplaint", ID: 7, Type: "SpamComplaint" },
      "complained",
      "complained",
      { vendorEvent: "SpamComplaint:7" },
    ],
    [
      change({}),
      "opted out",
      "opted out",
      { vendorEvent: `SubscriptionChange:${MESSAGE_ID}:2026-11-20T11:59:58Z` },
    ],
    [change({ Origin: "Customer" }), null],
    [change({ SuppressionReason: "HardBounce" }), null],
    [change({ SuppressSending: false, SuppressionReason: null }), null],
    [{ RecordType: "Open" }, null],
    [{ RecordType: "Click" }, null],
    [{ RecordType: "constructor" }, null],
  ],
});
