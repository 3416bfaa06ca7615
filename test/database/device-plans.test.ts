import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Database, Pool } from "@belfry/database/connection";
import {
  settleDevices,
  storeDevice,
  takeDevices,
  usersWithDevices,
} from "@belfry/database/functions/devices";
import { parseSecretKeys } from "@belfry/database/secrets";
import { connectedDatabase, databaseOver } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";

const KEYS = parseSecretKeys(`t1:${Buffer.alloc(32, 1).toString("base64")}`);
const USERS = 1_000;
const DEVICES_OF_USER = 10;
const TABLES = ["devices", "device_sends"];

/** A device of the user; a token that another one has moves to it. */
const store = (db: Database, userId: string, deviceId: string, token = randomUUID()) =>
  storeDevice(db, KEYS, {
    ...{ tenantId: "a", userId, deviceId, name: null, target: { kind: "fcm", token } },
  });

/** Takes and settles the devices of one delivery of each user; half of the devices are gone. */
async function send(client: Pool, users: readonly string[]) {
  const claimed = users.map((userId) => ({ deliveryId: randomUUID(), tenantId: "a", userId }));
  const taken = (await takeDevices(client, claimed)).flat();
  const results = taken.map((device, at) => ({
    ...{ device, state: at % 2 === 0 ? ("gone" as const) : ("accepted" as const) },
    ...{ reason: null, vendorStatus: null, providerId: null },
  }));
  await settleDevices(client, results);
  return taken.length;
}

/** A tenant whose users have many devices. The connection's plans were made while it had none. */
async function filled(t: TestContext, isAnalyzed: boolean) {
  const { pool, db } = await connectedDatabase(t, { maxConnections: 1 });
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 100000)");
  await pool.query("analyze");
  for (let n = 0; n < 10; n += 1) await store(db, "first", `first-${n}`);
  await send(pool, ["first"]);
  await usersWithDevices(pool, [{ tenantId: "a", userId: "first" }]);
  await pool.query(
    `insert into devices (id, tenant_id, user_id, device_id, kind, token, token_hash)
     select gen_random_uuid(), 'a', 'user-' || n % $1::integer, 'device-' || n, 'fcm', 't', 'hash-' || n
     from generate_series(1, $1::integer * $2::integer) n`,
    [USERS, DEVICES_OF_USER],
  );
  await pool.query(
    `insert into device_sends (delivery_id, device_id, kind, state)
     select gen_random_uuid(), 'device-' || n, 'fcm', 'waiting' from generate_series(1, 10000) n`,
  );
  if (isAnalyzed) await pool.query("analyze");
  return pool;
}

const users = Array.from({ length: 20 }, (_, at) => `user-${at}`);
const statements: [what: string, most: number, work: (client: Pool) => Promise<void>][] = [
  [
    "registering a device",
    100,
    async (client) => await store(databaseOver(client), "user-7", "device-7"),
  ],
  [
    "asking which users have a device",
    50,
    async (client) => {
      const asked = users.map((userId) => ({ tenantId: "a", userId }));
      assert.ok((await usersWithDevices(client, asked)).every(Boolean));
    },
  ],
  [
    "taking and settling the devices of 20 deliveries",
    2_500,
    async (client) => assert.equal(await send(client, users), 20 * DEVICES_OF_USER),
  ],
];

for (const isAnalyzed of [false, true]) {
  for (const [what, most, work] of statements) {
    test(`${what} reads its own rows by index, ${isAnalyzed ? "with" : "before the first"} statistics`, async (t) => {
      await readsAtMost(await filled(t, isAnalyzed), most, TABLES, work);
    });
  }
}
