import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl } from "@belfry/testing/nats";
import type { ErrorContext } from "centrifuge";
import { client, nextEvent, subscribed } from "./clients.ts";
import { cuttableProxy } from "./cuttable-proxy.ts";
import { createWorld } from "./gateway-under-test.ts";

const user = { tenant: "acme", user: "42" };
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test("Postgres away: connections and pushes stay, a subscribe waits, nothing is lost", async (t) => {
  const world = await createWorld(t);
  const proxy = await cuttableProxy(t, world.env.DATABASE_URL!);
  const gateway = await world.startGateway({ DATABASE_URL: proxy.url, POSITION_CHECK_MS: "200" });
  const page = client(t, gateway.url, { token: await world.token(user) });
  const states: string[] = [];
  const { got } = await subscribed(page, "personal#42");
  page.on("state", ({ newState }) => states.push(newState));
  proxy.cut();
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
  proxy.mend();
  await late.ready(60_000);
  await eventually(() => got.length === 3);
  assertEach(got, ({ offset }) => offset, upTo(3));
  assert.deepEqual(states, []);
  await gateway.process.waitUntilReady();
});

test("NATS away under load: nothing is missed once it is back", async (t) => {
  const world = await createWorld(t);
  const proxy = await cuttableProxy(t, testNatsUrl());
  const gateway = await world.startGateway({ NATS_URL: proxy.url, POSITION_CHECK_MS: "600000" });
  const page = client(t, gateway.url, { token: await world.token(user) });
  const { got } = await subscribed(page, "personal#42");
  await world.publish(user);
  await eventually(() => got.length === 1);
  proxy.cut();
  await eventually(async () => {
    const health = `http://127.0.0.1:${gateway.process.managementPort}/health/ready`;
    assert.deepEqual(await (await fetch(health)).json(), { ready: true, away: ["nats"] });
  });
  for (let count = 0; count < 400; count += 1) await world.publish(user);
  // A page that comes meanwhile is served from Postgres.
  const newcomer = client(t, gateway.url, { token: await world.token(user) });
  const newTab = await subscribed(newcomer, "personal#42");
  await world.publish(user);
  proxy.mend();
  await eventually(() => got.length === 402 && newTab.got.length === 1);
  await world.publish(user);
  await eventually(() => got.length === 403 && newTab.got.length === 2);
  assertEach(got, ({ offset }) => offset, upTo(403));
  assertEach(newTab.got, ({ offset }) => offset, [402, 403]);
});
