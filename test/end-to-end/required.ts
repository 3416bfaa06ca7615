import assert from "node:assert/strict";
import { test } from "node:test";
import { replayDeadLetters } from "@belfry/administration/dead-letters/change-dead-letters";
import { listDeadLetters } from "@belfry/administration/dead-letters/dead-letters";
import { putTemplate } from "@belfry/administration/test/templates";
import type { Channel } from "@belfry/contracts/channels";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { outboxOf, outcomeOf, SENT, settled } from "./outcome.ts";
import { type Stack, triggered } from "./stack.ts";

/** Tests that nothing is sent without a template's required variables. */
export function requiredTests(stack: Stack): void {
  const put = (tenantId: string, channel: Channel, more: object) =>
    putTemplate(stack.db, {
      ...{ tenantId, eventType: "order.confirmed", channel, content: "<p>Pay {{link}}</p>" },
      ...(channel === "EMAIL" && { subject: "Order {{orderId}}" }),
      ...(channel === "PUSH" && { title: "Order" }),
      ...more,
    });

  test("without a required variable a channel fails and says which; no provider is called", async () => {
    const tenant = await stack.createReadyTenant();
    const requiredVariables = ["orderId", "link"];
    for (const channel of ["EMAIL", "SMS", "PUSH"] as const) {
      await put(tenant.id, channel, { requiredVariables });
    }
    for (const [variables, lacking] of [
      [{ orderId: "1" }, "link"],
      [{ orderId: "1", link: null }, "link"],
      [{ orderId: " \t", link: "https://a.example" }, "orderId"],
      [undefined, "orderId"],
    ] as const) {
      const id = await triggered(stack, tenant.apiKey, { variables });
      const failed = `failed: variable missing: ${lacking}`;
      assert.deepEqual(await outcomeOf(stack, id), { EMAIL: failed, SMS: failed, PUSH: failed });
      const { channels, timeline } = await settled(stack, id);
      assert.deepEqual(channels.EMAIL?.delivery?.attempts, []);
      for (const channel of ["EMAIL", "SMS", "PUSH"]) {
        const said = timeline.filter((entry) => entry.channel === channel).map(({ what }) => what);
        assert.ok(said.includes(failed), JSON.stringify(said));
      }
      assert.deepEqual(await outboxOf(stack, id), []);
    }
    const variables = { orderId: 0, link: false };
    const id = await triggered(stack, tenant.apiKey, { variables });
    assert.deepEqual(await outcomeOf(stack, id), SENT);
  });

  test("such a dead letter is sent by a replay once the template asks no more for it, and only then", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["SMS"] });
    await put(tenant.id, "SMS", { content: "{{link}} of {{name}}", requiredVariables: ["link"] });
    const id = await triggered(stack, tenant.apiKey, { variables: { name: "Ann" } });
    const failed = "failed: variable missing: link";
    assert.equal((await outcomeOf(stack, id)).SMS, failed);
    const { db } = stack;
    const [group] = await listDeadLetters(db, { tenantId: tenant.id });
    assert.deepEqual(
      [group?.class, group?.provider, group?.examples[0]?.reason],
      ["untried", "sandbox", "variable missing: link"],
    );
    const settledAt = async () => (await settled(stack, id)).channels.SMS?.delivery?.settledAt;
    const first = await settledAt();
    assert.equal((await replayDeadLetters(db, { tenantId: tenant.id })).count, 1);
    await eventually(async () => assert.notEqual(await settledAt(), first));
    assert.equal((await outcomeOf(stack, id)).SMS, failed, "it fails again for the same reason");
    // A new version applies to later events, but required variables apply to all.
    await put(tenant.id, "SMS", { content: "New text", requiredVariables: [] });
    assert.equal((await replayDeadLetters(db, { tenantId: tenant.id })).count, 1);
    await eventually(async () => assert.equal((await outcomeOf(stack, id)).SMS, "accepted"));
    assertEach(await outboxOf(stack, id), ({ text }) => text, [" of Ann"]);
  });
}
