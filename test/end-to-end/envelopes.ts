import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { insertSuppressions } from "@belfry/administration/events/suppression-rows";
import { putTemplate } from "@belfry/administration/templates/test-templates";
import { assertHas } from "@belfry/testing/assert-has";
import { settled } from "./outcome.ts";
import { type Stack, trigger, triggered } from "./stack.ts";

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
}
