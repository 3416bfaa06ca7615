import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { VerifiedToken } from "@belfry/service/realtime-token";
import { assertEach } from "@belfry/testing/assert-each";
import { jsonCodec, SharedPush } from "./codec.ts";
import { LargeReads } from "./held-bytes.ts";
import { Hub } from "./hub.ts";
import type { Disconnect } from "./protocol.ts";
import type { ChannelState } from "./realtime-history.ts";
import type { Rpc } from "./rpc.ts";
import { Session } from "./session.ts";
import type { SessionDeps } from "./session-deps.ts";
import { createTenantStates, type TenantStates } from "./tenant-states.ts";
import { TimerWheel } from "./timer-wheel.ts";

const START_SECONDS = 1_800_000_000;

interface Options {
  postgresAway?: boolean;
  tenants?: TenantStates;
  rpc?: Rpc;
  shown?: SessionDeps["shownNotifications"];
}

/** A session without a socket. A token reads `user/tenant/seconds of life`, `…/concealed`, or `bad`. */
function setUp(options: Options = {}) {
  let nowMs = START_SECONDS * 1000;
  const log = { info: () => undefined, warn: () => undefined };
  const wheel = new TimerWheel({ tickMs: 50, nowMs: () => nowMs, onFault: assert.ifError });
  const reads: ((state?: Partial<ChannelState>) => void)[] = [];
  const history = {
    read: () =>
      new Promise<ChannelState>((resolve) => {
        reads.push((state) => resolve({ epoch: "e", top: 0, publications: [], ...state }));
      }),
  };
  const openFeeds = new Set<string>();
  const feed = {
    open(tenantId: string, userId: string) {
      const key = `${tenantId} ${userId}`;
      openFeeds.add(key);
      return { inForce: Promise.resolve(), close: () => void openFeeds.delete(key) };
    },
  };
  const deps: SessionDeps = {
    hub: new Hub(feed, { history, wheel, nowMs: () => nowMs, log }),
    history,
    largeReads: new LargeReads({ maxBytes: 1_000_000, maxUserBytes: 10_000_000 }),
    readPage: () => Promise.reject(new Error("not here")),
    rpc: options.rpc ?? (() => Promise.reject(new Error("away"))),
    shownNotifications: options.shown ?? (() => Promise.reject(new Error("away"))),
    tenants:
      options.tenants ??
      createTenantStates(async (ids) => {
        if (options.postgresAway) throw new Error("away");
        return new Set(ids);
      }),
    wheel,
    limits: {
      connectTimeoutMs: 10_000,
      pingIntervalMs: 25_000,
      pongTimeoutMs: 8_000,
      maxChannels: 2,
      maxChannelBytes: 512,
      maxConnectionsPerUser: 1,
      commandsPerSecond: 10,
      commandBurst: 10,
    },
    version: "test",
    async verifyToken(token): Promise<VerifiedToken> {
      const [sub, tenant, life, concealed] = token.split("/");
      if (sub === undefined || tenant === undefined) return { ok: false, fault: "invalid" };
      if (Number(life) <= 0) return { ok: false, fault: "expired" };
      const exp = Math.floor(nowMs / 1000) + Number(life);
      const claims = { sub, tenant, iat: 0, exp };
      return { ok: true, claims: { ...claims, ...(concealed && { concealed: true as const }) } };
    },
    nowMs: () => nowMs,
    nowSeconds: () => nowMs / 1000,
    log,
  };
  const open = () => {
    const sent: Record<string, unknown>[] = [];
    const ends: Disconnect[] = [];
    let backlog = 0;
    let isHeldBack = false;
    const session = new Session(
      {
        codec: jsonCodec,
        reply: (message) => void sent.push(JSON.parse(message)),
        replyWithNext: (message) => void sent.push({ ...JSON.parse(message), withNext: true }),
        push: (message) => void sent.push(JSON.parse(message)),
        backlogBytes: () => backlog,
        workDone: () => undefined,
        isHeldBack: () => isHeldBack,
        close: (disconnect) => void ends.push(disconnect),
      },
      deps,
    );
    return {
      session,
      sent,
      ends,
      setBacklog: (bytes: number) => {
        backlog = bytes;
      },
      holdBack: () => {
        isHeldBack = true;
      },
      async send(...messages: object[]) {
        session.receive(Buffer.from(messages.map((message) => JSON.stringify(message)).join("\n")));
        await settle();
      },
    };
  };
  return {
    open,
    reads,
    openFeeds,
    async pass(ms: number) {
      for (let step = 0; step < ms / 50; step += 1) {
        nowMs += 50;
        wheel.turn();
      }
      await settle();
    },
  };
}

