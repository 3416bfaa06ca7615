import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_CATEGORIES, PREFERENCE_CHANNELS } from "@belfry/contracts/preferences";
import { createDatabase, createPool } from "@belfry/database/connection";
import { decryptSecret, deviceOwner, parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { aRecipient } from "@belfry/testing/rows";
import { createRpc } from "./rpc.ts";

const ANN = { tenantId: "acme", userId: "ann" };
const KEYS = parseSecretKeys(`t1:${Buffer.alloc(32, 1).toString("base64")}`);
const OFF = { category: "*", channel: "EMAIL", enabled: false } as const;

async function world(t: Cleanup, maxConnections: number) {
  const { url, pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 60)");
  const db = createDatabase(createPool({ url, applicationName: "test", maxConnections }));
  t.after(() => db.destroy());
  const announced: string[] = [];
  const reads: number[] = [];
  let minutes = 0;
  const rpc = createRpc({
    db,
    now: () => minutes * 60_000,
    secretKeys: KEYS,
    readLarge(_owner, maxBytes, read) {
      reads.push(maxBytes);
      return read();
    },
    announce: (_tenantId, { kind, userId }) => void announced.push(`${kind} ${userId}`),
  });
  const change = (owner: typeof ANN, preferences: object[]) =>
    rpc(owner, "preferences.change", { preferences });
  const passMinute = () => {
    minutes += 1;
  };
  return { pool, rpc, change, announced, reads, passMinute };
}

test("the largest answer needs no more memory than was reserved, and preferences of deleted categories are left out", async (t) => {
  const { pool, rpc, reads } = await world(t, 2);
  await rpc(ANN, "preferences.show", undefined);
  const text = '"\\🔔é'.repeat(12);
  const texts = JSON.stringify(Object.fromEntries(["", "de", "fr"].map((key) => [key, text])));
  await pool.query(
    `insert into categories (tenant_id, key, label, description, position)
     select 'acme', rpad(n || '', 64, 'x'), $1, $1, n from generate_series(1, $2) n`,
    [texts, MAX_CATEGORIES],
  );
  await pool.query(
    `insert into preferences (tenant_id, user_id, category, channel, enabled, source)
     select 'acme', 'ann', c.key, channel, false, 'unsubscribe link'
     from (select key from categories union select '*' union select 'gone-' || n
       from generate_series(1, 500) n) c, unnest($1::text[]) channel`,
    [PREFERENCE_CHANNELS],
  );
  const answer = await rpc(ANN, "preferences.show", undefined);
  assert.ok(answer.ok);
  const data = answer.data as { preferences: unknown[]; categories: unknown[] };
  const cells = (MAX_CATEGORIES + 1) * PREFERENCE_CHANNELS.length;
  assert.deepEqual([data.preferences.length, data.categories.length], [cells, MAX_CATEGORIES]);
  const bytes = Buffer.byteLength(JSON.stringify(data));
  const [empty = 0, full = 0] = reads;
  assert.ok(bytes <= full, `${bytes} of ${full}`);
  assert.ok(full - empty > MAX_CATEGORIES * Buffer.byteLength(texts), "the texts are counted");
  // The same of the tabs, where each of them has something unread.
  await pool.query(
    `with typed as (
       insert into event_type_categories (tenant_id, event_type, category)
       select 'acme', 'type-' || position, key from categories returning event_type
     )
     insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
     select gen_random_uuid(), 'acme', 'ann', event_type, 't', 'b', 'personal', row_number() over (), now() from typed`,
  );
  reads.length = 0;
  const tabs = await rpc(ANN, "notifications.tabs", {});
  assert.ok(tabs.ok);
  const { categories } = tabs.data as { categories: { unread: number }[] };
  assert.equal(categories.filter(({ unread }) => unread === 1).length, MAX_CATEGORIES);
  const [reserved = 0] = reads;
  assert.ok(Buffer.byteLength(JSON.stringify(tabs.data)) <= reserved);
});

test("of one user's waiting changes only the first holds a connection, and each real change is published", async (t) => {
  const { pool, change, announced } = await world(t, 2);
  // The first preference of a tenant locks the tenant's row.
  await pool.query("update tenants set uses_preferences = true");
  const holder = await pool.connect();
  await holder.query("begin");
  await aRecipient(holder, { named: false });
  const enabled = [false, false, true, false];
  const waiting = enabled.map((one) => change(ANN, [{ ...OFF, enabled: one }]));
  try {
    assert.partialDeepStrictEqual(await change({ ...ANN, userId: "bob" }, [OFF]), { ok: true });
    assert.deepEqual(announced.splice(0), ["preferences bob"]);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  const answers = await Promise.all(waiting);
  assert.deepEqual(
    answers.map(({ ok }) => ok),
    [true, true, true, true],
  );
  const told = "preferences ann";
  assert.deepEqual(announced, [told, told, told], "the second said nothing new");
  const message = 'preferences[1].category must be * or the key of a category: "none"';
  assert.deepEqual(await change(ANN, [OFF, { ...OFF, category: "none" }]), {
    ok: false,
    error: { code: 107, message },
  });
  assert.equal(announced.length, 3);
});

test("a browser registers itself for 30 days at a time, if its tenant lets it, and removes itself", async (t) => {
  const { pool, rpc } = await world(t, 2);
  const keys = { p256dh: `B${"a".repeat(86)}`, auth: "b".repeat(22) };
  const subscription = { endpoint: "https://push.example.com/a", keys };
  const laptop = { deviceId: "laptop", kind: "webpush", subscription };
  const denied = { ok: false, error: { code: 103, message: "permission denied" } };
  assert.deepEqual(await rpc(ANN, "device.put", laptop), denied);
  assert.deepEqual(await rpc(ANN, "device.delete", { deviceId: "laptop" }), denied);
  await pool.query("update tenants set browser_devices = true");
  const codeOf = async (data: unknown) => {
    const answer = await rpc(ANN, "device.put", data);
    return answer.ok ? "ok" : answer.error.code;
  };
  const phone = { deviceId: "phone", kind: "fcm", token: "t" };
  const others = [phone, { ...laptop, userId: "bob" }, { deviceId: "x", kind: "webpush" }, null];
  for (const data of others) assert.equal(await codeOf(data), 107, JSON.stringify(data));
  assert.equal(await codeOf(laptop), "ok");
  const [row, ...more] = await pool.sql`
    select *, extract(epoch from ends_at - registered_at)::integer as seconds from devices`;
  assert.deepEqual([row.user_id, row.seconds, more.length], ["ann", 30 * 24 * 60 * 60, 0]);
  const target = await decryptSecret(KEYS, deviceOwner("acme", row.id), row.token);
  assert.deepEqual(JSON.parse(target).subscription, subscription);
  assert.ok((await rpc({ ...ANN, userId: "bob" }, "device.delete", { deviceId: "laptop" })).ok);
  assert.equal((await pool.sql`select from devices`).length, 1, "that of another user stays");
  assert.ok((await rpc(ANN, "device.delete", { deviceId: "laptop" })).ok);
  assert.equal((await pool.sql`select from devices`).length, 0);
});

test("a user changes devices at most 30 times a minute, on all connections of a gateway", async (t) => {
  const { pool, rpc, passMinute } = await world(t, 2);
  await pool.query("update tenants set browser_devices = true");
  const remove = async (owner: typeof ANN) =>
    (await rpc(owner, "device.delete", { deviceId: "x" })).ok;
  const all = await Promise.all(Array.from({ length: 31 }, () => remove(ANN)));
  assert.deepEqual([all.filter(Boolean).length, await remove(ANN)], [30, false]);
  assert.equal(await remove({ ...ANN, userId: "bob" }), true);
  passMinute();
  assert.equal(await remove(ANN), true);
});
