import assert from "node:assert/strict";
import { test } from "node:test";
import { storeInbound } from "@belfry/database/inbound";
import { changePreferencesOfUser } from "@belfry/database/preferences";
import { assertHas } from "@belfry/testing/assert-has";
import type { Cleanup } from "@belfry/testing/cleanup";
import { databaseOver } from "@belfry/testing/database";
import { readsAtMost } from "@belfry/testing/rows-read";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { programIn } from "../../test/acts.ts";
import { tenantDatabase } from "../../test/database.ts";
import { ADA, BOB, storeEvent, tablesWith } from "../../test/person.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { knownUser, saveUsers } from "../users/users.ts";
import { ErasuresFull, openErasure, requestErasure, showErasure } from "./erasures.ts";
import { claimErasure, type ErasureWork, workErasures } from "./work-erasures.ts";

async function world(t: Cleanup) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  const disconnected: string[] = [];
  const work: ErasureWork = {
    db,
    disconnect: async ({ userId }) => void disconnected.push(userId),
  };
  const run = (over: Partial<ErasureWork> = {}, signal = new AbortController().signal) =>
    workErasures({ ...work, ...over }, signal);
  const ada = { tenantId, userId: ADA.userId };
  const bob = { tenantId, userId: BOB.userId };
  const status = async (id: string) =>
    (await programIn(db, tenantId)(showErasure, { erasureId: id })).status;
  return { db, pool, tenantId, ada, bob, run, status, disconnected };
}

test("what was said of a user goes at once, the rest in the background, and then nothing tells of the person", async (t) => {
  const { db, pool, tenantId, ada, run, disconnected } = await world(t);
  await storeEvent(db, tenantId, ADA);
  await storeEvent(db, tenantId, BOB);
  const phone = "+12025550142";
  await saveUsers(db, tenantId, [{ userId: ADA.userId, email: ADA.email, phone }]);
  const origin = { tenantId, providerKind: "twilio", channels: ["SMS"] } as const;
  const text = { vendorId: "1", sender: phone, recipient: "", text: "please call me" };
  await storeInbound(db, origin, text);
  const changes = [{ category: "*", channel: "*", enabled: false } as const];
  await changePreferencesOfUser(db, ada, "api", changes);
  const asked = await openErasure(db, ada);
  assertHas(asked, { status: "waiting", startedAt: null, endedAt: null, deleted: null });
  assert.equal(await knownUser(db, tenantId, ADA.userId), undefined);
  assert.deepEqual((await db.selectFrom("preferences").selectAll().execute()).length, 0);

  assert.equal(await run(), 1);
  const done = await programIn(db, tenantId)(showErasure, { erasureId: asked.id });
  assert.deepEqual([done.status, done.deleted?.events, done.deleted?.outbox], ["done", 1, 2]);
  assert.ok(done.requestedAt <= done.startedAt! && done.startedAt! <= done.endedAt!);
  assert.deepEqual(disconnected, [ADA.userId, ADA.userId]);
  for (const needle of [...Object.values(ADA), phone, text.text])
    assert.deepEqual(await tablesWith(pool, needle), []);
  assert.ok((await tablesWith(pool, BOB.userId)).includes("events"));
  const rows = await pool.sql`select distinct person from audit_log`;
  assert.deepEqual(rows, [{ person: "the tenant, by API or Admin UI" }]);
  assert.equal(await run(), 0);
});

test("a user whose erasure is open is asked for once; later it is another one", async (t) => {
  const { db, ada, bob, run } = await world(t);
  const first = await openErasure(db, ada);
  assert.equal((await openErasure(db, ada)).id, first.id);
  assert.notEqual((await openErasure(db, bob)).id, first.id);
  assert.equal(await run(), 2);
  assert.notEqual((await openErasure(db, ada)).id, first.id);
});

test("of a tenant one erasure runs at a time, in the order in which they were asked for", async (t) => {
  const { db, tenantId, ada, bob, run, status } = await world(t);
  const other = await createTenant(db, { name: "Other" });
  const [first, second] = [await openErasure(db, ada), await openErasure(db, bob)];
  assert.equal((await claimErasure(db, 60_000, ""))?.id, first.id);
  await openErasure(db, { tenantId: other.id, userId: "u" });
  assert.equal(await run(), 1);
  assert.deepEqual([await status(first.id), await status(second.id)], ["running", "waiting"]);
  assert.equal((await claimErasure(db, 60_000, ""))?.id, undefined);

  // Its process died: the lease ends, and somebody else begins it again.
  await db
    .updateTable("erasures")
    .set({ claimed_until: new Date(Date.now() - 1000) })
    .where("tenant_id", "=", tenantId)
    .where("state", "=", "running")
    .execute();
  assert.equal(await run(), 2);
  assert.deepEqual([await status(first.id), await status(second.id)], ["done", "done"]);
});