function opened(options: Options = {}) {
  const under = setUp(options);
  return { ...under, ...under.open() };
}

async function settle() {
  for (let count = 0; count < 5; count += 1) await turn();
}

const connect = (life = 3600, user = "1") => ({
  id: 1,
  connect: { token: `${user}/acme/${life}` },
});

test("a connection with an expired token lives 25 s more, for a refresh in progress, and is then closed", async () => {
  const { pass, openFeeds, sent, ends, send } = opened();
  await send(connect(10));
  assert.equal((sent[0] as { connect: { ttl: number } }).connect.ttl, 10);
  let answered = 0;
  const passAnswering = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1000) {
      await pass(1000);
      const pings = sent.filter((message) => Object.keys(message).length === 0).length;
      if (pings > answered) await send({});
      answered = pings;
    }
  };
  await passAnswering(20_000);
  await send({ id: 2, refresh: { token: "1/acme/15" } });
  assert.partialDeepStrictEqual(sent.at(-1), { id: 2, refresh: { expires: true, ttl: 15 } });
  await passAnswering(39_000);
  assert.deepEqual(ends, []);
  await pass(2000);
  assert.deepEqual(ends, [{ code: 3005, reason: "connection expired" }]);
  assert.equal(openFeeds.size, 0);
});

test("the reply to a connect waits for that of a subscribe in the same frame, and for nothing else", async () => {
  const subscribe = { id: 2, subscribe: { channel: "personal#1" } };
  const others = [[], [{ id: 2, rpc: { method: "inbox.list" } }], [subscribe]];
  const waits: unknown[] = [];
  for (const other of others) {
    const { sent, send } = opened();
    await send(connect(), ...other);
    waits.push(sent[0]?.withNext);
  }
  assert.deepEqual(waits, [undefined, undefined, true]);
});

test("an expired, invalid or foreign refresh token ends the session", async () => {
  const codes: [string, number][] = [
    ["1/acme/0", 3005],
    ["bad", 3500],
    ["2/acme/60", 3500],
    ["1/globex/60", 3500],
    ["", 3501],
  ];
  for (const [token, code] of codes) {
    const { ends, send } = opened();
    await send(connect());
    await send({ id: 2, refresh: { token } });
    assertEach(ends, (end) => end.code, [code], token);
  }
});

test("while Postgres is away an unknown tenant's connect is a temporary error", async () => {
  const { open, pass } = setUp({ postgresAway: true });
  const { sent, ends, send } = open();
  await send(connect(), { id: 2, subscribe: { channel: "a#1" } });
  const error = { code: 100, message: "internal server error", temporary: true };
  assert.deepEqual(sent, [{ id: 1, error }]);
  await pass(11_000);
  assert.deepEqual(ends, [{ code: 3000, reason: "connection closed" }]);
});

test("a tenant whose state was forgotten before its answer arrived is read again", async () => {
  const answers = [true, false];
  const tenants = {
    isActive: async () => answers.shift() ?? false,
    isKnownActive: () => false,
    refresh: async () => new Set<string>(),
  };
  const { open, openFeeds } = setUp({ tenants });
  const { ends, send } = open();
  await send(connect());
  assert.deepEqual(answers, []);
  assert.deepEqual(ends, [{ code: 3500, reason: "invalid token" }]);
  assert.equal(openFeeds.size, 0);
});

