import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@belfry/service/logger";
import { connectNats } from "@belfry/service/nats";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createLiveFeed } from "./live-feed.ts";

const log = createLogger({ service: "test", level: "silent" });

async function startFeed() {
  const nats = await connectNats({ url: testNatsUrl(), name: "test", log });
  const feed = createLiveFeed({
    nats: Promise.resolve(nats),
    prefix: testPrefix(),
    onUncertain: () => undefined,
    onTenantDisconnect: () => undefined,
    log,
  });
  return { nats, feed };
}

test("users of the same moment are all subscribed when their feeds are in force, but not one who has left", async () => {
  const { nats, feed } = await startFeed();
  await using _link = nats;
  const got: string[] = [];
  const open = (userId: string) => feed.open("acme", userId, () => void got.push(userId));
  const [ann, bob, cid] = [open("ann"), open("bob"), open("cid")];
  bob.close();
  await Promise.all([ann.inForce, bob.inForce, cid.inForce]);
  const tell = (userId: string) =>
    feed.announce("acme", { version: 1, kind: "preferences", userId });
  for (const userId of ["bob", "ann", "cid"]) assert.equal(tell(userId), true);
  await eventually(() => assert.deepEqual(got, ["ann", "cid"]));
  ann.close();
  tell("ann");
  tell("cid");
  await eventually(() => assert.deepEqual(got, ["ann", "cid", "cid"]));
});

test("a user who connects after the link to NATS has closed waits for nothing", async () => {
  const { nats, feed } = await startFeed();
  await nats.close();
  await feed.open("acme", "ann", () => undefined).inForce;
});
