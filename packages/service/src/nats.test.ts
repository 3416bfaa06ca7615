import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeRealtimeMessage, userSubjectToken } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { eventually } from "@belfry/testing/eventually";
import { ownNatsServer } from "@belfry/testing/nats-server";
import type { NatsConnection } from "@nats-io/transport-node";
import { createLogger } from "./logger.ts";
import { announce, connectNats } from "./nats.ts";

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

/** A server that takes connections and says nothing, but for what `onConnection` does; `tryNumber` counts from 1. */
async function startSilentServer(
  t: TestContext,
  onConnection: (socket: Socket, tryNumber: number) => void = () => undefined,
) {
  const under = { open: new Set<Socket>(), tries: 0, url: "" };
  const server = createServer((socket) => {
    under.tries += 1;
    under.open.add(socket);
    socket.on("error", () => undefined).on("close", () => under.open.delete(socket));
    onConnection(socket, under.tries);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  under.url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return under;
}

test("of a server that takes connections and says nothing no connection is left behind", async (t) => {
  const under = await startSilentServer(t);
  const stop = new AbortController();
  const { signal } = stop;
  const connecting = connectNats({ url: under.url, name: "x", log: capture().log, signal });
  await eventually(() => under.tries > 0);
  stop.abort(new Error("SIGTERM"));
  await assert.rejects(connecting, /SIGTERM/);
  await eventually(() => under.open.size === 0);
});

test("a link that is closed while a silent server keeps it from reconnecting leaves no connection behind", async (t) => {
  const under = await startSilentServer(t, (socket, tryNumber) => {
    if (tryNumber > 1) return;
    const info = { server_id: "x", version: "2.10.0", proto: 1, headers: true, max_payload: 1024 };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on("data", (data) => {
      if (data.includes("PING")) socket.write("PONG\r\n");
    });
  });
  const link = await connectNats({ url: under.url, name: "x", log: capture().log });
  for (const socket of under.open) socket.destroy();
  await eventually(() => under.tries > 1);
  await link.close();
  await eventually(() => under.open.size === 0);
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

const MESSAGE = { version: 1, kind: "preferences", userId: "ann" } as const;

function linkOf(isConnected: boolean, publish: (subject: string, message: string) => void) {
  const nc = { publish } as unknown as NatsConnection;
  return { nc, isConnected: () => isConnected };
}

test("what is announced goes to its user's subject; with NATS away or closing nothing is kept, and nothing thrown", () => {
  const sent: [string, unknown][] = [];
  const publish = (subject: string, message: string) =>
    void sent.push([subject, decodeRealtimeMessage(new TextEncoder().encode(message))]);
  assert.equal(announce(linkOf(true, publish), "p", "acme", MESSAGE), true);
  assert.deepEqual(sent.splice(0), [
    [realtimeSubject("p", "acme", userSubjectToken("ann")), MESSAGE],
  ]);
  assert.equal(announce(undefined, "p", "acme", MESSAGE), false);
  assert.equal(announce(linkOf(false, publish), "p", "acme", MESSAGE), false);
  assert.deepEqual(sent, []);
  const closing = linkOf(true, () => {
    throw new Error("draining");
  });
  assert.equal(announce(closing, "p", "acme", MESSAGE), false);
});
