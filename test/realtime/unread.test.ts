import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import type { TestProcess } from "@belfry/testing/processes";
import { client, type RawClient, rawClient, subscribed } from "./clients.ts";
import { createWorld, type Recipient, type World } from "./gateway-under-test.ts";

const SOCKETS = 100;
const CHANNELS = 16;
const MISSED = 300;
/** Far less than what is asked of it, which is two gigabytes. */
const SMALL_HEAP = { NODE_OPTIONS: "--max-old-space-size=96" };
const MIB = 1024 * 1024;
const MAX_BYTES_IN_ALL = 64 * MIB;
const reader = { tenant: "acme", user: "reader" };
const attacker = { tenant: "acme", user: "attacker" };

/** A gateway with a small heap, and a page that reads all it is sent and must never notice anything. */
async function setUp(t: TestContext, env: Record<string, string> = {}) {
  const world = await createWorld(t);
  const { url, process } = await world.startGateway({
    ...SMALL_HEAP,
    MAX_QUEUE_BYTES_IN_ALL: String(MAX_BYTES_IN_ALL),
    ...env,
  });
  const page = client(t, url, { token: await world.token(reader) });
  const ended: unknown[] = [];
  page.on("disconnected", (context) => ended.push(context));
  const { got } = await subscribed(page, "personal#reader");
  page.on("connecting", (context) => ended.push(context));
  let published = 0;
  /** Publishes to the healthy page, and waits until it has it. */
  const serves = async () => {
    published += 1;
    await world.publish(reader);
    await eventually(() => got.length === published);
    assert.deepEqual(ended, []);
  };
  return {
    ...{ world, url, process, serves },
    async holdsFew() {
      const held = await metric(process, "belfry_queue_bytes");
      assert.ok(held <= MAX_BYTES_IN_ALL, `${held} bytes are held`);
    },
    async recovers() {
      await eventually(async () => (await metric(process, "belfry_queue_bytes")) === 0);
      await serves();
    },
  };
}

async function metric(process: TestProcess, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${process.managementPort}/metrics`);
  const line = (await response.text()).split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.split(" ")[1]);
}

/** Sockets of one token that have subscribed to nothing yet, and from now on read nothing. */
async function deafSockets(t: TestContext, url: string, world: World, count: number) {
  const token = await world.token(attacker);
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const raw = await rawClient(t, url);
      raw.send({ id: 1, connect: { token } });
      await raw.find(({ id }) => id === 1);
      raw.socket.pause();
      return raw;
    }),
  );
}

async function storeMissed(world: World, to: Recipient): Promise<string[]> {
  const names = Array.from({ length: CHANNELS }, (_, index) => `channel${index}`);
  for (const name of names) {
    await world.db.query(
      `insert into notifications select gen_random_uuid(), $1, $2, 'a.b', 't', $3, $4, n, now(), null
       from generate_series(1, $5::integer) n`,
      [to.tenant, to.user, "x".repeat(4000), name, MISSED],
    );
    await world.db.query("insert into realtime_channels values ($1, $2, $3, $4)", [
      to.tenant,
      to.user,
      name,
      MISSED,
    ]);
  }
  return names;
}

test("two gigabytes of recovery that one token asks for and does not read end no gateway", async (t) => {
  const { world, url, serves, holdsFew, recovers } = await setUp(t);
  const names = await storeMissed(world, attacker);
  const { rows } = await world.db.query<{ epoch: string }>("select epoch from realtime_epoch");
  const { epoch } = rows[0]!;
  await serves();
  const sockets = await deafSockets(t, url, world, SOCKETS);
  let id = 1;
  const subscribeAll = (raw: RawClient) =>
    raw.send(
      ...names.map((name) => {
        id += 1;
        const channel = `${name}#${attacker.user}`;
        return { id, subscribe: { channel, recover: true, offset: 0, epoch } };
      }),
    );
  for (let round = 0; round < 8; round += 1) {
    // Again and again: what was refused for now is asked for anew.
    sockets.forEach(subscribeAll);
    await serves();
    await holdsFew();
  }
  for (const raw of sockets) raw.socket.terminate();
  await recovers();
});

test("after a pause of the gateway a page that reads is given all of it, and stays", async (t) => {
  const world = await createWorld(t);
  // Less than what one turn of the gateway reads from NATS.
  const { url, process } = await world.startGateway({ MAX_QUEUE_BYTES: "16384" });
  const page = client(t, url, { token: await world.token(reader) });
  const { got } = await subscribed(page, "personal#reader");
  const ended: unknown[] = [];
  page.on("connecting", (context) => ended.push(context));
  process.signal("SIGSTOP");
  for (let count = 0; count < MISSED; count += 1) {
    await world.publish(reader, { body: "x".repeat(4000) });
  }
  await world.nc.flush();
  process.signal("SIGCONT");
  await eventually(() => got.length === MISSED);
  assert.deepEqual(ended, []);
});

test("half frames of strangers are counted, and given up before they end a gateway", async (t) => {
  const { url, process, serves } = await setUp(t, { MAX_QUEUE_BYTES_PER_USER: String(MIB) });
  const { port, pathname } = new URL(url);
  const closed: unknown[] = [];
  for (let count = 0; count < 40; count += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    t.after(() => socket.destroy());
    socket.on("error", () => undefined).on("close", () => closed.push(count));
    const lines = ["Host: x", "Connection: Upgrade", "Upgrade: websocket"];
    lines.push("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
    socket.write([`GET ${pathname} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    await once(socket, "data");
    // A frame of 60,000 bytes that lacks its last.
    socket.write(
      Buffer.concat([Buffer.of(0x81, 0xfe, 0xea, 0x60, 0, 0, 0, 0), Buffer.alloc(59_999)]),
    );
  }
  await eventually(() => closed.length > 0);
  await serves();
  const held = await metric(process, "belfry_queue_bytes");
  assert.ok(held > MIB / 2 && held <= MIB, `${held} bytes are held`);
});

test("calls that one token sends and whose answers it does not read end no gateway", async (t) => {
  const { world, url, serves, holdsFew, recovers } = await setUp(t);
  await storeMissed(world, attacker);
  const sockets = await deafSockets(t, url, world, 30);
  const filler = "x".repeat(64_000);
  for (const raw of sockets) {
    for (let id = 2; id < 52; id += 1) {
      raw.send({ id, rpc: { method: "notifications.list", data: { filler } } });
    }
  }
  for (let round = 0; round < 5; round += 1) {
    await serves();
    await holdsFew();
  }
  for (const raw of sockets) raw.socket.terminate();
  await recovers();
});
