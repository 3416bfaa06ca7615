import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { testVendorReceipts } from "../test/email-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { brevo } from "./brevo.ts";
import { basicAuthorization } from "./http-vendor.ts";

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