test("tenants take turns: one that asks for many erasures holds up nobody", async (t) => {
  const { db, tenantId, run, disconnected } = await world(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  const ask = (tenant: string, userId: string) => openErasure(db, { tenantId: tenant, userId });
  const [busy = "", free = ""] = [tenantId, other].sort();
  for (let n = 1; n <= 20; n += 1) await ask(busy, `many-${n}`);
  for (const userId of ["few-1", "few-2"]) await ask(free, userId);
  assert.equal(await run(), 22);
  // Each user is disconnected twice.
  const order = disconnected.filter((_, at) => at % 2 === 0);
  const [first, second] = ["few-1", "few-2"].map((userId) => order.indexOf(userId));
  assert.ok(first === 1 && second === 3, order.join(" "));
  assert.deepEqual(
    order.filter((userId) => userId.startsWith("many")),
    Array.from({ length: 20 }, (_, n) => `many-${n + 1}`),
  );
});

test("a claim reads a few rows, however many erasures of other tenants wait", async (t) => {
  const { db, pool, tenantId } = await world(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  const [busy = "", free = ""] = [tenantId, other].sort();
  const { id } = await openErasure(db, { tenantId: busy, userId: "first" });
  assert.equal((await claimErasure(db, 60_000, ""))?.id, id);
  for (const tenant of [busy, free]) {
    await pool.sql`insert into erasures (id, tenant_id, user_hash, user_id)
      select gen_random_uuid(), ${tenant}, sha256(n::text::bytea), 'u' || n from generate_series(1, 5000) n`;
  }
  await pool.query("analyze erasures");
  await readsAtMost(pool, 100, ["erasures"], async (client) => {
    assert.equal((await claimErasure(databaseOver(client), 60_000, ""))?.tenantId, free);
  });
});

test("what two processes begin in the same moment one of them carries out", async (t) => {
  const { db, pool, ada, bob } = await world(t);
  await openErasure(db, ada);
  await openErasure(db, bob);
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const first = db.transaction().execute(async (transaction) => {
    const claimed = await claimErasure(transaction, 60_000, "");
    begun.resolve();
    await held.promise;
    return claimed;
  });
  await begun.promise;
  const second = claimErasure(db, 60_000, "");
  await untilBlocked(pool);
  held.resolve();
  assert.deepEqual([(await first) === undefined, await second], [false, undefined]);
});

test("a process that stops lets go, and one that cannot go on leaves it for later and does others", async (t) => {
  const { db, tenantId, ada, bob, run, status } = await world(t);
  await storeEvent(db, tenantId, ADA);
  const first = await openErasure(db, ada);
  const stopping = new AbortController();
  const disconnect = async () => stopping.abort();
  assert.equal(await run({ disconnect }, stopping.signal), 0);
  assert.equal(await status(first.id), "waiting");

  const second = await openErasure(db, bob);
  const postponed: unknown[] = [];
  const failing = await run({
    disconnect: async ({ userId }) => {
      if (userId === ADA.userId) throw new Error("NATS is away");
    },
    onPostponed: (error) => void postponed.push((error as Error).message),
  });
  assert.deepEqual([failing, postponed], [1, ["NATS is away"]]);
  assert.deepEqual([await status(first.id), await status(second.id)], ["waiting", "done"]);
  await db
    .updateTable("erasures")
    .set({ due_at: new Date(0) })
    .where("id", "=", first.id)
    .execute();
  assert.equal(await run(), 1);
});

test("an erasure that lasts is kept from others by its steps", async (t) => {
  const { db, tenantId, ada, run } = await world(t);
  await storeEvent(db, tenantId, ADA);
  const { id } = await openErasure(db, ada);
  let nowMs = 0;
  const until = async () =>
    (await db.selectFrom("erasures").select("claimed_until as at").executeTakeFirstOrThrow()).at;
  let first: Date | null = null;
  const seen: boolean[] = [];
  assert.equal(
    await run({
      nowMs() {
        nowMs += 11_000;
        return nowMs;
      },
      async disconnect() {
        const at = await until();
        first ??= at;
        seen.push(at! > first!);
      },
    }),
    1,
  );
  assert.deepEqual(seen, [false, true]);
  assert.equal((await programIn(db, tenantId)(showErasure, { erasureId: id })).status, "done");
});

test("another tenant's erasure, an unknown one and an unknown tenant are not found", async (t) => {
  const { db, tenantId, ada } = await world(t);
  const other = await createTenant(db, { name: "Other" });
  const { id } = await openErasure(db, ada);
  await assert.rejects(programIn(db, other.id)(showErasure, { erasureId: id }), NotFound);
  await assert.rejects(openErasure(db, { tenantId: "none", userId: "u" }), NotFound);
  const impossible = programIn(db, tenantId)(requestErasure, { userId: "a\nb" });
  await assert.rejects(impossible, /control characters/);
});

test("erasures that wait are bounded, and one too many changes nothing", async (t) => {
  const { db, pool, tenantId } = await world(t);
  await pool.sql`insert into erasures (id, tenant_id, user_hash, user_id)
    select gen_random_uuid(), ${tenantId}, sha256(n::text::bytea), 'u' || n from generate_series(1, 10000) n`;
  await saveUsers(db, tenantId, [{ userId: "ann" }]);
  await assert.rejects(openErasure(db, { tenantId, userId: "ann" }), ErasuresFull);
  assert.equal((await knownUser(db, tenantId, "ann"))?.userId, "ann");
});
