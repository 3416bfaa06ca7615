import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { test } from "node:test";
import { replayDeadLetters } from "@belfry/administration/dead-letters/change-dead-letters";
import { listDeadLetters } from "@belfry/administration/dead-letters/dead-letters";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { eventually } from "@belfry/testing/eventually";
import { type RecordingServer, startRecordingServer } from "@belfry/testing/recording-server";
import { call, type Stack, triggered } from "./stack.ts";

/** Tests of a provider that refuses and of one that sends receipts. */
export function receiptTests(stack: Stack): void {
  test("refused, replayed, accepted, bounced by its receipt; then its address is skipped", async (t) => {
    const { apiUrls, db, keys } = stack;
    const vendor = await startRecordingServer(t);
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { id: tenantId, apiKey } = await stack.createTenant();
    const settings = {
      apiKey: "SG.a-key",
      from: "shop@example.com",
      baseUrl: vendor.url,
      webhookPublicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    };
    await putActiveProvider(
      db,
      { tenantId, channel: "EMAIL", kind: "sendgrid", settings },
      { keys, allowPrivateAddresses: true },
    );
    await putTemplate(db, {
      ...{ tenantId, eventType: "order.confirmed", channel: "EMAIL" },
      ...{ subject: "Order", content: "<p>Hello</p>" },
    });
    const send = () => triggered(stack, apiKey);
    const emailOf = async (id: string) => {
      const { body } = await call(`${apiUrls[1]}/api/v1/events/${id}`, { apiKey });
      return body.channels.EMAIL as { status: string; reason: string | null };
    };
    const becomes = (id: string, status: string) =>
      eventually(async () => assert.equal((await emailOf(id))?.status, status));

    vendor.next({ status: 400, body: { errors: [{ message: "no" }] } });
    vendor.answer = { status: 202, headers: { "x-message-id": "m1" } };
    const first = await send();
    await becomes(first, "failed");
    const [group] = await listDeadLetters(db, { tenantId });
    assert.deepEqual([group?.class, group?.provider, group?.count], ["permanent", "sendgrid", 1]);
    assert.equal((await replayDeadLetters(db, { tenantId })).count, 1);
    await becomes(first, "accepted");

    const bounce = { event: "bounce", type: "bounce", reason: "550 no such user", status: "5.1.1" };
    const events = [{ ...bounce, ...customArgs(vendor), sg_event_id: randomUUID() }];
    const webhook = `${apiUrls[0]}/webhooks/sendgrid/${tenantId}`;
    assert.equal((await postSigned(webhook, events, privateKey)).status, 200);
    await becomes(first, "bounced");

    const second = await send();
    await becomes(second, "skipped");
    assert.equal((await emailOf(second)).reason, "address suppressed (bounced)");
    assert.equal(vendor.requests.length, 2);
  });
}

function customArgs(vendor: RecordingServer): object {
  const sent = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
  return sent.personalizations[0].custom_args;
}

async function postSigned(url: string, events: object[], key: KeyObject) {
  const body = `${JSON.stringify(events)}\r\n`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = sign("sha256", Buffer.from(timestamp + body), key).toString("base64");
  return await call(url, {
    headers: {
      "x-twilio-email-event-webhook-signature": signature,
      "x-twilio-email-event-webhook-timestamp": timestamp,
    },
    body,
  });
}
