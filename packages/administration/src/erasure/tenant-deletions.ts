import { documented, orNull, time } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { defineAct, OPERATE } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";
import { tenantId } from "../tenants/tenant-acts.ts";
import { EXAMPLE_TENANT, setTenantActive, showTenant } from "../tenants/tenants.ts";
import { deleteTenant } from "./delete-tenant.ts";
import { addedUp, DeletedTenantData } from "./tenant-data.ts";
import {
  claimTenantDeletion,
  endTenantDeletion,
  findTenantDeletion,
  renewTenantDeletion,
  storeTenantDeletion,
} from "./tenant-deletion-rows.ts";

const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 2_000;
const { id: ID } = EXAMPLE_TENANT;

export const requestTenantDeletion = defineAct({
  name: "tenant request-deletion",
  http: "DELETE /tenants/:id",
  access: OPERATE,
  effect: "change",
  summary: "Deactivate a tenant at once and have it deleted in the background; cannot be undone",
  description: "Asked for again it changes nothing.",
  input: Type.Object({
    id: tenantId,
    typed: documented({ description: "the name of the tenant, to the letter" }),
  }),
  output: Type.Object({ id: Type.String(), name: Type.String() }),
  examples: [{ input: { id: ID, typed: "Acme" }, output: { id: ID, name: "Acme" } }],
  flags: { id: "<id>", typed: "--typed <name>" },
  async run({ db, actor }, { id, typed }) {
    const { name } = await showTenant(db, id);
    if (typed !== name) throw invalid("typed", "must be the name of the tenant, to the letter");
    await setTenantActive(db, id, false);
    const tenant = { id, name };
    return { output: tenant, isNew: await storeTenantDeletion(db, tenant, actor) };
  },
  audit: (_, { output: { id, name }, isNew }) =>
    isNew ? { tenantId: id, action: "tenant.ask-deletion", target: name } : undefined,
});

export const showTenantDeletion = defineAct({
  name: "tenant show-deletion",
  http: "GET /tenants/:id/deletion",
  access: OPERATE,
  effect: "read",
  summary: "How far the deletion of a tenant is; it outlives the tenant",
  input: Type.Object({ id: tenantId }),
  output: Type.Object({
    tenantId: Type.String(),
    name: Type.String(),
    person: Type.String({ description: "Who asked for it" }),
    requestedAt: time("When it was asked for"),
    startedAt: orNull(time("When it began")),
    endedAt: orNull(time("When all was gone")),
    deleted: Type.Partial(DeletedTenantData, { description: "So far" }),
  }),
  examples: [
    {
      input: { id: ID },
      output: {
        ...{ tenantId: ID, name: "Acme", person: "Olga <olga@example.com>", deleted: {} },
        ...{ requestedAt: "2026-11-20T09:00:00.000Z", startedAt: null, endedAt: null },
      },
    },
  ],
  flags: { id: "<id>" },
  async run({ db }, { id }) {
    const found = await findTenantDeletion(db, id);
    if (found !== undefined) return { output: isoTimes(found) };
    throw new NotFound("tenant", `nobody has asked for a deletion of ${JSON.stringify(id)}`);
  },
});

class Stopped extends Error {}

/**
 * Carries out what `requestTenantDeletion` has stored, one tenant after the other, until none is left or the signal
 * comes; what is under way then is begun again, and what a process that died had, after two minutes. Replicas may all run it. Returns how many
 * are done.
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
    // What a process before this one had deleted counts.
    const before = (await findTenantDeletion(db, id))?.deleted ?? {};
    let renewedAtMs = nowMs();
    const onStep = async (deleted: DeletedTenantData) => {
      if (signal.aborted) {
        // Whoever comes next may begin at once.
        await renewTenantDeletion(db, id, addedUp(before, deleted), 0);
        throw new Stopped("stopping");
      }
      if (nowMs() - renewedAtMs < RENEW_EVERY_MS) return;
      renewedAtMs = nowMs();
      await renewTenantDeletion(db, id, addedUp(before, deleted), LEASE_MS);
    };
    try {
      const { deleted } = await deleteTenant(db, id, actor, onStep);
      await endTenantDeletion(db, id, addedUp(before, deleted));
    } catch (error) {
      if (error instanceof Stopped) return done;
      if (!(error instanceof NotFound)) throw error;
      // It was gone, and its process with it, before the end was noted.
      await endTenantDeletion(db, id, undefined);
    }
  }
}
