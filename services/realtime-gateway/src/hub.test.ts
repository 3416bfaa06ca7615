import assert from "node:assert/strict";
import { test } from "node:test";
import type { RealtimeMessage } from "@belfry/contracts/realtime-message";
import { jsonCodec } from "./codec.ts";
import { Hub, type Member } from "./hub.ts";
import type { TopicDeps } from "./topic.ts";

function setUp() {
  const feeds = new Map<string, (message: RealtimeMessage) => void>();
  const feed = {
    open(tenantId: string, userId: string, onMessage: (message: RealtimeMessage) => void) {
      const key = `${tenantId}/${userId}`;
      assert.ok(!feeds.has(key), "one subscription a user");
      feeds.set(key, onMessage);
      return { inForce: Promise.resolve(), close: () => void feeds.delete(key) };
    },
  };
  const hub = new Hub(feed, {} as TopicDeps);
  const member = () => {
    const pushed: unknown[] = [];
    const ends: unknown[] = [];
    const made: Member & { pushed: unknown[]; ends: unknown[] } = {
      pushed,
      ends,
      push: (push) => void pushed.push(JSON.parse(push.encoded(jsonCodec))),
      end: (disconnect) => void ends.push(disconnect),
    };
    return made;
  };
  return { hub, feeds, member };
}

const marked = (userId: string): RealtimeMessage => ({
  version: 1,
  kind: "marked",
  userId,
  notificationId: "all",
  unread: 0,
});

test("the connections of a user share one NATS subscription, which ends with the last of them", () => {
  const { hub, feeds, member } = setUp();
  const [first, second, third] = [member(), member(), member()];
  const user = hub.enter(first, "acme", "1", 2);
  assert.equal(hub.enter(second, "acme", "1", 2), user);
  assert.equal(hub.enter(third, "acme", "1", 2), undefined);
  assert.notEqual(hub.enter(third, "globex", "1", 2), user);
  hub.leave(first, user!);
  assert.ok(feeds.has("acme/1"));
  hub.leave(second, user!);
  assert.deepEqual([...feeds.keys()], ["globex/1"]);
});

test("a message of another user under the same subject reaches nobody", () => {
  const { hub, feeds, member } = setUp();
  const one = member();
  hub.enter(one, "acme", "1", 2);
  feeds.get("acme/1")?.(marked("2"));
  feeds.get("acme/1")?.({ version: 1, kind: "disconnect", userId: "2" });
  assert.deepEqual([one.pushed, one.ends], [[], []]);
  feeds.get("acme/1")?.(marked("1"));
  assert.deepEqual(one.pushed, [
    { push: { message: { data: { type: "marked", id: "all", unread: 0 } } } },
  ]);
});
