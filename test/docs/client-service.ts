import assert from "node:assert/strict";
import { test } from "node:test";
import { BelfryError, createClient } from "@belfry/client";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import type { Stack } from "../end-to-end/stack.ts";

/** `@belfry/client` against the real service. */
export function clientTests(stack: Stack): void {
  test("an event, its timeline, the history and a mark; a repeated key is a replay", async () => {
    const secret = "whsec-client";
    const tenant = await stack.createReadyTenant({ webhookSecret: secret });
    const client = createClient({
      baseUrl: stack.apiUrls[0],
      apiKey: tenant.apiKey,
      tenantId: tenant.id,
      webhookSecret: secret,
    });
    const userId = "ann/ü#1?";
    const event = {
      eventType: "order.confirmed",
      payload: { userId, recipientEmail: "ann@example.com" },
      variables: { name: "Änn", orderId: "A-1" },
    };
    const first = await client.trigger(event, { idempotencyKey: "k", traceId: "trace-1" });
    assert.deepEqual([first.replayed, first.traceId], [false, "trace-1"]);
    const again = await client.trigger(event, { idempotencyKey: "k" });
    assert.deepEqual([again.replayed, again.id], [true, first.id]);

    await eventually(async () => {
      const report = await client.event(first.id);
      assert.equal(report.channels.EMAIL?.status, "accepted");
      assert.equal(report.channels.SMS?.reason, "no recipientPhone");
      assert.equal(report.channels.PUSH?.status, "published");
    });
    assert.notEqual((await client.trigger(event)).id, first.id, "without a key, each is its own");
    await eventually(async () => assert.equal((await client.history(userId)).length, 2));
    const [older] = await client.history(userId, { limit: 1, offset: 1 });
    assertHas(older, { id: first.id, status: "UNREAD", body: "Thank you, Änn" });
    await client.markRead(userId, first.id);
    assert.equal((await client.history(userId, { offset: 1 }))[0]?.status, "READ");
    const token = await client.realtimeToken(userId);
    assert.ok(token.channels.includes(`personal#${userId}`));
  });

  test("errors are typed; a limit is waited for and then told", async () => {
    const tenant = await stack.createTenant({ perMinute: 1 });
    const pauses: number[] = [];
    const client = createClient({
      baseUrl: stack.apiUrls[1],
      apiKey: tenant.apiKey,
      sleep: async (ms) => void pauses.push(ms),
    });
    const event = { eventType: "e", payload: { userId: "u" } };
    await client.trigger(event);
    await assert.rejects(client.trigger(event), (error: unknown) => {
      assert.ok(error instanceof BelfryError);
      assert.equal(error.status, 429);
      assert.match(error.message, /Limit: 1\/min/);
      return true;
    });
    assert.equal(pauses.length, 3);
    assert.ok(pauses.every((ms) => ms >= 1000 && ms <= 61_000));
    const invalid = client.trigger({ eventType: "", payload: { userId: "" } });
    await assert.rejects(invalid, {
      status: 422,
      messages: ["eventType should not be empty", "payload.userId should not be empty"],
    });
    await assert.rejects(client.event("0198c0de-0000-7000-8000-000000000001"), { status: 404 });
    const stranger = createClient({ baseUrl: stack.apiUrls[0], apiKey: "bf_no" });
    await assert.rejects(stranger.realtimeToken("u"), { status: 401 });
  });
}
