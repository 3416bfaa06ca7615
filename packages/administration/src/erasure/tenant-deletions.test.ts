import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { actsIn } from "../../test/acts.ts";
import type { testDatabase } from "../../test/database.ts";
import { tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { allTenants } from "../tenants/tenant-rows.ts";
import { createTenant, setTenantActive, showTenant } from "../tenants/tenants.ts";
import { deleteTenant } from "./delete-tenant.ts";
import {
  claimTenantDeletion,
  MOST_COUNTED,
  requestTenantDeletion,
  showTenantDeletion,
  whatTenantHas,
  workTenantDeletions,
} from "./tenant-deletions.ts";

const OLGA = { personId: null, person: "Olga <olga@example.com>", address: "192.0.2.1" };
const running = () => new AbortController().signal;

async function world(t: Parameters<typeof testDatabase>[0]) {
  const { db, tenantId: id } = await tenantDatabase(t);
  const store = (tenantId: string, count: number) =>
    db
      .insertInto("notifications")
      .values(
        Array.from({ length: count }, (_, n) => ({
          ...{ id: `01a20000-0000-7000-8000-${String(n).padStart(12, "0")}`, tenant_id: tenantId },
          ...{ user_id: "ann", event_type: "a", title: "t", body: "b", channel_name: "personal" },
          ...{ channel_offset: String(n + 1), created_at: new Date() },
        })),
      )
      .execute();
  const logged = async () => {
    const rows = await db
      .selectFrom("audit_log")
      .select(["action", "person"])
      .orderBy("id")
      .execute();
    return rows.map(({ action, person }) => `${action} by ${person}`);
  };
  const ask = (tenant: string, typed: string, actor = OLGA) =>
    actsIn(db, "", {}, actor)(requestTenantDeletion, { id: tenant, typed });
  const deletion = (tenant: string) => actsIn(db, "")(showTenantDeletion, { id: tenant });
  return { db, id, store, logged, ask, deletion };
}

test("a tenant is deleted in the background once its name was typed; from the asking on it is inactive, and stays so", async (t) => {
  const { db, id, store, logged, ask, deletion } = await world(t);
  const { id: other } = await createTenant(db, { name: "Stays" });
  await store(id, 3);
  assert.equal((await whatTenantHas(db, id)).notifications, 3);
  for (const typed of ["", "acme", "Acme "]) {
    await assert.rejects(ask(id, typed), /^InvalidInput: typed must be/);
  }
  await assert.rejects(ask("nobody", "Acme"), NotFound);
  await assert.rejects(deletion(id), NotFound);
  assert.deepEqual([(await showTenant(db, id)).active, await logged()], [true, []]);
  assert.equal(await workTenantDeletions({ db }, running()), 0);

  await ask(id, "Acme");
  await ask(id, "Acme", { ...OLGA, person: "Otto" });
  assert.equal((await showTenant(db, id)).active, false);
  await assert.rejects(setTenantActive(db, id, true), InvalidInput);
  await setTenantActive(db, other, true);
  const asked = await deletion(id);
  assert.deepEqual([asked.name, asked.person, asked.startedAt], ["Acme", OLGA.person, null]);

  assert.equal(await workTenantDeletions({ db }, running()), 1);
  const done = await deletion(id);
  assert.ok(done.startedAt !== null && done.endedAt !== null);
  assert.equal(done.deleted.notifications, 3);
  assertEach(await allTenants(db), (tenant) => tenant.id, [other]);
  const by = `by ${OLGA.person}`;
  assert.deepEqual(await logged(), [`tenant.ask-deletion ${by}`, `tenant.delete ${by}`]);
  assert.equal(await workTenantDeletions({ db }, running()), 0, "and it is done once");
});

test("a deletion whose process died is begun again when its time is over, also where only its end was not noted", async (t) => {
  const { db, id, ask, deletion } = await world(t);
  await ask(id, "Acme");
  assert.equal((await claimTenantDeletion(db, 60_000))?.tenantId, id);
  assert.equal(await workTenantDeletions({ db }, running()), 0, "another has it");
  await deleteTenant(db, id, OLGA);
  await db
    .updateTable("tenant_deletions")
    .set({ due_at: new Date(0) })
    .execute();
  assert.equal(await workTenantDeletions({ db }, running()), 1);
  assert.ok((await deletion(id)).endedAt !== null);
});

test("a deletion that is stopped is left to who comes next, and tells how far it is meanwhile", async (t) => {
  const { db, id, ask, deletion } = await world(t);
  await ask(id, "Acme");
  const stop = new AbortController();
  let clockMs = 0;
  const nowMs = () => {
    // The second look at the clock is the first step's: then it is stopped.
    clockMs += 10_000;
    if (clockMs === 20_000) stop.abort();
    return clockMs;
  };
  await db
    .insertInto("events")
    .values(
      Array.from({ length: 2_001 }, (_, n) => ({
        ...{ id: `01a20000-0000-7000-8000-${String(n).padStart(12, "0")}`, tenant_id: id },
        ...{ event_type: "a", user_id: "ann", trace_id: "t", accepted_at: new Date() },
      })),
    )
    .execute();
  assert.equal(await workTenantDeletions({ db, nowMs }, stop.signal), 0);
  const far = await deletion(id);
  assert.deepEqual([far.endedAt, far.deleted.events], [null, 2_000]);
  assert.equal((await whatTenantHas(db, id)).events, 1);
  assert.equal(await workTenantDeletions({ db }, running()), 1);
  assert.equal((await deletion(id)).deleted.events, 2_001, "both counted");
});

test("what a tenant has is counted no further than a page may cost", async (t) => {
  const { db, id } = await world(t);
  await db
    .insertInto("suppressions")
    .values(
      Array.from({ length: MOST_COUNTED + 5 }, (_, n) => ({
        ...{
          tenant_id: id,
          channel: "SMS" as const,
          address: `+1${n}`,
          reason: "by hand" as const,
        },
        source: null,
      })),
    )
    .execute();
  const { suppressions, keys, members, events } = await whatTenantHas(db, id);
  assert.deepEqual([suppressions, keys, members, events], [MOST_COUNTED + 1, 1, 0, 0]);
});
