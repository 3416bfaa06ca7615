import { testVendorReceipts } from "../test/email-vendor.ts";
import { basicAuthorization } from "./http-vendor.ts";
import { postmark } from "./postmark.ts";

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