test("an unanswered ping ends the session, an answered one does not, and an unrequested pong does", async () => {
  const { pass, sent, ends, send } = opened();
  await send(connect());
  sent.length = 0;
  // The first ping comes at a random time in the second half of the interval.
  let waitedMs = 0;
  for (; sent.length === 0 && waitedMs <= 26_000; waitedMs += 1000) await pass(1000);
  assert.deepEqual(sent, [{}]);
  assert.ok(waitedMs >= 12_500 && waitedMs <= 26_000);
  await send({});
  await pass(9_000);
  assert.deepEqual(ends, []);
  const silent = setUp();
  const other = silent.open();
  await other.send(connect());
  await silent.pass(34_000);
  assert.deepEqual(other.ends, [{ code: 3012, reason: "no pong" }]);
  const hasty = setUp().open();
  await hasty.send(connect());
  await hasty.send({});
  assert.deepEqual(hasty.ends, [{ code: 3501, reason: "bad request" }]);
});

test("subscribes run in parallel, every other command waits for them", async () => {
  const { reads, sent, send } = opened();
  await send(
    connect(),
    { id: 2, subscribe: { channel: "a#1" } },
    { id: 3, subscribe: { channel: "b#1" } },
    { id: 4, unsubscribe: { channel: "a#1" } },
    { id: 5, subscribe: { channel: "a#1" } },
  );
  assert.equal(reads.length, 2);
  assertEach(sent, ({ id }) => id, [1]);
  reads[1]!();
  await settle();
  assertEach(sent, ({ id }) => id, [1, 3]);
  reads[0]!();
  await settle();
  assertEach(sent, ({ id }) => id, [1, 3, 2, 4]);
  reads[2]!();
  await settle();
  assertEach(sent, ({ id }) => id, [1, 3, 2, 4, 5]);
});

test("a client that does not read its answers gets no more work done", async () => {
  const { session, sent, send, setBacklog } = opened();
  await send(connect());
  setBacklog(1_000_000);
  await send({ id: 2, unsubscribe: { channel: "x" } });
  assert.equal(sent.length, 1);
  setBacklog(0);
  session.resume();
  await settle();
  assert.deepEqual(sent[1], { id: 2, unsubscribe: {} });
});

test("positions are read in parallel; missed publications one after the other, each after all earlier reads", async () => {
  const { reads, session, sent, send, setBacklog } = opened();
  const recover = { recover: true, offset: 1, epoch: "e" };
  await send(
    connect(),
    { id: 2, subscribe: { channel: "a#1", ...recover } },
    { id: 3, subscribe: { channel: "b#1", ...recover } },
  );
  assert.equal(reads.length, 2);
  setBacklog(1);
  for (const answer of reads.splice(0)) answer({ top: 2 });
  await settle();
  assert.equal(reads.length, 0);
  const publications = [{ offset: 2 } as never];
  for (const id of [2, 3]) {
    setBacklog(0);
    session.resume();
    await settle();
    assert.equal(reads.length, 1, "one at a time");
    setBacklog(1);
    reads.shift()!({ top: 2, publications });
    await settle();
    assert.partialDeepStrictEqual(sent.at(-1), {
      id,
      subscribe: { recovered: true, publications },
    });
  }
});

test("a call begins after all earlier reads, and an end in between leaves nothing", async () => {
  const { session, sent, send, setBacklog } = opened();
  await send(connect());
  setBacklog(1);
  await send({ id: 2, rpc: { method: "notifications.list" } });
  assert.equal(sent.length, 1);
  assert.ok(session.heldBytes > 512);
  session.closed();
  assert.equal(session.heldBytes, 0);
});

test("changes that a client sent before it left are made one after the other; its reads are not", async () => {
  const done: unknown[] = [];
  const { promise: listed, resolve: list } = Promise.withResolvers<void>();
  const { session, sent, ends, send, setBacklog } = opened({
    async rpc(_owner, method, data) {
      if (method === "notifications.list") await listed;
      done.push([method, data]);
      return { ok: true, data: {} };
    },
  });
  const call = (id: number, method: string, data: object) => ({ id, rpc: { method, data } });
  await send(connect(), call(2, "notifications.list", {}));
  setBacklog(1);
  const marks = [11, 12, 13, 14, 15].map((id) => call(id, "notifications.mark_read", { id }));
  await send(call(3, "notifications.unread_count", {}), ...marks);
  session.closed();
  list();
  await settle();
  assert.deepEqual(
    done.slice(1),
    // The number that a page may mark just before the user leaves it. A script that opens and leaves pages gains nothing.
    [11, 12, 13, 14].map((id) => ["notifications.mark_read", { id }]),
  );
  assert.deepEqual([session.heldBytes, sent.length, ends], [0, 1, []]);
});

