import { documented, orNull, time } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, note, OPERATE } from "../act.ts";
import type { Actor } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { tenantId } from "../tenants/tenant-acts.ts";
import { EXAMPLE_TENANT, setTenantActive, showTenant } from "../tenants/tenants.ts";
import { DeletedTenantData, deleteTenant, sumOfDeleted } from "./delete-tenant.ts";

const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 2_000;
const { id: ID } = EXAMPLE_TENANT;

export const requestTenantDeletion = defineAct({
  name: "tenant request-deletion",
  http: "DELETE /tenants/:id",
  access: OPERATE,
  summary: "Deactivate a tenant at once and delete it in the background; cannot be undone",
  description: "A repeated request changes nothing.",
  input: Type.Object({
    id: tenantId,
    typed: documented({ description: "the exact name of the tenant" }),
  }),
  output: Type.Object({ id: Type.String(), name: Type.String() }),
  example: { input: { id: ID, typed: "Acme" }, output: { id: ID, name: "Acme" } },
  flags: { id: "<id>", typed: "--typed <name>" },
  async run({ db, actor }, { id, typed }) {
    const { name } = await showTenant(db, id);
    if (typed !== name) throw invalid("typed", "must be the name of the tenant, to the letter");
    await setTenantActive(db, id, false);
    const tenant = { id, name };
    return { output: tenant, isNew: await storeTenantDeletion(db, tenant, actor) };
  },
  audit: (_, { output: { id, name }, isNew }) =>
    isNew ? note("tenant.ask-deletion", name, { tenantId: id }) : undefined,
});

export const showTenantDeletion = defineRead({
  name: "tenant show-deletion",
  http: "GET /tenants/:id/deletion",
  access: OPERATE,
  summary: "The progress of a tenant's deletion; it can be read after the tenant is gone",
  input: Type.Object({ id: tenantId }),
  output: Type.Object({
    tenantId: Type.String(),
    name: Type.String(),
    person: Type.String({ description: "The person who requested it" }),
    requestedAt: time("When it was requested"),
    startedAt: orNull(time("When it began")),
    endedAt: orNull(time("When everything was deleted")),
    deleted: Type.Partial(DeletedTenantData, { description: "So far" }),
  }),
  example: {
    input: { id: ID },
    output: {
      tenantId: ID,
      name: "Acme",
      person: "Olga <olga@example.com>",
      deleted: {},
      requestedAt: "2026-11-20T09:00:00.000Z",
      startedAt: null,
      endedAt: null,
    },
  },
  flags: { id: "<id>" },
  async run({ db }, { id }) {
    const found = await findTenantDeletion(db, id);
    if (found !== undefined) return isoTimes(found);
    throw new NotFound("tenant", `no deletion was requested of ${JSON.stringify(id)}`);
  },
});

class Stopped extends Error {}

/**
 * Runs the deletions that `requestTenantDeletion` has stored, one tenant at a time, until none is left or the signal is
 * aborted. A later call continues an interrupted deletion: at once after the signal, or after two minutes if the
 * process died. All replicas may run it. Returns the number of finished deletions.
 */
export async function workTenantDeletions(
  { db, nowMs = () => performance.now() }: { db: Database; nowMs?: () => number },
  signal: AbortSignal,
): Promise<number> {
  for (let done = 0; ; done += 1) {
    if (signal.aborted) return done;
    const claimed = await claimTenantDeletion(db, LEASE_MS);
    if (claimed === undefined) return done;
    const { tenantId: id, actor } = claimed;
    // An earlier process may have deleted some rows.
    const before = (await findTenantDeletion(db, id))?.deleted ?? {};
    let renewedAtMs = nowMs();
    const onStep = async (deleted: DeletedTenantData) => {
      if (signal.aborted) {
        // A lease of 0 ms lets the next process continue at once.
        await renewTenantDeletion(db, id, sumOfDeleted(before, deleted), 0);
        throw new Stopped("stopping");
      }
      if (nowMs() - renewedAtMs < RENEW_EVERY_MS) return;
      renewedAtMs = nowMs();
      await renewTenantDeletion(db, id, sumOfDeleted(before, deleted), LEASE_MS);
    };
    try {
      const { deleted } = await deleteTenant(db, id, actor, onStep);
      await endTenantDeletion(db, id, sumOfDeleted(before, deleted));
    } catch (error) {
      if (error instanceof Stopped) return done;
      if (!(error instanceof NotFound)) throw error;
      // An earlier process deleted the tenant, but died before it recorded the end.
      await endTenantDeletion(db, id, undefined);
    }
  }
}

