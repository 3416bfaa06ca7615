import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bound, HeldBytes, type Holder, UserBytes } from "./held-bytes.ts";

function setUp() {
  const held = new HeldBytes({ maxUserBytes: 100, maxProcessBytes: 250 });
  const released: [string, Bound][] = [];
  const holder = (name: string): Holder => ({
    heldBytes: 0,
    user: held.unauthenticated,
    release(bound) {
      released.push([name, bound]);
      held.count(this, this.user, 0);
    },
  });
  return { held, released, holder };
}

test("above a user's limit its fullest connection is dropped, and no other", () => {
  const { held, released, holder } = setUp();
  const [user, other] = [new UserBytes(), new UserBytes()];
  const [a, b, c, d] = ["a", "b", "c", "d"].map(holder) as [Holder, Holder, Holder, Holder];
  held.count(d, other, 90);
  held.count(a, user, 30);
  held.count(b, user, 50);
  held.count(c, user, 20);
  assert.deepEqual(released, []);
  held.count(c, user, 21);
  assert.deepEqual(released, [["b", "user"]]);
  assert.deepEqual([user.heldBytes, other.heldBytes, held.bytes], [51, 90, 141]);
});

test("above the limit of the process the fullest user's connections are dropped first, however small each is", () => {
  const { held, released, holder } = setUp();
  const users = [new UserBytes(), new UserBytes(), new UserBytes(), new UserBytes()];
  const single = ["a", "b", "c"].map(holder);
  for (const [index, one] of single.entries()) held.count(one, users[index]!, 60);
  const many = ["d", "e"].map(holder);
  for (const one of many) held.count(one, users[3]!, 35);
  assert.deepEqual(released, []);
  held.count(many[0]!, users[3]!, 36);
  assert.deepEqual(released, [["d", "process"]]);
  assert.equal(held.bytes, 215);
});

test("a connection's bytes count for its user once it is known, and are subtracted at the end", () => {
  const { held, holder } = setUp();
  const user = new UserBytes();
  const one = holder("a");
  held.count(one, held.unauthenticated, 40);
  assert.deepEqual([held.unauthenticated.heldBytes, user.heldBytes, held.bytes], [40, 0, 40]);
  held.count(one, user, 40);
  assert.deepEqual([held.unauthenticated.heldBytes, user.heldBytes, held.bytes], [0, 40, 40]);
  held.count(one, user, 0);
  assert.deepEqual([held.unauthenticated.heldBytes, user.heldBytes, held.bytes], [0, 0, 0]);
});