test("an ended session drops all its waiting work", async () => {
  const done: string[] = [];
  const { session, send, setBacklog } = opened({
    async rpc(_owner, method) {
      done.push(method);
      return { ok: true, data: {} };
    },
  });
  await send(connect());
  setBacklog(1);
  await send({ id: 2, rpc: { method: "notifications.mark_all_read", data: {} } });
  session.end({ code: 3503, reason: "force disconnect" });
  session.closed();
  setBacklog(0);
  session.resume();
  await settle();
  assert.deepEqual([done, session.heldBytes], [[], 0]);
});

test("a pong that may wait behind our own work ends no session, except that of a client that does not read", async () => {
  for (const unread of [false, true]) {
    const { pass, ends, send, holdBack, setBacklog } = opened();
    await send(connect());
    holdBack();
    setBacklog(unread ? 1 : 0);
    await pass(60_000);
    assert.deepEqual(ends, unread ? [{ code: 3012, reason: "no pong" }] : []);
  }
});

test("a fault in one call is a temporary error of that call", async () => {
  const { sent, ends, send } = setUp().open();
  await send(connect(), { id: 2, rpc: { method: "notifications.list" } });
  const error = { code: 100, message: "internal server error", temporary: true };
  assert.deepEqual(sent[1], { id: 2, error });
  assert.deepEqual(ends, []);
});

test("a session that ends while it connects leaves nothing behind", async () => {
  const { open, openFeeds } = setUp();
  // The tenant is unknown the first time, and known the second.
  for (const _ of ["asked for", "known"]) {
    const { session, sent, send } = open();
    const sending = send(connect());
    session.closed();
    await sending;
    assert.deepEqual([sent, openFeeds.size], [[], 0]);
  }
  const next = open();
  await next.send(connect());
  assert.equal(next.sent.length, 1);
});

test("a concealed session sends its allowed publications in order, and ends if it cannot know which they are", async () => {
  const asked: [string[], (shown: Set<string>) => void, (err: Error) => void][] = [];
  const rpc: Rpc = async (_, method) => ({
    ok: true,
    data: method === "notifications.list" ? { notifications: [{ id: "n1" }, { id: "n2" }] } : {},
  });
  const shown: SessionDeps["shownNotifications"] = (_, ids) =>
    new Promise((resolve, reject) => asked.push([[...ids], resolve, reject]));
  const { sent, ends, send, session } = opened({ rpc, shown });
  await send({ id: 1, connect: { token: "1/acme/3600/concealed" } });
  const list = (id: number) => ({ id, rpc: { method: "notifications.list" } });
  await send(list(2), { id: 3, rpc: { method: "notifications.unread_count" } });
  const message = { data: { type: "marked", id: "n1", unread: 0 } };
  session.push(new SharedPush({ message }));
  await settle();
  assert.deepEqual([sent.length, asked.length], [1, 1], "nothing overtakes what waits");
  assert.deepEqual(asked[0]?.[0], ["n1", "n2"]);
  asked[0]?.[1](new Set(["n2"]));
  await settle();
  assert.partialDeepStrictEqual(sent.slice(1), [
    { id: 2, rpc: { data: { notifications: [{ id: "n1", body: "" }, { id: "n2" }] } } },
    { push: { message } },
    { id: 3, rpc: { data: {} } },
  ]);
  await send({ id: 4, refresh: { token: "1/acme/60/concealed" } });
  assert.partialDeepStrictEqual(sent.at(-1), { id: 4, refresh: { expires: true } });
  await send(list(5));
  asked[1]?.[2](new Error("Postgres is away"));
  await settle();
  assert.deepEqual([sent.length, ends.map(({ code }) => code)], [5, [3004]]);

  for (const [first, next] of [
    ["1/acme/60/concealed", "1/acme/60"],
    ["1/acme/60", "1/acme/60/concealed"],
  ]) {
    const other = opened();
    await other.send({ id: 1, connect: { token: first } });
    await other.send({ id: 2, refresh: { token: next } });
    assert.deepEqual(
      other.ends.map(({ code }) => code),
      [3500],
      `${first} and ${next}`,
    );
  }
});
