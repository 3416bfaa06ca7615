import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { WebSocket } from "ws";
import {
  client,
  connectedUntilEnded,
  type Ended,
  offsets,
  PROTOCOLS,
  rawClient,
  subscribed,
  upTo,
} from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const alice = { tenant: "acme", user: "42" };

for (const protocol of PROTOCOLS) {
  test(`the limits of the gateway, at their edges, in ${protocol}`, async (t) => {
    const world = await createWorld(t);
    const gateway = await world.startGateway({
      MAX_CHANNELS_PER_CONNECTION: "3",
      MAX_CHANNEL_NAME_BYTES: "32",
      MAX_CONNECTIONS_PER_USER: "2",
      COMMANDS_PER_SECOND: "1",
      COMMAND_BURST: "10",
      MAX_QUEUE_BYTES: "65536",
      ALLOWED_ORIGINS: "https://app.example.com, https://*.example.org",
    });
    const { url } = gateway;
    let users = 0;
    const connect = async (name?: string) => {
      users += 1;
      const user = name ?? `user ${users}`;
      return { id: 1, connect: { token: await world.token({ tenant: "acme", user }) } };
    };

    await t.test("a fourth channel is error 106, and 33 bytes of a name error 107", async (t) => {
      const raw = await rawClient(t, url, { protocol });
      raw.send(
        await connect("42"),
        ...["a#42", "b#42", `${"x".repeat(29)}#42`, "d#42", "c#42"].map((channel, index) => ({
          id: index + 2,
          subscribe: { channel },
        })),
      );
      for (const wanted of [2, 3, 4, 5, 6]) await raw.find(({ id }) => id === wanted);
      const codes = raw.messages.map(({ id, error }) => [id, (error as Ended | undefined)?.code]);
      codes.sort(([a], [b]) => Number(a) - Number(b));
      assert.deepEqual(codes.slice(1), [
        [2, undefined],
        [3, undefined],
        [4, undefined],
        [5, 106],
        [6, 106],
      ]);
      raw.send(
        { id: 7, unsubscribe: { channel: "a#42" } },
        { id: 8, subscribe: { channel: `${"x".repeat(30)}#42` } },
      );
      assert.equal(((await raw.find(({ id }) => id === 8)).error as Ended).code, 107);
      raw.socket.close();
      await raw.closed;
    });

    await t.test("a user's third connection to a gateway is closed for good", async (t) => {
      const pages = [
        client(t, url, { token: await world.token(alice) }),
        client(t, url, { token: await world.token(alice) }),
      ];
      for (const page of pages) page.connect();
      await Promise.all(pages.map((page) => page.ready(60_000)));
      const third = client(t, url, { token: await world.token(alice) });
      assert.deepEqual(await connectedUntilEnded(third), {
        code: 3504,
        reason: "connection limit",
      });
    });

    await t.test("commands above the rate get error 111, and a flood of them 3013", async (t) => {
      const raw = await rawClient(t, url, { protocol });
      const user = "flooder";
      const unsubscribe = (id: number) => ({ id, unsubscribe: { channel: "x" } });
      // In one frame: nothing is given back meanwhile.
      raw.send(await connect(user), ...Array.from({ length: 11 }, (_, at) => unsubscribe(at + 2)));
      const refused = await raw.find(({ id }) => id === 12);
      assert.deepEqual(refused.error, { code: 111, message: "too many requests", temporary: true });
      assert.deepEqual((await raw.find(({ id }) => id === 10)).unsubscribe, {});
      for (let id = 13; id <= 40; id += 1) raw.send(unsubscribe(id));
      assert.deepEqual(await raw.closed, { code: 3013, reason: "too many requests" });
    });

    await t.test("a page of another origin is refused with 403, and logged", async (t) => {
      const status = (origin: string | undefined) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(url, origin === undefined ? {} : { headers: { origin } });
          socket.on("open", () => resolve(101));
          socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
          socket.on("error", reject);
          t.after(() => socket.terminate());
        });
      const expected: [string | undefined, number][] = [
        [undefined, 101],
        ["https://app.example.com", 101],
        ["https://a.b.example.org", 101],
        ["https://example.org", 403],
        ["https://evil.example.com", 403],
        ["http://app.example.com", 403],
        ["https://app.example.com.evil.net", 403],
        ["https://evilexample.org", 403],
        ["null", 403],
      ];
      for (const [origin, code] of expected) assert.equal(await status(origin), code, origin);
      await eventually(() =>
        gateway.process.logs().some((line) => line.refusedOrigin === "https://evil.example.com"),
      );
    });

    await t.test("who does not read is dropped with 3008, and others go on", async (t) => {
      const user = { tenant: "acme", user: "slow" };
      const channel = "personal#slow";
      const slow = await rawClient(t, url, { protocol });
      slow.send(await connect("slow"), { id: 2, subscribe: { channel } });
      await slow.find(({ id }) => id === 2);
      const page = client(t, url, { token: await world.token(user) });
      const { got } = await subscribed(page, channel);
      slow.socket.pause();
      // The kernel's buffers of loopback take some megabytes first.
      const body = "x".repeat(100_000);
      for (let count = 0; count < 150; count += 1) await world.publish(user, { body });
      await eventually(() => got.length === 150);
      await eventually(() => gateway.process.logs().some((line) => line.reason === "slow"));
      assert.deepEqual(offsets(got), upTo(150));
      assert.equal(page.state, "connected");
    });
  });
}

