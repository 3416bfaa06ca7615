import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { publicationText } from "@belfry/contracts/realtime-message";
import { jsonCodec, type SharedPush } from "./codec.ts";
import type { ChannelRead, ChannelState, StoredPublication } from "./realtime-history.ts";
import { TimerWheel } from "./timer-wheel.ts";
import { GAP_RETRY_MS, GAP_WAIT_MS, Subscription, Topic } from "./topic.ts";

function stored(offset: number): StoredPublication {
  const data = { title: "t", body: "b", category: "c", eventType: "c" };
  return { offset, data, tags: { id: String(offset), createdAt: "" } };
}

const publication = (offset: number) => publicationText({ channel: "a#1", ...stored(offset) });

/** A topic over a channel that is an array. */
function setUp() {
  const store = {
    epoch: "e",
    top: 0,
    offsets: [] as number[],
    away: false,
    limits: [] as number[],
  };
  let nowMs = 1000;
  const wheel = new TimerWheel({ tickMs: 50, nowMs: () => nowMs, onFault: assert.ifError });
  const history = {
    async read(read: ChannelRead): Promise<ChannelState> {
      store.limits.push(read.limit);
      if (store.away) throw new Error("away");
      const missing = store.offsets.filter((offset) => offset > read.after).slice(0, read.limit);
      return { epoch: store.epoch, top: store.top, publications: missing.map(stored) };
    },
  };
  const lines: object[] = [];
  const log = { info: (details: object) => void lines.push(details), warn: () => undefined };
  const deps = { history, wheel, nowMs: () => nowMs, log };
  const topic = new Topic({ tenantId: "acme", userId: "1", name: "a" }, "a#1", deps);
  return {
    store,
    topic,
    lines,
    commit(count: number) {
      for (let index = 0; index < count; index += 1) {
        store.top += 1;
        store.offsets.push(store.top);
      }
    },
    subscribe() {
      const got: (number | "dropped")[] = [];
      const subscription = new Subscription(
        topic,
        {
          codec: jsonCodec,
          push: (push) => got.push(JSON.parse(push.encoded(jsonCodec)).push.pub.offset),
        },
        {
          dropped(one) {
            got.push("dropped");
            topic.remove(one);
          },
        },
      );
      topic.add(subscription);
      const goLive = (position: number, epoch = "e") => {
        subscription.goLive(position);
        topic.joined(subscription, epoch);
      };
      return { subscription, got, goLive };
    },
    receive: (...offsets: number[]) => {
      for (const offset of offsets) topic.receive(publication(offset));
    },
    async pass(ms: number) {
      for (let step = 0; step < ms / 50; step += 1) {
        nowMs += 50;
        wheel.turn();
        await turn();
      }
    },
  };
}

/** With one subscription, live from the beginning. */
function live() {
  const under = setUp();
  const { got, goLive } = under.subscribe();
  goLive(0);
  return { ...under, got, goLive };
}

test("a publication that arrives while a subscription joins follows its reply, without repetition", async () => {
  const { topic, subscribe, receive, store } = setUp();
  const first = subscribe();
  receive(4, 5, 6);
  assert.deepEqual(first.got, []);
  first.goLive(5);
  assert.deepEqual(first.got, [6]);
  const second = subscribe();
  receive(7);
  assert.deepEqual([first.got, second.got], [[6, 7], []]);
  second.goLive(6);
  assert.deepEqual(second.got, [7]);
  assert.equal(topic.position, 7);
  assert.equal(store.limits.length, 0);
});

test("repeated and unordered messages change nothing", () => {
  const { got, receive } = live();
  receive(2, 2, 1, 1, 3, 2, 5, 4, 3);
  assert.deepEqual(got, [1, 2, 3, 4, 5]);
});

test("the topic waits for a gap, and then fills it once for all subscriptions", async () => {
  const { subscribe, receive, pass, commit, store } = setUp();
  const [first, second] = [subscribe(), subscribe()];
  commit(2);
  first.goLive(2);
  second.goLive(2);
  commit(3);
  receive(5);
  await pass(GAP_WAIT_MS - 50);
  assert.deepEqual([first.got, store.limits.length], [[], 0]);
  await pass(100);
  assert.deepEqual([first.got, second.got, store.limits.length], [[3, 4, 5], [3, 4, 5], 1]);
  receive(6);
  assert.deepEqual(first.got, [3, 4, 5, 6]);
});

