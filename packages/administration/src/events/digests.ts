import { UUID } from "@belfry/contracts/identifiers";
import type { DigestItemState } from "@belfry/contracts/timing";
import type { Database } from "@belfry/database/connection";
import type { AuditNote } from "../audited.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { tenantNotFound } from "../tenants/tenants.ts";
import {
  type DigestRow,
  digestById,
  itemsOfDigest,
  makeDue,
  openDigests,
  openDigestsByUser,
} from "./digest-rows.ts";

/** A message that gathers events; times are ISO 8601, UTC. */
export interface Digest {
  id: string;
  eventType: string;
  channel: string;
  userId: string;
  recipient: string | null;
  /** Of the template's variant; empty: the default one. */
  locale: string;
  /** Of what keeps events apart; empty: nothing does. */
  key: string;
  /** Whether events may still join it. */
  open: boolean;
  openedAt: string;
  /** Quiet hours may hold it up beyond. */
  windowEndsAt: string;
  closedAt: string | null;
  /** How many events the message is of. */
  count: number;
  /** null: until now only its first event, which was sent by itself. */
  delivery: { id: string; status: string; reason: string | null; dueAt: string | null } | null;
}

export interface DigestWithEvents extends Digest {
  /** The oldest 100, also those that are not in the message. */
  events: { eventId: string; state: DigestItemState; addedAt: string }[];
}

const MOST_LISTED = 1_000;
const MOST_EVENTS = 100;

/** A tenant's digests that are open, the soonest first, at most 1,000. Throws `NotFound`. */
export async function listDigests(
  db: Database,
  tenantId: string,
  most = MOST_LISTED,
): Promise<Digest[]> {
  await requireTenant(db, tenantId);
  return (await openDigests(db, tenantId, Math.min(most, MOST_LISTED))).map(digestView);
}

/** A page of the same in the order of their users, for however many there are. */
export async function digestPage(
  db: Database,
  tenantId: string,
  { after, limit }: { after?: { userId: string; id: string } | undefined; limit: number },
): Promise<{ digests: Digest[]; next: { userId: string; id: string } | undefined }> {
  const rows = await openDigestsByUser(db, tenantId, { after, most: limit + 1 });
  const page = rows.slice(0, limit);
  return { digests: page.map(digestView), next: rows.length > limit ? page.at(-1) : undefined };
}

/** One digest, open or not, with what it has gathered. Throws `NotFound`. */
export async function showDigest(
  db: Database,
  tenantId: string,
  id: string,
): Promise<DigestWithEvents> {
  await requireTenant(db, tenantId);
  const row = UUID.test(id) ? await digestById(db, tenantId, id) : undefined;
  if (row === undefined) {
    throw new NotFound("id", `no digest of the tenant has the id ${JSON.stringify(id)}`);
  }
  const items = await itemsOfDigest(db, row.id, MOST_EVENTS);
  const events = items.map((item) => ({ ...item, addedAt: item.addedAt.toISOString() }));
  return { ...digestView(row), events };
}

/**
 * Ends the window of an open digest: it leaves with the next turn of the release, as what is due does. Quiet
 * hours still hold it up. Throws `NotFound`, and `InvalidInput` where nothing of it waits.
 */
export async function releaseDigest(
  db: Database,
  tenantId: string,
  id: string,
): Promise<DigestWithEvents> {
  const { delivery } = await showDigest(db, tenantId, id);
  if (!(await makeDue(db, tenantId, id))) {
    const message =
      delivery === null
        ? "has nothing to send: its first event was sent by itself, and none has come since"
        : `cannot be released: it is ${delivery.status === "queued" ? "on its way" : delivery.status}`;
    throw new InvalidInput([{ field: "id", message }]);
  }
  return await showDigest(db, tenantId, id);
}

export function releaseNote(tenantId: string, { id, count }: Digest): AuditNote {
  return { tenantId, action: "digest.release", target: id, after: { count } };
}

async function requireTenant(db: Database, tenantId: string): Promise<void> {
  if ((await tenantById(db, tenantId)) === undefined) throw tenantNotFound(tenantId, "tenant");
}

function digestView(row: DigestRow): Digest {
  return {
    ...row,
    openedAt: row.openedAt.toISOString(),
    windowEndsAt: row.windowEndsAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
  };
}
