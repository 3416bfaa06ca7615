import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { AuditNote } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import { type IsoTimes, isoTimes } from "../iso-times.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import {
  type DigestRow,
  digestById,
  itemsOfDigest,
  makeDue,
  openDigests,
  openDigestsByUser,
} from "./digest-rows.ts";

/** A message that gathers events; times are ISO 8601, UTC. */
export type Digest = IsoTimes<DigestRow>;

const MOST_LISTED = 1_000;
const MOST_EVENTS = 100;

/** A tenant's digests that are open, the soonest first, at most 1,000. Throws `NotFound`. */
export async function listDigests(db: Database, tenantId: string, most = MOST_LISTED) {
  await requireTenant(db, tenantId, "tenant");
  return (await openDigests(db, tenantId, Math.min(most, MOST_LISTED))).map(isoTimes);
}

/** A page of the same in the order of their users, for however many there are. */
export async function digestPage(
  db: Database,
  tenantId: string,
  { after, limit }: { after?: { userId: string; id: string } | undefined; limit: number },
): Promise<{ digests: Digest[]; next: { userId: string; id: string } | undefined }> {
  const rows = await openDigestsByUser(db, tenantId, { after, most: limit + 1 });
  const page = rows.slice(0, limit);
  return { digests: page.map(isoTimes), next: rows.length > limit ? page.at(-1) : undefined };
}

/** One digest, open or not, with the oldest 100 that it has gathered, also those not in the message. Throws `NotFound`. */
export async function showDigest(db: Database, tenantId: string, id: string) {
  await requireTenant(db, tenantId, "tenant");
  const row = UUID.test(id) ? await digestById(db, tenantId, id) : undefined;
  if (row === undefined) {
    throw new NotFound("id", `no digest of the tenant has the id ${JSON.stringify(id)}`);
  }
  const items = await itemsOfDigest(db, row.id, MOST_EVENTS);
  const events = items.map(isoTimes);
  return { ...isoTimes(row), events };
}

/**
 * Ends the window of an open digest: it leaves with the next turn of the release, as what is due does. Quiet
 * hours still hold it up. Throws `NotFound`, and `InvalidInput` where nothing of it waits.
 */
export async function releaseDigest(db: Database, tenantId: string, id: string) {
  const { delivery } = await showDigest(db, tenantId, id);
  if (!(await makeDue(db, tenantId, id))) {
    const message =
      delivery === null
        ? "has nothing to send: its first event was sent by itself, and none has come since"
        : `cannot be released: it is ${delivery.status === "queued" ? "on its way" : delivery.status}`;
    throw invalid("id", message);
  }
  return await showDigest(db, tenantId, id);
}

export function releaseNote(tenantId: string, { id, count }: Digest): AuditNote {
  return { tenantId, action: "digest.release", target: id, after: { count } };
}