/**
 * Stores the request. Returns false if the tenant is already being deleted. The row stays after the tenant is deleted,
 * because the page of the deletion reads it.
 */
async function storeTenantDeletion(
  db: Database,
  tenant: { id: string; name: string },
  actor: Actor,
): Promise<boolean> {
  const { personId: person_id, person, address } = actor;
  const result = await db
    .insertInto("tenant_deletions")
    .values({
      tenant_id: tenant.id,
      name: tenant.name,
      person_id,
      person,
      address,
      deleted: JSON.stringify({}),
    })
    .onConflict((conflict) => conflict.column("tenant_id").doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Finds a tenant's deletion. `deleted` has the numbers of rows that were deleted so far. */
async function findTenantDeletion(db: Database, tenantId: string) {
  return await db
    .selectFrom("tenant_deletions")
    .select(["tenant_id as tenantId", "name", "person", "requested_at as requestedAt"])
    .select(["started_at as startedAt", "ended_at as endedAt", "deleted"])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
}

/** Claims the deletion that has waited longest, or one whose process has died. Returns undefined if there is none. */
export async function claimTenantDeletion(db: Database, leaseMs: number) {
  const { rows } = await sql<{ tenantId: string } & Actor>`
    with next as materialized (
      select tenant_id from tenant_deletions
      where ended_at is null and due_at <= now()
      order by due_at limit 1 for update skip locked
    )
    update tenant_deletions d
    set started_at = coalesce(d.started_at, now()), due_at = now() + ${leaseMs} * interval '1 millisecond'
    from next n where d.tenant_id = n.tenant_id
    returning d.tenant_id as "tenantId", d.person_id as "personId", d.person, d.address`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { tenantId, ...actor } = row;
  return { tenantId, actor };
}

/** Stores the progress and extends the claim to `leaseMs` from now. */
async function renewTenantDeletion(
  db: Database,
  tenantId: string,
  deleted: DeletedTenantData,
  leaseMs: number,
): Promise<void> {
  await db
    .updateTable("tenant_deletions")
    .set({
      due_at: sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`,
      deleted: JSON.stringify(deleted),
    })
    .where("tenant_id", "=", tenantId)
    .execute();
}

/** Ends a deletion. If `deleted` is absent, the last stored counts stay. */
async function endTenantDeletion(
  db: Database,
  tenantId: string,
  deleted: DeletedTenantData | undefined,
): Promise<void> {
  await db
    .updateTable("tenant_deletions")
    .set({
      ended_at: sql<Date>`now()`,
      ...(deleted === undefined ? {} : { deleted: JSON.stringify(deleted) }),
    })
    .where("tenant_id", "=", tenantId)
    .execute();
}

/** Rows are counted only up to this number, so that the page is fast even for a tenant with millions of rows. */
export const MOST_COUNTED = 10_000;

const COUNTED = {
  events: "events",
  notifications: "notifications",
  users: "recipients",
  templates: "templates",
  providers: "providers",
  keys: "api_keys",
  members: "memberships",
  suppressions: "suppressions",
} as const;

/** Counts the rows that a tenant's deletion would delete. More than 10,000 of a kind are counted as 10,001. */
export async function whatTenantHas(db: Database, tenantId: string) {
  const counts = Object.entries(COUNTED).map(
    ([kind, table]) => sql`(
      select count(*)::integer from (
        select from ${sql.table(table)} where tenant_id = ${tenantId} limit ${MOST_COUNTED + 1}
      ) counted) as ${sql.id(kind)}`,
  );
  const { rows } = await sql<Record<keyof typeof COUNTED, number>>`
    select ${sql.join(counts)}`.execute(db);
  return rows[0]!;
}
