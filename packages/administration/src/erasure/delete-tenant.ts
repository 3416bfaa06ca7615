import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { deleteEvents, deleteWebhookMessages } from "@belfry/database/functions/delete-events";
import { forgetChannels } from "@belfry/database/functions/realtime-channels";
import type { Schema } from "@belfry/database/schema";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, OPERATE } from "../act.ts";
import { type Actor, audited } from "../audited.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { recorded, tenantId } from "../tenants/tenant-acts.ts";
import { deleteLimits, deleteTenantRow } from "../tenants/tenant-rows.ts";
import { EXAMPLE_TENANT, setTenantActive, Tenant } from "../tenants/tenants.ts";
import { eraseUserNotes } from "./erase-notes.ts";
import { forgetRepeatedCalls } from "./user-data.ts";

/** The numbers of rows that a tenant's deletion deleted. */
export type DeletedTenantData = Static<typeof DeletedTenantData>;
export const DeletedTenantData = Type.Object({
  events: Type.Integer(),
  deliveries: Type.Integer(),
  notifications: Type.Integer(),
  outboxMessages: Type.Integer(),
});

const BATCH_ROWS = 1_000;
/** Deleting one file also deletes up to 40 rows of 256 KiB. */
const ATTACHMENTS_PER_BATCH = 3;
const NOTHING: DeletedTenantData = {
  events: 0,
  deliveries: 0,
  notifications: 0,
  outboxMessages: 0,
};

export const deleteTenantNow = defineAct({
  name: "tenant delete",
  access: OPERATE,
  effect: "steps",
  summary: "Delete a tenant with all data of its events, in small batches; cannot be undone",
  input: Type.Object({ id: tenantId }),
  output: Type.Object({ ...Tenant.properties, deleted: DeletedTenantData }),
  example: {
    input: { id: EXAMPLE_TENANT.id },
    output: { ...EXAMPLE_TENANT, active: false, apiKeys: [], deleted: sumOfDeleted() },
  },
  flags: { id: "<id>" },
  run: async ({ db, actor }, { id }) => ({ output: await deleteTenant(db, id, actor) }),
});

/**
 * Deactivates the tenant, deletes the data of its events in small batches, then the tenant with its keys, templates and
 * providers, and removes its users from the audit log. If it is interrupted, the tenant stays inactive: call it again.
 * Throws `NotFound`.
 */
export async function deleteTenant(
  db: Database,
  id: string,
  actor: Actor,
  onStep?: DeletionSteps["onStep"],
): Promise<Tenant & { deleted: DeletedTenantData }> {
  // After this commit, Belfry accepts no event for the tenant.
  const tenant = await setTenantActive(db, id, false);
  const deleted = await deleteTenantData(db, id, { onStep });
  await deleteLimits(db, id);
  await audited(
    db,
    actor,
    (transaction) =>
      changeConfiguration(transaction, async () => {
        await deleteTenantRow(transaction, id);
        await eraseUserNotes(transaction, { tenantId: id });
      }),
    () => ({
      tenantId: id,
      action: "tenant.delete",
      target: tenant.name,
      before: recorded(tenant),
    }),
  );
  // Deletes what dispatchers have stored in the meantime.
  const late = await deleteTenantData(db, id);
  return {
    ...tenant,
    apiKeys: [],
    deleted: sumOfDeleted(deleted, late),
  };
}

/** Tables whose deleted rows are not reported. */
const UNCOUNTED = [
  "receipts",
  "dedup_keys",
  "recipients",
  "preferences",
  "inbound_messages",
  "scheduled_events",
  "digests",
  "throttles",
  "images",
  "activity_sums",
  "imports",
  "topic_members",
  "broadcasts",
  "unlinked_attachments",
  "bundle_applies",
] as const;

interface DeletionSteps {
  batchRows?: number;
  /** Called after each batch of events with the rows deleted so far; an error that it throws ends the deletion. */
  onStep?: ((deleted: DeletedTenantData) => Promise<void>) | undefined;
}

export function sumOfDeleted(...parts: Partial<DeletedTenantData>[]): DeletedTenantData {
  const sum = { ...NOTHING };
  for (const part of parts) {
    for (const key of Object.keys(sum) as (keyof DeletedTenantData)[]) sum[key] += part[key] ?? 0;
  }
  return sum;
}

/**
 * Deletes all data of a tenant but its settings, templates and keys, in batches of at most 1,000 rows, each in its own
 * transaction, so that the services keep working. Finds the rows by index only. Safe to call again.
 */
export async function deleteTenantData(
  db: Database,
  tenantId: string,
  { batchRows = BATCH_ROWS, onStep = async () => undefined }: DeletionSteps = {},
): Promise<DeletedTenantData> {
  const deleted = { ...NOTHING };
  for (;;) {
    const batch = await deleteSomeEvents(db, tenantId, batchRows);
    deleted.events += batch.events;
    deleted.deliveries += batch.deliveries;
    await onStep(deleted);
    if (batch.events < batchRows) break;
  }
  deleted.notifications = await deleteAll(db, "notifications", tenantId, batchRows);
  deleted.notifications += (await forgetChannels(db, { tenantId }, batchRows)).notifications;
  deleted.outboxMessages = await deleteAll(db, "outbox", tenantId, batchRows);
  await deleteAll(db, "attachments", tenantId, Math.min(batchRows, ATTACHMENTS_PER_BATCH));
  for (const table of UNCOUNTED) await deleteAll(db, table, tenantId, batchRows);
  while ((await deleteWebhookMessages(db, { tenantId }, batchRows)) === batchRows);
  await deleteAll(db, "search_users", tenantId, batchRows);
  // The sums over all tenants also name the tenants with the most events.
  await db
    .deleteFrom("activity_sums")
    .where("tenant_id", "=", PLATFORM)
    .where("grouped_by", "=", "tenant")
    .where("name", "=", tenantId)
    .execute();
  await forgetRepeatedCalls(db, tenantId);
  return deleted;
}

async function deleteSomeEvents(db: Database, tenantId: string, rows: number) {
  const batch = await db
    .selectFrom("events")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .orderBy("id")
    .limit(rows)
    .execute();
  const ids = batch.map(({ id }) => id);
  return await deleteEvents(db, ids, { spare: false });
}

/**
 * Deletes a tenant's rows in a table, in batches. Skips rows that another transaction has locked: the second call of
 * `deleteTenantData` deletes them.
 */
async function deleteAll(db: Database, table: keyof Schema, tenantId: string, batchRows: number) {
  let total = 0;
  for (;;) {
    const result = await sql`
      delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where tenant_id = ${tenantId} limit ${batchRows}
        for update skip locked
      ))`.execute(db);
    const rows = Number(result.numAffectedRows ?? 0n);
    total += rows;
    if (rows < batchRows) return total;
  }
}
