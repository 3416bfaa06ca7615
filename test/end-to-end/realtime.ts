import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { Centrifuge, type PublicationContext } from "centrifuge";
import { WebSocket } from "ws";
import { call, freshKey, type Stack, trigger } from "./stack.ts";

/** Specification 2.3, 2.4, 4.2, 4.3, 6.3 and 6.4. */
export function realtimeTests(stack: () => Stack): void {
  const api = () => stack().apiUrls[0];
  const askToken = (apiKey: string, userId: string) =>
    call(`${api()}/api/v1/auth/realtime-token`, { apiKey, body: { userId } });

  const connect = (getToken: () => Promise<string>) =>
    new Centrifuge(stack().wsUrl, { websocket: WebSocket, getToken });

  test("the token answer names the channels, and lasts two hours", async () => {
    const tenant = await stack().createReadyTenant({}, { targetChannel: "orders" });
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
      const url = `${api()}/api/v1/auth/realtime-token`;
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
    const tenant = await stack().createReadyTenant(
      {},
      { channels: ["PUSH"], targetChannel: "orders" },
    );
    const { body } = await askToken(tenant.apiKey, "user-1");
    const client = connect(async () => body.token);
    const publications: PublicationContext[] = [];
    try {
      const subscribed = body.channels.map((channel: string) => {
        const subscription = client.newSubscription(channel);
        subscription.on("publication", (publication) => publications.push(publication));
        subscription.subscribe();
        return subscription.ready(60_000);
      });
      client.connect();
      await Promise.all(subscribed);
      const answer = await trigger(api(), tenant.apiKey);
      await eventually(() => publications.length === 1);
      const [publication] = publications;
      assert.equal(publication?.channel, "orders#user-1");
      assert.deepEqual(publication?.data, {
        title: "Order A-1",
        body: "Thank you, Ann",
        category: "order.confirmed",
        eventType: "order.confirmed",
      });
      assert.equal(publication?.tags?.id, answer.headers.get("x-event-id"));
      await trigger(
        api(),
        tenant.apiKey,
        { eventType: "global.alert", variables: { title: "T", message: "M" } },
        freshKey(),
      );
      await eventually(() => publications.length === 2);
      assert.equal(publications[1]?.channel, "global_system#user-1");
    } finally {
      client.disconnect();
    }
  });

  test("the longest user id, in letters of four bytes, goes from its token to what arrives", async () => {
    const userId = "😀".repeat(255);
    const targetChannel = "c".repeat(64);
    const tenant = await stack().createReadyTenant({}, { channels: ["PUSH"], targetChannel });
    const { status, body } = await askToken(tenant.apiKey, userId);
    assert.equal(status, 200);
    const client = connect(async () => body.token);
    const got: PublicationContext[] = [];
    try {
      const subscribed = body.channels.map((channel: string) => {
        const subscription = client.newSubscription(channel);
        subscription.on("publication", (publication) => got.push(publication));
        subscription.subscribe();
        return subscription.ready(5000);
      });
      client.connect();
      await Promise.all(subscribed);
      const answer = await trigger(api(), tenant.apiKey, { payload: { userId } });
      assert.equal(answer.status, 200);
      await eventually(() => got.length === 1);
      assert.equal(got[0]?.channel, `${targetChannel}#${userId}`);
    } finally {
      client.disconnect();
    }
  });
}
