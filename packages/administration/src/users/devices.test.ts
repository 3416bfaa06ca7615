import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeviceTarget, MAX_DEVICES } from "@belfry/contracts/devices";
import { storeDevice } from "@belfry/database/functions/devices";
import { decryptSecret, deviceOwner, parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { actsIn, putActiveProvider } from "../../test/acts.ts";
import { refusesEach, tenantDatabase } from "../../test/database.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { deleteDevice, deleteDevicesOfUser, listDevices, putDevice } from "./devices.ts";

const KEYS = parseSecretKeys(`t1:${Buffer.alloc(32, 1).toString("base64")}`);
const SUBSCRIPTION = {
  endpoint: "https://push.example.com/a",
  keys: { p256dh: `B${"a".repeat(86)}`, auth: "b".repeat(22) },
};

async function world(t: Cleanup) {
  const under = await tenantDatabase(t);
  const { db, pool, tenantId } = under;
  const of = (tenant: string) => actsIn(db, tenant, { keys: async () => KEYS });
  const run = of(tenantId);
  const put = (deviceId: string, token = deviceId, userId = "ann") =>
    run(putDevice, { userId, deviceId, kind: "fcm", token });
  const ids = async (userId = "ann") =>
    (await run(listDevices, { userId })).devices.map(({ deviceId }) => deviceId);
  /** Returns the stored address of a device. */
  const target = async (deviceId: string): Promise<DeviceTarget> => {
    const [row] = await pool.sql`select id, token from devices
      where tenant_id = ${tenantId} and device_id = ${deviceId}`;
    return JSON.parse(await decryptSecret(KEYS, deviceOwner(tenantId, row.id), row.token));
  };
  return { ...under, of, run, put, ids, target };
}

test("a token belongs to the user who registered it last, in its own tenant", async (t) => {
  const { db, of, put, ids, target } = await world(t);
  const other = of((await createTenant(db, { name: "Other" })).id);
  await other(putDevice, { userId: "ann", deviceId: "phone", kind: "fcm", token: "shared" });
  await put("phone", "shared");
  await put("their-phone", "shared", "bob");
  assert.deepEqual([await ids("ann"), await ids("bob")], [[], ["their-phone"]]);
  assert.deepEqual(await target("their-phone"), { kind: "fcm", token: "shared" });
  assert.equal((await other(listDevices, { userId: "ann" })).devices.length, 1);
});

test("a user keeps the devices that were registered last, at most so many", async (t) => {
  const { put, ids } = await world(t);
  for (let n = 0; n < MAX_DEVICES; n += 1) await put(`device-${n}`);
  await put("device-0");
  await put("newest");
  const kept = await ids();
  assert.equal(kept.length, MAX_DEVICES);
  assert.deepEqual([kept[0], kept[1], kept.includes("device-1")], ["newest", "device-0", false]);
});

test("browsers that register themselves push out each other, before any device that the backend registered", async (t) => {
  const { db, tenantId, put, ids } = await world(t);
  await put("phone");
  for (let n = 0; n < 2 * MAX_DEVICES; n += 1) {
    const target = { kind: "fcm", token: `browser-${n}` } as const;
    const browser = {
      tenantId,
      userId: "ann",
      deviceId: target.token,
      target,
      name: null,
      days: 1,
    };
    await storeDevice(db, KEYS, browser);
  }
  const kept = await ids();
  assert.equal(kept.length, MAX_DEVICES);
  assert.deepEqual([kept[0], kept.at(-1)], [`browser-${2 * MAX_DEVICES - 1}`, "phone"]);
});

test("an erasure waits for a registration in progress and deletes its device", async (t) => {
  const { db, pool, tenantId, ids } = await world(t);
  const owner = { tenantId, userId: "ann" };
  const target = { kind: "fcm", token: "t" } as const;
  const deleted = await db.transaction().execute(async (transaction) => {
    await storeDevice(transaction, KEYS, { ...owner, deviceId: "phone", target, name: null });
    const waiting = deleteDevicesOfUser(db, owner);
    await Promise.race([untilBlocked(pool), waiting]);
    return { waiting };
  });
  assert.equal(await deleted.waiting, 1);
  assert.deepEqual(await ids(), []);
});

test("an endpoint is told of each new device, not of one that is registered again", async (t) => {
  const { pool, tenantId, put } = await world(t);
  await pool.sql`update tenants set uses_webhooks = true`;
  await pool.sql`insert into webhooks (id, tenant_id, url, types, secret)
    values (gen_random_uuid(), ${tenantId}, 'https://example.com/', '{device.added}', 'x')`;
  await put("phone");
  await put("phone");
  await put("phone", "phone", "bob");
  await pool.sql`update devices set ends_at = now() + interval '1 day'`;
  await put("phone", "phone", "bob");
  const told =
    await pool.sql`select payload::json -> 'data' as data from webhook_messages order by id`;
  assert.deepEqual(
    told.map(({ data }) => [data.userId, data.deviceId]),
    [
      ["ann", "phone"],
      ["bob", "phone"],
    ],
  );
  const [{ ends_at: endsAt }] = await pool.sql`select ends_at from devices`;
  assert.equal(endsAt, null, "the backend registered it");
});

test("a device that is registered again is known to have been reached, unless its token is new", async (t) => {
  const { pool, put, run } = await world(t);
  const seen = async () => (await run(listDevices, { userId: "ann" })).devices[0]?.seenAt !== null;
  await put("phone", "first");
  await pool.sql`update devices set seen_at = now()`;
  await put("phone", "first");
  assert.equal(await seen(), true);
  await put("phone", "second");
  assert.equal(await seen(), false);
});

test("a browser's key is stored with it: its own, or that of the tenant's Web Push", async (t) => {
  const { db, tenantId, run, target } = await world(t);
  const put = (deviceId: string, endpoint: string, more = {}) =>
    run(putDevice, {
      ...{ userId: "ann", deviceId, kind: "webpush", ...more },
      subscription: { ...SUBSCRIPTION, endpoint },
    });
  assert.equal((await run(listDevices, { userId: "ann" })).webPushKey, null);
  const settings = { subject: "mailto:ops@example.com" };
  const provider = { tenantId, channel: "DEVICE", kind: "webpush", settings } as const;
  const { settings: stored } = await putActiveProvider(db, provider, { keys: KEYS });
  const { webPushKey } = await run(listDevices, { userId: "ann" });
  assert.equal(webPushKey, stored.publicKey);
  const own = `B${"k".repeat(86)}`;
  await put("current", "https://push.example.com/1");
  await put("own", "https://push.example.com/2", { applicationServerKey: own });
  const keyOf = async (id: string) => Reflect.get(await target(id), "applicationServerKey");
  assert.deepEqual([await keyOf("current"), await keyOf("own")], [webPushKey, own]);
});

test("what does not fit the kind is refused with its field; an unknown device is not there", async (t) => {
  const { run } = await world(t);
  const of = { userId: "ann", deviceId: "a" };
  const webpush = (endpoint: string) => ({
    kind: "webpush" as const,
    subscription: { ...SUBSCRIPTION, endpoint },
  });
  await refusesEach(
    (device: object) => run(putDevice, { ...of, ...device } as never),
    [
      [{ kind: "webpush" }, /^subscription is required for webpush$/],
      [{ kind: "fcm" }, /^token is required for fcm$/],
      [{ kind: "fcm", token: "t", environment: "sandbox" }, /^environment is not for fcm$/],
      [webpush("ftp://a.example/"), /^subscription endpoint must be a URL/],
      [webpush("https://user@a.example/"), /^subscription endpoint must be a URL/],
      [webpush("no url"), /^subscription endpoint must be a URL/],
      [
        {
          kind: "webpush",
          subscription: { ...SUBSCRIPTION, keys: { ...SUBSCRIPTION.keys, p25h: "x" } },
        },
        /^subscription keys has an unknown field "p25h"$/,
      ],
    ],
  );
  await assert.rejects(run(deleteDevice, of), NotFound);
});
