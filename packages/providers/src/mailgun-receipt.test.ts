import { createHmac } from "node:crypto";
import { testVendorReceipts } from "../test/email-vendor.ts";
import { mailgun } from "./mailgun.ts";

const TOKEN = "651869375b9df3c98fc15c4889b102119add1235c38fc92824";

const failed = (reason: string, status: object = {}, severity = "permanent") => ({
  event: "failed",
  ...{ severity, reason, "delivery-status": status },
});

testVendorReceipts({
  reader: mailgun.receipts!,
  key: "a-signing-key-of-the-account",
  otherKey: "another-signing-key",
  request(what, deliveryId, key, at) {
    const timestamp = String(at.getTime() / 1000);
    const signature = createHmac("sha256", key).update(`${timestamp}${TOKEN}`).digest("hex");
    // The form of https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads
    const body = {
      signature: { timestamp, token: TOKEN, signature },
      "event-data": {
        id: "hTWCTD81RtiDN-",
        timestamp: 1_795_089_598.153125,
        recipient: "ann@example.com",
        "user-variables": { delivery_id: deliveryId },
        ...what,
      },
    };
    return { headers: {}, body: Buffer.from(JSON.stringify(body)), url: "" };
  },
  tamper: (request) => ({
    ...request,
    body: Buffer.from(request.body.toString().replace(TOKEN, `${TOKEN}0`)),
  }),
  oldest: 86_400,
  furthestAhead: 900,
  bounceOf: (recipient) => ({ ...failed("bounce", { code: 550 }), recipient }),
  cases: [
    [
      { event: "delivered", "delivery-status": { code: 250, message: "OK" } },
      "delivered",
      null,
      {
        vendorEvent: TOKEN,
        vendorStatus: "250",
        reason: "OK",
        occurredAt: new Date(1_795_089_598_153),
      },
    ],
    [{ event: "accepted" }, "accepted"],
    [failed("generic", { code: 498, description: "No MX" }, "temporary"), "deferred"],
    [
      failed("bounce", { code: 550, message: "5.1.1 no such user", "bounce-type": "hard" }),
      "bounced",
      "bounced",
      { reason: "5.1.1 no such user", vendorStatus: "550" },
    ],
    [failed("bounce", { code: 550 }), "bounced", "bounced"],
    [failed("bounce", { code: 552, "bounce-type": "soft" }), "bounced"],
    [failed("suppress-bounce", { code: 605 }), "bounced", "bounced"],
    [failed("suppress-complaint", { code: 607 }), "bounced", "complained"],
    [failed("suppress-unsubscribe", { code: 606 }), "bounced", "opted out"],
    [failed("espblock"), "bounced"],
    [failed("old"), "bounced"],
    [failed("constructor"), "bounced"],
    [
      { event: "rejected", reject: { reason: "Sandbox subdomains are for test purposes only" } },
      "bounced",
      null,
      { reason: "Sandbox subdomains are for test purposes only" },
    ],
    [{ event: "complained" }, "complained", "complained"],
    [{ event: "unsubscribed" }, "opted out", "opted out"],
    ...["opened", "clicked", "stored", "list_member_uploaded", "constructor"].map(
      (event) => [{ event }, null] as const,
    ),
  ],
});
