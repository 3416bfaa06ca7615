import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import type { Options, SubscribedContext } from "centrifuge";
import {
  LIBRARIES,
  client as newClient,
  nextEvent,
  offsets,
  rawClient,
  subscribed,
  upTo,
} from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

for (const { version, Library } of LIBRARIES)
  test(`recovery over the realtime gateway ${version}`, async (t) => {
    const client = (t: Cleanup, url: string, options: Partial<Options>) =>
      newClient(t, url, options, Library);
    const world = await createWorld(t);
    const { url } = await world.startGateway({ POSITION_CHECK_MS: "300" });
    let users = 0;
    const freshUser = () => {
      users += 1;
      return { tenant: "acme", user: `user ${users}` };
    };

    await t.test("what was missed comes once, in order, before what is new", async (t) => {
      const user = freshUser();
      const page = client(t, url, { token: await world.token(user) });
      const { subscription, got } = await subscribed(page, `personal#${user.user}`);
      await world.publish(user);
      await eventually(() => got.length === 1);
      page.disconnect();
      for (let count = 0; count < 5; count += 1)
        await world.publish(user, { lost: count % 2 === 0 });
      const again = nextEvent<SubscribedContext>(subscription, "subscribed");
      page.connect();
      const { wasRecovering, recovered } = await again;
      assert.deepEqual({ wasRecovering, recovered }, { wasRecovering: true, recovered: true });
      await world.publish(user);
      await eventually(() => got.length >= 7);
      assert.deepEqual(offsets(got), upTo(7));
    });

    await t.test("a second subscribe on the same page recovers too", async (t) => {
      const user = freshUser();
      const page = client(t, url, { token: await world.token(user) });
      const { subscription, got } = await subscribed(page, `personal#${user.user}`);
      subscription.unsubscribe();
      for (let count = 0; count < 3; count += 1) await world.publish(user);
      subscription.subscribe();
      await eventually(() => got.length >= 3);
      assert.deepEqual(offsets(got), upTo(3));
    });

    await t.test("300 missed are recovered, 301 are honestly not", async (t) => {
      for (const missed of [300, 301]) {
        const user = freshUser();
        const channel = `personal#${user.user}`;
        const page = client(t, url, { token: await world.token(user) });
        const { subscription, got } = await subscribed(page, channel);
        page.disconnect();
        await world.db.query(
          `insert into notifications select gen_random_uuid(), 'acme', $1, 'a.b', 't', 'b', 'personal', n, now(), null
         from generate_series(1, $2::integer) n`,
          [user.user, missed],
        );
        await world.db.query("insert into realtime_channels values ('acme', $1, 'personal', $2)", [
          user.user,
          missed,
        ]);
        const again = nextEvent<SubscribedContext>(subscription, "subscribed");
        page.connect();
        assert.equal((await again).recovered, missed === 300);
        await world.publish(user);
        await eventually(() => got.at(-1)?.offset === missed + 1);
        assert.deepEqual(offsets(got), missed === 300 ? upTo(301) : [302]);
      }
    });

    await t.test("beyond the top, of a foreign epoch or deleted is not recovered", async (t) => {
      const user = freshUser();
      const channel = `personal#${user.user}`;
      for (let count = 0; count < 4; count += 1) await world.publish(user);
      const raw = await rawClient(t, url);
      raw.send({ id: 1, connect: { token: await world.token(user) } });
      let id = 1;
      const subscribe = async (request: object) => {
        id += 2;
        raw.send(
          { id: id - 1, unsubscribe: { channel } },
          { id, subscribe: { channel, ...request } },
        );
        const reply = await raw.find((message) => message.id === id);
        return (reply.subscribe ?? reply.error) as Record<string, unknown>;
      };
      const { epoch } = await subscribe({});
      const missed = await subscribe({ recover: true, offset: 2, epoch });
      assert.deepEqual(
        [
          missed.recovered,
          missed.was_recovering,
          missed.offset,
          offsets(missed.publications as []),
        ],
        [true, true, 2, [3, 4]],
      );
      const there = await subscribe({ recover: true, offset: 4, epoch });
      assert.deepEqual([there.recovered, there.offset, there.publications], [true, 4, undefined]);
      const refused = {
        was_recovering: true,
        recoverable: true,
        positioned: true,
        epoch,
        offset: 4,
      };
      assert.deepEqual(await subscribe({ recover: true, offset: 5, epoch }), refused);
      assert.deepEqual(await subscribe({ recover: true, offset: 3, epoch: "elsewhere" }), refused);
      await world.db.query("delete from notifications where user_id = $1 and channel_offset = 3", [
        user.user,
      ]);
      assert.deepEqual(await subscribe({ recover: true, offset: 2, epoch }), refused);
      assert.equal((await subscribe({ recover: true, offset: 2, epoch, flag: 3 })).code, 112);
    });

    await t.test("a hole that NATS left is filled in order, also at the end", async (t) => {
      const user = freshUser();
      const page = client(t, url, { token: await world.token(user) });
      const { got } = await subscribed(page, `personal#${user.user}`);
      await world.publish(user);
      await world.publish(user, { lost: true });
      await world.publish(user, { lost: true });
      await world.publish(user);
      await eventually(() => got.length === 4);
      await world.publish(user, { lost: true });
      await eventually(() => got.length === 5);
      assert.deepEqual(offsets(got), upTo(5));
    });

    await t.test("a repeated message and one that comes too early change nothing", async (t) => {
      const user = freshUser();
      const page = client(t, url, { token: await world.token(user) });
      const { got } = await subscribed(page, `personal#${user.user}`);
      const first = await world.publish(user, { lost: true });
      const second = await world.publish(user, { lost: true });
      for (const publication of [second, first, second, first, first])
        world.tell(user, publication);
      await eventually(() => got.length >= 2);
      await world.publish(user);
      await eventually(() => got.length >= 3);
      assert.deepEqual(offsets(got), upTo(3));
    });

    await t.test("during a storm of publications every tab gets each offset once", async (t) => {
      const user = freshUser();
      const channel = `personal#${user.user}`;
      let storming = true;
      let published = 0;
      const storm = (async () => {
        while (storming) {
          await world.publish(user, { lost: published % 7 === 3 });
          published += 1;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      })();
      const token = await world.token(user);
      const pages = Array.from({ length: 6 }, () => client(t, url, { token }));
      const tabs = await Promise.all(
        pages.map((page) => subscribed(page, channel, { since: { offset: 0, epoch: "" } })),
      );
      for (let round = 0; round < 5 || published <= 20; round += 1) {
        for (const [index, page] of pages.entries()) {
          // The older client hands on what was on its way while it subscribes again: no server can mend that.
          if (index % 2 === 0 || version.startsWith("5.3.5")) {
            page.disconnect();
            page.connect();
          } else {
            tabs[index]!.subscription.unsubscribe();
            tabs[index]!.subscription.subscribe();
          }
        }
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      storming = false;
      await storm;
      // Whatever was lost last, the next one tells of it.
      await world.publish(user);
      published += 1;
      for (const { got } of tabs) {
        await eventually(() => got.length >= published);
        assert.deepEqual(offsets(got), upTo(published));
      }
    });

    await t.test("after a restore under a new epoch every page is told, and goes on", async (t) => {
      const user = freshUser();
      const page = client(t, url, { token: await world.token(user) });
      const { subscription, got } = await subscribed(page, `personal#${user.user}`);
      await world.publish(user);
      await world.publish(user);
      await eventually(() => got.length === 2);
      const again = nextEvent<SubscribedContext>(subscription, "subscribed");
      await world.db.query("update realtime_channels set top_offset = 1 where user_id = $1", [
        user.user,
      ]);
      await world.db.query("delete from notifications where user_id = $1 and channel_offset = 2", [
        user.user,
      ]);
      await world.db.query("update realtime_epoch set epoch = 'restored'");
      const { wasRecovering, recovered } = await again;
      assert.deepEqual({ wasRecovering, recovered }, { wasRecovering: true, recovered: false });
      await world.publish(user);
      await eventually(() => got.length === 3);
      assert.deepEqual(offsets(got), [1, 2, 2]);
    });

    await t.test("the history of a channel is read in pages from either end", async (t) => {
      const user = freshUser();
      for (let count = 0; count < 5; count += 1) await world.publish(user);
      const page = client(t, url, { token: await world.token(user) });
      const { subscription } = await subscribed(page, `personal#${user.user}`);
      const first = await subscription.history({ limit: 2 });
      assert.deepEqual([offsets(first.publications), first.offset], [[1, 2], 5]);
      const { epoch } = first;
      const rest = await subscription.history({ limit: -1, since: { offset: 2, epoch } });
      assert.deepEqual(offsets(rest.publications), [3, 4, 5]);
      const back = await subscription.history({ limit: 2, reverse: true });
      assert.deepEqual(offsets(back.publications), [5, 4]);
      assert.deepEqual((await subscription.history({})).publications, []);
      const wrong = { limit: 1, since: { offset: 1, epoch: "elsewhere" } };
      await assert.rejects(subscription.history(wrong), { code: 112 });
      await assert.rejects(page.history("personal#someone", { limit: 1 }), { code: 103 });
      const zero = { limit: 1, reverse: true, since: { offset: 0, epoch } };
      await assert.rejects(subscription.history(zero), { code: 107 });
    });
  });
