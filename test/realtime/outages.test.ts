import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { createOpenGate } from "@belfry/testing/gate";
import { testNatsUrl } from "@belfry/testing/nats";
import type { ErrorContext } from "centrifuge";
import { client, nextEvent, offsets, subscribed, upTo } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const user = { tenant: "acme", user: "42" };

test("Postgres away: connections and pushes stay, a subscribe waits, nothing is lost", async (t) => {
  const world = await createWorld(t);
  const gate = await createOpenGate(t, world.env.DATABASE_URL!);
  const gateway = await world.startGateway({ DATABASE_URL: gate.url, POSITION_CHECK_MS: "200" });
  const page = client(t, gateway.url, { token: await world.token(user) });
  const states: string[] = [];
  const { got } = await subscribed(page, "personal#42");
  page.on("state", ({ newState }) => states.push(newState));
  await gate.close();
  await gateway.process.waitUntilReady(false);
  await world.publish(user);
  await eventually(() => got.length === 1);
  await world.publish(user, { lost: true });
  await world.publish(user);
  const late = page.newSubscription("orders#42", {
    minResubscribeDelay: 20,
    maxResubscribeDelay: 50,
  });
  const refused = nextEvent<ErrorContext>(late, "error");
  late.subscribe();
  const { error } = await refused;
  assert.deepEqual(error, { code: 100, message: "internal server error", temporary: true });
  assert.equal(got.length, 1);
  await gate.open();
  await late.ready(60_000);
  await eventually(() => got.length === 3);
  assert.deepEqual(offsets(got), upTo(3));
  assert.deepEqual(states, []);
  await gateway.process.waitUntilReady();
});

test("NATS away under load: nothing is missed once it is back", async (t) => {
  const world = await createWorld(t);
  const gate = await createOpenGate(t, testNatsUrl());
  const gateway = await world.startGateway({ NATS_URL: gate.url, POSITION_CHECK_MS: "600000" });
  const page = client(t, gateway.url, { token: await world.token(user) });
  const { got } = await subscribed(page, "personal#42");
  await world.publish(user);
  await eventually(() => got.length === 1);
  await gate.close();
  await eventually(async () => {
    const health = `http://127.0.0.1:${gateway.process.managementPort}/health/ready`;
    assert.deepEqual(await (await fetch(health)).json(), { ready: true, away: ["nats"] });
  });
  for (let count = 0; count < 400; count += 1) await world.publish(user);
  // A page that comes meanwhile is served from Postgres.
  const newcomer = client(t, gateway.url, { token: await world.token(user) });
  const newTab = await subscribed(newcomer, "personal#42");
  await world.publish(user);
  await gate.open();
  await eventually(() => got.length === 402 && newTab.got.length === 1);
  await world.publish(user);
  await eventually(() => got.length === 403 && newTab.got.length === 2);
  assert.deepEqual(offsets(got), upTo(403));
  assert.deepEqual(offsets(newTab.got), [402, 403]);
});

test("a gateway that starts while NATS is away serves history and recovery, and nothing is missed once it is back", async (t) => {
  const world = await createWorld(t);
  const gate = await createOpenGate(t, testNatsUrl());
  await gate.close();
  await world.publish(user);
  const env = { NATS_URL: gate.url, POSITION_CHECK_MS: "600000" };
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
  await gate.open();
  await eventually(() => got.length === 22);
  await world.publish(user);
  await eventually(() => got.length === 23);
  assert.deepEqual(offsets(got), upTo(23));
  await eventually(async () =>
    assert.deepEqual(await health(), { status: 200, body: { ready: true, away: [] } }),
  );
  assert.equal(await gateway.process.stop(), 0);
});