test("a message that arrives late after all costs no read", async () => {
  const { got, receive, pass, store } = live();
  receive(2);
  receive(1);
  await pass(1000);
  assert.deepEqual([got, store.limits.length], [[1, 2], 0]);
});

test("while Postgres is away a gap stays, and is filled afterwards", async () => {
  const { got, receive, pass, commit, store } = live();
  commit(3);
  store.away = true;
  receive(3);
  await pass(GAP_WAIT_MS + 2 * GAP_RETRY_MS);
  assert.deepEqual(got, []);
  assert.ok(store.limits.length >= 2);
  store.away = false;
  await pass(GAP_RETRY_MS + 100);
  assert.deepEqual(got, [1, 2, 3]);
});

test("more than one page of missed publications is read page by page", async () => {
  const { got, topic, pass, commit, store } = live();
  commit(701);
  topic.compare("e", 701, 0);
  await pass(GAP_WAIT_MS + 200);
  assert.deepEqual(got, store.offsets);
  // A few first, which tell how many more there are, then whole pages.
  assert.deepEqual(store.limits, [16, 300, 300, 85]);
});

test("publications behind a gap are held up to a limit in bytes, and none is lost by it", async () => {
  const { got, topic, pass, commit, store } = live();
  commit(300);
  const large = (offset: number) => ({ ...publication(offset), text: "x".repeat(30_000) });
  for (let offset = 2; offset <= 300; offset += 1) topic.receive(large(offset));
  assert.equal(topic.pendingBytes, 60_000);
  await pass(GAP_WAIT_MS + 200);
  assert.deepEqual(got, store.offsets);
  assert.equal(topic.pendingBytes, 0);
});

test("publications that arrive while a subscription joins are held up to a limit in bytes, and none is lost by it", async () => {
  const { subscribe, receive, pass, commit, store } = setUp();
  const first = subscribe();
  first.goLive(0);
  const second = subscribe();
  commit(2000);
  receive(...store.offsets);
  second.goLive(0);
  const heldBytes = second.got.length * publication(1).text.length;
  assert.ok(heldBytes > 0 && heldBytes <= 64 * 1024);
  await pass(GAP_WAIT_MS + 500);
  assert.deepEqual([first.got, second.got], [store.offsets, store.offsets]);
});

test("a subscription that was read behind the others catches up, and the others get nothing twice", async () => {
  const { subscribe, receive, pass, commit } = setUp();
  commit(5);
  const [first, second] = [subscribe(), subscribe()];
  first.goLive(5);
  second.goLive(3);
  await pass(50);
  receive(6);
  assert.deepEqual([first.got, second.got], [[6], [4, 5, 6]]);
});

test("publications that retention has deleted cannot be recovered: the client is told to subscribe again", async () => {
  const { got, topic, receive, pass, commit, store } = live();
  commit(3);
  store.offsets.shift();
  receive(3);
  await pass(GAP_WAIT_MS + 100);
  assert.deepEqual(got, ["dropped"]);
  assert.ok(topic.isUnused);
});

test("another epoch, or a top offset below the delivered one, makes all clients subscribe again", async () => {
  const { topic, subscribe } = setUp();
  const first = subscribe();
  first.goLive(5);
  topic.compare("e", 5, 5);
  assert.deepEqual(first.got, []);
  const second = subscribe();
  second.goLive(2, "other");
  assert.deepEqual([first.got, second.got], [["dropped"], []]);
  topic.compare("other", 1, 2);
  assert.deepEqual(second.got, ["dropped"]);
});

test("a push has one log line with its trace id, however many connections it goes to; browsers do not get the trace id", () => {
  const { topic, subscribe, receive, lines } = setUp();
  const pushed: string[] = [];
  for (const _ of [1, 2]) {
    subscribe().goLive(0);
    const push = (one: SharedPush) => void pushed.push(one.encoded(jsonCodec));
    const subscriber = { codec: jsonCodec, push };
    const subscription = new Subscription(topic, subscriber, { dropped: () => undefined });
    topic.add(subscription);
    subscription.goLive(0);
  }
  topic.receive({ ...publication(1), traceId: "trace-1" });
  topic.receive({ ...publication(1), traceId: "trace-1" });
  receive(2);
  const line = { tenantId: "acme", eventId: "1", traceId: "trace-1", offset: 1, connections: 4 };
  assert.deepEqual(lines, [line]);
  assert.equal(pushed.length, 4);
  assert.ok(!pushed.join().includes("trace"));
});
