import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@belfry/testing/eventually";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { createLogger } from "./logger.ts";
import { connectNats } from "./nats.ts";

function capture() {
  const lines: string[] = [];
  const log = createLogger({
    service: "test",
    level: "info",
    destination: { write: (line) => lines.push(line) },
  });
  return { log, lines };
}

test("a service that starts before NATS waits for it, and says so, but not all the time", async (t) => {
  const server = await ownNatsServer(t, { started: false });
  let tries = 0;
  const stranger = createServer((socket) => {
    tries += 1;
    socket.destroy();
  });
  stranger.listen(Number(new URL(server.url).port), "127.0.0.1");
  await once(stranger, "listening");
  let nowMs = 0;
  const clock = t.mock.method(performance, "now", () => nowMs);
  const { log, lines } = capture();
  const connecting = connectNats({ url: server.url, name: "early", log });
  while (tries < 4) await sleep(10);
  assert.equal(lines.filter((line) => line.includes("waiting for it")).length, 1);
  nowMs = 5_000;
  while (lines.length < 2) await sleep(10);
  clock.mock.restore();
  stranger.close();
  await once(stranger, "close");
  await server.start();
  await using nats = await connecting;
  assert.equal(nats.isConnected(), true);
});

test("the wait ends when the service is asked to stop", async (t) => {
  const server = await ownNatsServer(t, { started: false });
  const stop = new AbortController();
  const connecting = connectNats({
    url: server.url,
    name: "x",
    log: capture().log,
    signal: stop.signal,
  });
  stop.abort(new Error("SIGTERM"));
  await assert.rejects(connecting, /SIGTERM/);
});

test("of a server that takes connections and says nothing no connection is left behind", async (t) => {
  const open = new Set<Socket>();
  let tries = 0;
  const silent = createServer((socket) => {
    tries += 1;
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
  });
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const stop = new AbortController();
  const connecting = connectNats({
    url: `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    name: "x",
    log: capture().log,
    signal: stop.signal,
  });
  await eventually(() => tries > 0);
  stop.abort(new Error("SIGTERM"));
  await assert.rejects(connecting, /SIGTERM/);
  await eventually(() => open.size === 0);
});

test("a connection that was lost is known to be lost, and comes back by itself", async (t) => {
  const server = await ownNatsServer(t);
  await using nats = await connectNats({ url: server.url, name: "x", log: capture().log });
  await server.kill();
  await eventually(() => !nats.isConnected());
  await server.start();
  await eventually(() => nats.isConnected());
  await nats.nc.flush();
});

test("closing while NATS is away does not hang, and closing twice does no harm", async (t) => {
  const server = await ownNatsServer(t);
  const nats = await connectNats({ url: server.url, name: "x", log: capture().log });
  await server.kill();
  await eventually(() => !nats.isConnected());
  await Promise.all([nats.close(), nats.close()]);
  assert.equal(nats.isConnected(), false);
});

test("a password in the address is used and never logged", async (t) => {
  const server = await ownNatsServer(t);
  const { log, lines } = capture();
  const url = server.url.replace("nats://", "nats://someone:pa%24%24word@");
  await using nats = await connectNats({ url, name: "x", log });
  assert.equal(nats.isConnected(), true);
  assert.doesNotMatch(lines.join(""), /pa\$\$word|pa%24/);
});
