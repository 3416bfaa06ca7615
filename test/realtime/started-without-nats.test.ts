import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl } from "@belfry/testing/nats";
import { client, nextEvent, subscribed } from "./clients.ts";
import { cuttableProxy } from "./cuttable-proxy.ts";
import { createWorld } from "./gateway-under-test.ts";

const user = { tenant: "acme", user: "42" };

test("a gateway that starts while NATS is away serves history and recovery, and nothing is missed once it is back", async (t) => {
  const world = await createWorld(t);
  const proxy = await cuttableProxy(t, testNatsUrl());
  proxy.cut();
  await world.publish(user);
  const env = { NATS_URL: proxy.url, POSITION_CHECK_MS: "600000" };
  const gateway = await world.startGateway(env);
  const health = async () => {
    const answer = await fetch(`http://127.0.0.1:${gateway.process.managementPort}/health/ready`);
    return { status: answer.status, body: await answer.json() };
  };
  assert.deepEqual(await health(), { status: 200, body: { ready: true, away: ["nats"] } });

  const page = client(t, gateway.url, { token: await world.token(user) });
  const { subscription, got } = await subscribed(page, "personal#42", {
    since: { offset: 0, epoch: "" },
  });
  await eventually(() => got.length === 1);
  const { data } = await page.rpc("notifications.list", {});
  assert.equal(data.notifications.length, 1);
  const marked = nextEvent<{ data: unknown }>(page, "message");
  await page.rpc("notifications.mark_all_read", null);
  assert.deepEqual((await marked).data, { type: "marked", id: "all", unread: 0 });

  await world.publish(user);
  subscription.unsubscribe();
  subscription.subscribe();
  await eventually(() => got.length === 2);
  for (let count = 0; count < 20; count += 1) await world.publish(user);
  assert.equal(got.length, 2);
  proxy.mend();
  await eventually(() => got.length === 22);
  await world.publish(user);
  await eventually(() => got.length === 23);
  assert.deepEqual(
    got.map(({ offset }) => offset),
    Array.from({ length: 23 }, (_, index) => index + 1),
  );
  await eventually(async () =>
    assert.deepEqual(await health(), { status: 200, body: { ready: true, away: [] } }),
  );
  assert.equal(await gateway.process.stop(), 0);
});
