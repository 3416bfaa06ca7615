import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRealtimeMessage, userSubjectToken } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { upTo } from "../realtime/clients.ts";
import { createWorld } from "../realtime/gateway-under-test.ts";
import type { ClientEvent, ClientSettings, StartClient } from "./programs.ts";

type Named<Name extends ClientEvent["event"]> = Extract<ClientEvent, { event: Name }>;

/** Every escape of JSON that a text of Postgres may hold, letters of two to four bytes, and what could be taken for the ends of the data. */
const ODD = `"\\/\b\f\n\r\t\u0001\u001f\u007f\u2028é字🔔 ","tags":{"id":1}},"data":{`;

export interface ClientKind {
  name: string;
  protocol: ClientSettings["protocol"];
  /** Whether the library hands on messages that are no publications. */
  hasMessages: boolean;
  start: StartClient;
}

/** The steps of a test need one another: the first that fails ends it. */
async function step(name: string, fn: () => void | Promise<void>): Promise<void> {
  try {
    await fn();
  } catch (error) {
    throw new Error(`it does not do this: ${name}`, { cause: error });
  }
}

/** What every unmodified client library gets from the gateway, in each of its encodings. */
export function testClient({ name, protocol, hasMessages, start }: ClientKind): void {
  test(`${name} in ${protocol}: connects, receives, calls, refreshes, comes back after a kill and ends when told`, async (t) => {
    const world = await createWorld(t);
    const user = { tenant: "acme", user: "a#b é" };
    const channel = `personal#${user.user}`;
    const env = { REALTIME_GATEWAY_PORT: String(await freePort()) };
    let gateway = await world.startGateway(env);
    const { url } = gateway;
    const token = await world.token(user, 3);
    const channels = [channel, "personal#another"];
    const client = await start(t, { url, protocol, token, channels });
    const all = <Name extends ClientEvent["event"]>(event: Name) =>
      client.events.filter((one): one is Named<Name> => one.event === event);
    const until = (check: () => boolean) =>
      eventually(() => assert.ok(check(), JSON.stringify(client.events)));
    let tokens = 0;
    /** Answers what the client asks of its backend. */
    const backend = setInterval(async () => {
      if (all("token").length <= tokens) return;
      tokens += 1;
      client.giveToken(await world.token(user, tokens === 1 ? 3 : 7200));
    }, 20);
    t.after(() => clearInterval(backend));
    const offsets = () => all("publication").map(({ offset }) => offset);
    const joins = () => all("subscribed").filter((one) => one.channel === channel);

    await step("subscribes to its own channel and to no other", async () => {
      await until(() => joins().length > 0 && all("unsubscribed").length > 0);
      const [refused] = all("unsubscribed");
      assert.deepEqual(refused, { event: "unsubscribed", channel: "personal#another", code: 103 });
    });

    await step("receives data and tags as they were sent", async () => {
      const actions = JSON.stringify([{ label: ODD, url: '/a?"data":' }]);
      const sent = await world.publish(user, { title: ODD, body: ODD, url: "/a", actions });
      await world.publish(user);
      await until(() => offsets().length === 2);
      const [got] = all("publication");
      assert.deepEqual(got, { event: "publication", ...sent });
      assert.deepEqual(offsets(), upTo(2));
    });

    await step("makes calls, and is told of their effect", async () => {
      const count = await client.call("notifications.unread_count", {});
      assert.deepEqual(count, { data: { unread: 2 } });
      const list = await client.call("notifications.list", { limit: 1 });
      const [item] = (list.data as { notifications: { id: string; title: string }[] })
        .notifications;
      assert.equal(item?.title, "title");
      const id = item?.id;
      const marked = await client.call("notifications.mark_read", { id });
      assert.deepEqual(marked.data, { status: "marked", unread: 1 });
      const preferences = [{ category: "*", channel: "EMAIL", enabled: false }];
      const changed = await client.call("preferences.change", { preferences });
      const { preferences: cells } = changed.data as { preferences: { source: string }[] };
      assert.deepEqual(
        cells.map(({ source }) => source),
        ["inbox"],
      );
      const refused = await client.call("preferences.change", { preferences: [{}] });
      assert.equal(refused.code, 107);
      assert.match(refused.message ?? "", /preferences\[0\]/);
      assert.equal((await client.call("constructor", {})).code, 104);
      if (!hasMessages) return;
      await until(() => all("message").length >= 2);
      assert.deepEqual(
        all("message").map(({ data }) => data),
        [{ type: "marked", id, unread: 1 }, { type: "preferences" }],
      );
    });

    await step("renews its token twice without an interruption", async () => {
      await until(() => tokens >= 2);
      await world.publish(user);
      await until(() => offsets().length === 3);
      assert.equal(all("connected").length, 1);
    });

    await step(
      "comes back after a kill of the gateway: nothing is missed, nothing doubled",
      async () => {
        const before = joins().length;
        await gateway.process.kill();
        for (let count = 0; count < 40; count += 1) await world.publish(user);
        gateway = await world.startGateway(env);
        await until(() => joins().length > before);
        await world.publish(user);
        await until(() => offsets().length >= 44);
        assert.deepEqual(offsets(), upTo(44));
        const { wasRecovering, recovered } = joins().at(-1)!;
        assert.deepEqual([wasRecovering, recovered], [true, true]);
      },
    );

    await step("comes back after a shutdown", async () => {
      const before = joins().length;
      assert.equal(await gateway.process.stop(), 0);
      await world.publish(user);
      gateway = await world.startGateway(env);
      await until(() => joins().length > before);
      await world.publish(user);
      await until(() => offsets().length >= 46);
      assert.deepEqual(offsets(), upTo(46));
      assert.ok(all("connecting").some(({ code }) => code === 3001));
      assert.deepEqual(all("disconnected"), []);
    });

    await step("ends for good when it is told to", async () => {
      const connected = all("connected").length;
      world.nc.publish(
        realtimeSubject(world.prefix, user.tenant, userSubjectToken(user.user)),
        encodeRealtimeMessage({ version: 1, kind: "disconnect", userId: user.user }),
      );
      await until(() => all("disconnected").length > 0);
      assert.deepEqual(all("disconnected"), [
        { event: "disconnected", code: 3503, reason: "force disconnect" },
      ]);
      assert.equal(all("connected").length, connected);
    });

    await step("with a bad token it ends at once", async () => {
      const bad = await start(t, { url, protocol, token: `${token}x`, channels: [] });
      const ends = () => bad.events.filter(({ event }) => event === "disconnected");
      await eventually(() => assert.ok(ends().length > 0, JSON.stringify(bad.events)));
      assert.deepEqual(ends(), [{ event: "disconnected", code: 3500, reason: "invalid token" }]);
    });

    await step("nothing was logged that nobody should have to look at", () => {
      assert.deepEqual(gateway.surprises(), []);
    });
  });
}
