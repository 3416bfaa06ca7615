import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { call, type Stack, triggered } from "./stack.ts";
import { connectedBrowser } from "./trace.ts";

/** Specification 2.3, 2.4, 4.2, 4.3, 6.3 and 6.4. */
export function realtimeTests(stack: Stack): void {
  const [api] = stack.apiUrls;
  const askToken = (apiKey: string, userId: string) =>
    call(`${api}/api/v1/auth/realtime-token`, { apiKey, body: { userId } });

  test("the token answer names the channels, and lasts two hours", async () => {
    const tenant = await stack.createReadyTenant({}, { targetChannel: "orders" });
    const { status, body } = await askToken(tenant.apiKey, "user-1");
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ["channels", "token"]);
    assert.deepEqual(
      new Set(body.channels),
      new Set(["global_system#user-1", "personal#user-1", "orders#user-1"]),
    );
    const claims = JSON.parse(Buffer.from(body.token.split(".")[1], "base64url").toString());
    assertHas(claims, { sub: "user-1", tenant: tenant.id });
    assert.equal(claims.exp - claims.iat, 7200);
    const refused = async (bad: unknown) => {
      const url = `${api}/api/v1/auth/realtime-token`;
      const answer = await call(url, { apiKey: tenant.apiKey, body: bad });
      assert.equal(answer.status, 422);
      return answer.body.message[0];
    };
    for (const bad of [{}, { userId: 5 }, { userId: "" }, { userId: "x".repeat(256) }]) {
      assert.match(await refused(bad), /^userId /);
    }
    for (const bad of [[], null]) assert.equal(await refused(bad), "body must be an object");
  });

  test("the unmodified client subscribes to every channel and is given the four fields as it happens", async () => {
    const tenant = await stack.createReadyTenant(
      {},
      { channels: ["PUSH"], targetChannel: "orders" },
    );
    await using browser = await connectedBrowser(stack, tenant.apiKey);
    const eventId = await triggered(stack, tenant.apiKey);
    await eventually(() => browser.pushed.length === 1);
    const [publication] = browser.pushed;
    assert.equal(publication?.channel, "orders#user-1");
    assert.deepEqual(publication?.data, {
      title: "Order A-1",
      body: "Thank you, Ann",
      category: "order.confirmed",
      eventType: "order.confirmed",
    });
    assert.equal(publication?.tags?.id, eventId);
    const variables = { title: "T", message: "M" };
    await triggered(stack, tenant.apiKey, { eventType: "global.alert", variables });
    await eventually(() => browser.pushed.length === 2);
    assert.equal(browser.pushed[1]?.channel, "global_system#user-1");
  });

  test("the longest user id, in letters of four bytes, goes from its token to what arrives", async () => {
    const userId = "😀".repeat(255);
    const targetChannel = "c".repeat(64);
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"], targetChannel });
    await using browser = await connectedBrowser(stack, tenant.apiKey, userId);
    await triggered(stack, tenant.apiKey, { payload: { userId } });
    await eventually(() => browser.pushed.length === 1);
    assert.equal(browser.pushed[0]?.channel, `${targetChannel}#${userId}`);
  });
}
