import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { readEvent } from "@belfry/administration/events/event-report";
import { insertSuppressions } from "@belfry/administration/events/suppression-rows";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { settled } from "./outcome.ts";
import { call, type Stack, trigger, triggered } from "./stack.ts";

/** Tests of what a mail says beside its text: its sender's name, its reply address, its copies. */
export function envelopeTests(stack: Stack): void {
  const headersOf = async (eventId: string) => {
    const row = await stack.db
      .selectFrom("outbox")
      .select("headers")
      .where("event_id", "=", eventId)
      .where("channel", "=", "EMAIL")
      .executeTakeFirstOrThrow();
    return row.headers;
  };

  test("a mail leaves with what its trigger says, field by field before its template", async () => {
    const tenant = await stack.createReadyTenant();
    await putTemplate(stack.db, {
      ...{ tenantId: tenant.id, eventType: "order.confirmed", channel: "EMAIL" },
      ...{ subject: "Order", content: "<p>Hello</p>", fromName: "{{agent}} of Acme" },
      ...{ replyTo: "shop@example.com", cc: ["c@example.com"], bcc: ["b@example.com"] },
    });
    const id = await triggered(stack, tenant.apiKey, {
      email: { replyTo: "ann@example.com", bcc: ["d@example.com", "D@example.com"] },
      variables: { agent: "Ann" },
    });
    assert.deepEqual((await settled(stack, id)).email, {
      ...{ replyTo: "ann@example.com", bcc: ["d@example.com"] },
    });
    assertHas(await headersOf(id), {
      From: "Ann of Acme",
      "Reply-To": "ann@example.com",
      Cc: "c@example.com",
      Bcc: "d@example.com",
    });
  });

  test("a suppressed copy is left out and told; a second invoice to other copies is another event", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["EMAIL"] });
    const suppressed = `${randomUUID()}@example.com`;
    await insertSuppressions(stack.db, {
      ...{ tenantId: tenant.id, channel: "EMAIL", addresses: [suppressed] },
      ...{ reason: "bounced", source: "ses" },
    });
    const send = async (cc: string[]) => {
      const { headers } = await trigger(stack.apiUrls[0], tenant.apiKey, { email: { cc } });
      return { id: headers.get("x-event-id") ?? "", again: headers.get("idempotency-replayed") };
    };
    const cc = [suppressed, "c@example.com"];
    const first = await send(cc);
    assert.equal(first.again, null);
    const { timeline } = await settled(stack, first.id);
    assert.ok(timeline.some(({ what }) => what === "cc: 1 left out, as suppressed"));
    assertHas(await headersOf(first.id), { Cc: "c@example.com" });
    assert.deepEqual(await send([...cc, "C@example.com"]), { id: first.id, again: "true" });
    assert.equal((await send(["d@example.com"])).again, null);
  });

  test("a copy's bounce suppresses the copy alone: the mail stays accepted, and the next one goes to its recipient", async (t) => {
    const { db, keys, apiUrls } = stack;
    const vendor = await startRecordingServer(t);
    const { id: tenantId, apiKey } = await stack.createTenant();
    const webhookPassword = "a-long-random-password";
    await putActiveProvider(
      db,
      {
        ...{ tenantId, channel: "EMAIL", kind: "postmark" },
        settings: {
          ...{ serverToken: "a-token", from: "shop@example.com", baseUrl: vendor.url },
          webhookPassword,
        },
      },
      { keys, allowPrivateAddresses: true },
    );
    await putTemplate(db, {
      ...{ tenantId, eventType: "order.confirmed", channel: "EMAIL" },
      ...{ subject: "Order", content: "<p>Hello</p>" },
    });
    vendor.answer = { body: { ErrorCode: 0, MessageID: randomUUID() } };
    const copy = "c@example.com";
    const statusOf = async (id: string) => (await readEvent(db, id)).channels.EMAIL?.status;
    const send = async () => {
      const id = await triggered(stack, apiKey, { email: { cc: [copy] } });
      await eventually(async () => assert.equal(await statusOf(id), "accepted"));
      const { To, Cc, Metadata } = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
      return { id, to: To as string, cc: Cc as string | undefined, Metadata };
    };
    const first = await send();
    assert.equal(first.cc, copy);
    const bounce = { RecordType: "Bounce", ID: 1, Type: "HardBounce", Email: copy };
    const told = await call(`${apiUrls[0]}/webhooks/postmark/${tenantId}`, {
      headers: { authorization: `Basic ${btoa(`belfry:${webhookPassword}`)}` },
      body: JSON.stringify({ ...bounce, Metadata: first.Metadata }),
    });
    assert.equal(told.status, 200);
    const { timeline, channels } = await readEvent(db, first.id);
    assert.equal(channels.EMAIL?.status, "accepted");
    const words = `receipt of postmark about the copy for ${copy}: bounced (HardBounce)`;
    assert.ok(timeline.some(({ what }) => what === words));
    const suppressed = await db
      .selectFrom("suppressions")
      .select(["address", "reason"])
      .where("tenant_id", "=", tenantId)
      .execute();
    assert.deepEqual(suppressed, [{ address: copy, reason: "bounced" }]);
    const second = await send();
    assert.deepEqual([second.to, second.cc], [first.to, undefined]);
  });
}
