import { hash } from "node:crypto";
import { flag, id } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { ErasureResponse, MAX_OPEN_ERASURES } from "@belfry/contracts/users";
import { type Database, inTransaction } from "@belfry/database/connection";
import { deleteInbound } from "@belfry/database/inbound";
import { deletePreferencesOfUser, notePreferenceChange } from "@belfry/database/preferences";
import { type Static, Type } from "@sinclair/typebox";
import { type RawBuilder, sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { defineAct, defineRead, note, optional } from "../act.ts";
import { leaveBroadcasts } from "../broadcasts/broadcasts.ts";
import { columnsOf } from "../columns.ts";
import { suppressedForm } from "../events/suppression-rows.ts";
import { NotFound } from "../input-error.ts";
import type { UserOfTenant } from "../tenants/realtime.ts";
import { holdTenant } from "../tenants/tenant-rows.ts";
import { leaveTopics } from "../users/topic-rows.ts";
import { deleteUser, findUser } from "../users/user-rows.ts";
import { USER_FIELDS } from "../users/users.ts";
import { erasedUser, eraseUser } from "./erase-user.ts";
import { ErasureReport, NOTHING_ERASED } from "./erasure-report.ts";

/** The progress of a user's erasure. */
const ErasureProgress = ErasureResponse.properties.data;
type ErasureProgress = Static<typeof ErasureProgress>;

const ERASURE_ID = "0198c0de-0000-7000-8000-000000000001";
export const WAITING: ErasureProgress = {
  id: ERASURE_ID,
  status: "waiting",
  requestedAt: "2026-11-20T09:30:00.000Z",
  startedAt: null,
  endedAt: null,
  deleted: null,
};
export const DONE: ErasureProgress = {
  ...WAITING,
  status: "done",
  startedAt: "2026-11-20T09:30:02.000Z",
  endedAt: "2026-11-20T09:30:09.000Z",
  deleted: { events: 12, deliveries: 17, notifications: 9, recipients: 1, preferences: 2 },
};
const { userId } = USER_FIELDS;

/** Too many erasures of the tenant are waiting; nothing was changed. */
export class ErasuresFull extends Error {
  override readonly name = "ErasuresFull";
}

/** Also throws `ErasuresFull`. */
export const requestErasure = defineAct({
  name: "user ask-erasure",
  http: "DELETE /api/v1/users/:userId",
  access: { scope: "tenant", person: "owner", key: "users" },
  command: false,
  summary: "Erase a user",
  description:
    "Addresses, preferences and memberships of topics are deleted at once; everything else is deleted in the background, one user of a tenant at a time. While an erasure of the user is open, the answer is that one. Waiting messages are no longer sent. Suppressed addresses stay suppressed. Stop sending to the user first: events that are accepted meanwhile may stay.",
  input: Type.Object({ userId }),
  output: ErasureProgress,
  example: { input: { userId: "user-1" }, output: WAITING },
  // Runs before the transaction. Within it, the tenant's row would stay locked until the transaction ends.
  prepare: ({ db, tenantId }) => notePreferenceChange(db, tenantId),
  run: async ({ db, tenantId }, input) => ({
    output: await openErasure(db, { tenantId, userId: input.userId }),
    target: erasedUser({ tenantId, userId: input.userId }),
  }),
  audit: (_, { output, target }) =>
    note("user.ask-erasure", target, { after: { erasure: output.id } }),
});

export const showErasure = defineRead({
  name: "erasure show",
  http: "GET /api/v1/erasures/:erasureId",
  access: { scope: "tenant", person: "viewer", key: "read" },
  command: false,
  summary: "Show how far an erasure is",
  description: "Belfry keeps the erasure as long as events. It does not contain the user's id.",
  input: Type.Object({ erasureId: id({ description: "The id in the answer to the request" }) }),
  output: ErasureProgress,
  example: { input: { erasureId: ERASURE_ID }, output: DONE },
  async run({ db, tenantId }, { erasureId }) {
    const found = UUID.test(erasureId)
      ? await newestErasure(db, tenantId, sql`id = ${erasureId}`)
      : undefined;
    if (found !== undefined) return found;
    throw new NotFound("erasureId", `no erasure has the id ${JSON.stringify(erasureId)}`);
  },
});

export const eraseUserNow = defineAct({
  name: "user erase",
  access: { scope: "tenant", person: "owner" },
  effect: "steps",
  summary:
    "Remove a person of a tenant: events, deliveries, history, outbox and live connections. What " +
    "waits is not sent any more. Cannot be undone; safe to run again. Uses NATS_URL, else the local stack's.",
  input: Type.Object({
    userId,
    suppressions: optional(
      flag(),
      "also forget that nothing may be sent to the person's addresses (bounces, complaints, opt-outs)",
    ),
    dryRun: optional(flag(), "say what would go, and change nothing"),
  }),
  output: ErasureReport,
  example: {
    input: { userId: "user-1", dryRun: true },
    output: {
      tenantId: "acme",
      userId: "user-1",
      dryRun: true,
      unsent: 0,
      kept: [],
      deleted: { ...NOTHING_ERASED, events: 2, deliveries: 3 },
    },
  },
  async run({ db, tenantId, actor, services }, input) {
    const disconnect = () => services.disconnect({ tenantId, userId: input.userId });
    return { output: await eraseUser(db, { tenantId, ...input }, { actor, disconnect }) };
  },
});

/**
 * Deletes the user's directory entry, preferences, memberships and text answers at once, and stores the erasure of the
 * rest for the background. Throws `NotFound`, `ErasuresFull`.
 */
export async function openErasure(db: Database, owner: UserOfTenant): Promise<ErasureProgress> {
  return await inTransaction(db, async (transaction) => {
    await holdTenant(transaction, owner.tenantId, "tenant");
    const progress = await storeErasure(transaction, owner, userHash(owner));
    if ((await countOpenErasures(transaction, owner.tenantId)) > MAX_OPEN_ERASURES) {
      throw new ErasuresFull(`${MAX_OPEN_ERASURES} erasures wait`);
    }
    // Only the directory may have the phone number from which the user sent answers.
    const { phone } = (await findUser(transaction, owner.tenantId, owner.userId)) ?? {};
    if (phone) await deleteInbound(transaction, owner.tenantId, [suppressedForm(phone)]);
    await deleteUser(transaction, owner.tenantId, owner.userId);
    await deletePreferencesOfUser(transaction, owner);
    await leaveBroadcasts(transaction, owner);
    await leaveTopics(transaction, owner);
    return progress;
  });
}

/** Returns the user's erasure that is not done, or undefined if there is none. */
export async function openErasureOf(db: Database, owner: UserOfTenant) {
  const ofUser = sql`user_hash = ${userHash(owner)} and ${IS_OPEN}`;
  return await newestErasure(db, owner.tenantId, ofUser);
}

function userHash({ tenantId, userId: of }: UserOfTenant): Buffer {
  return hash("sha256", `${tenantId}\n${of}`, "buffer");
}

/** The condition of the unique index, word for word, so that Postgres uses the index. */
const IS_OPEN = sql<boolean>`state <> 'done'`;

/** Returns the user's open erasure, or stores a new one. */
async function storeErasure(db: Database, { tenantId, userId }: UserOfTenant, userHash: Buffer) {
  await db
    .insertInto("erasures")
    .values({ id: uuidv7(), tenant_id: tenantId, user_hash: userHash, user_id: userId })
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "user_hash"]).where(IS_OPEN).doNothing(),
    )
    .execute();
  // The newest erasure of the user is the one just stored, or the one that was open; all others are done.
  return (await newestErasure(db, tenantId, sql`user_hash = ${userHash}`))!;
}

const COLUMNS = columnsOf(ErasureProgress, "erasures", {
  status: sql`state`,
  requestedAt: sql`iso_time(requested_at)`,
  startedAt: sql`iso_time(started_at)`,
  endedAt: sql`iso_time(ended_at)`,
});

async function newestErasure(db: Database, tenantId: string, condition: RawBuilder<unknown>) {
  const { rows } = await sql<ErasureProgress>`
    select ${COLUMNS} from erasures
    where tenant_id = ${tenantId} and ${condition} order by id desc limit 1`.execute(db);
  return rows.at(0);
}

async function countOpenErasures(db: Database, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom("erasures")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("tenant_id", "=", tenantId)
    .where("state", "<>", "done")
    .executeTakeFirstOrThrow();
  return count;
}
