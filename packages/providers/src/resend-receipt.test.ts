import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { Webhook } from "standardwebhooks";
import { testVendorReceipts } from "../test/email-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { resend } from "./resend.ts";

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