test("beyond the admitted rate the handshake is answered 503, and every client gets in", async (t) => {
  const world = await createWorld(t);
  const { url } = await world.startGateway({ CONNECTIONS_PER_SECOND: "20" });
  const pages = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const token = await world.token({ tenant: "acme", user: String(index) });
      return client(t, url, { token, maxReconnectDelay: 500 });
    }),
  );
  const since = performance.now();
  for (const page of pages) page.connect();
  await Promise.all(pages.map((page) => page.ready(60_000)));
  // 40 at once, the rest at 20 a second.
  assert.ok(performance.now() - since > 700);
});

for (const protocol of PROTOCOLS) {
  test(`in ${protocol} a socket that never connects is closed with 3502, one that answers no ping with 3012`, async (t) => {
    const world = await createWorld(t);
    const { url } = await world.startGateway({
      CONNECT_TIMEOUT_MS: "1000",
      PING_INTERVAL_MS: "1000",
      PONG_TIMEOUT_MS: "500",
    });
    const since = performance.now();
    const silent = await rawClient(t, url, { protocol });
    assert.deepEqual(await silent.closed, { code: 3502, reason: "stale" });
    assert.ok(performance.now() - since > 900);
    const connect = { token: await world.token(alice) };
    for (;;) {
      const deaf = await rawClient(t, url, { protocol });
      deaf.send({ id: 1, connect });
      const { code, reason } = await deaf.closed;
      // On a busy machine the connect itself may come too late.
      if (code === 3502) continue;
      assert.deepEqual({ code, reason }, { code: 3012, reason: "no pong" });
      assert.ok(
        deaf.messages.some((message) => Object.keys(message).length === 0),
        "a ping came",
      );
      return;
    }
  });

  test(`SIGTERM: everyone in ${protocol} stays for SHUTDOWN_DELAY_MS, then is closed with 3001, and nothing is left`, async (t) => {
    const world = await createWorld(t);
    const delayMs = 1_000;
    const gateway = await world.startGateway({ SHUTDOWN_DELAY_MS: String(delayMs) });
    const raws = await Promise.all(
      Array.from({ length: 10 }, () => rawClient(t, gateway.url, { protocol })),
    );
    for (const [index, raw] of raws.entries()) {
      const token = await world.token({ tenant: "acme", user: String(index) });
      raw.send({ id: 1, connect: { token } });
      await raw.find(({ id }) => id === 1);
    }
    const askedAt = performance.now();
    const exited = gateway.process.stop();
    await Promise.race(raws.map(({ closed }) => closed));
    assert.ok(performance.now() - askedAt >= delayMs - 1);
    for (const { closed } of raws) {
      assert.deepEqual(await closed, { code: 3001, reason: "shutdown" });
    }
    assert.equal(await exited, 0);
  });
}
