import { sql } from "kysely";
import type pg from "pg";
import { callFunction, type Database } from "../connection.ts";
import type { Owner } from "../notifications.ts";

/** The key of a realtime channel, which clients call `<name>#<userId>`. It is never read without its tenant. */
export interface ChannelKey {
  tenantId: string;
  userId: string;
  name: string;
}

export interface ForgottenChannels {
  channels: number;
  /** Notifications that were deleted with the channels. */
  notifications: number;
}

/** Deletes all channels of a tenant, or of one of its users, with their notifications, `most` channels at a time. */
export async function forgetChannels(
  db: Database,
  { tenantId, userId }: Pick<Owner, "tenantId"> & Partial<Owner>,
  most: number,
): Promise<ForgottenChannels> {
  const forgotten = { channels: 0, notifications: 0 };
  for (;;) {
    let query = db
      .selectFrom("realtime_channels")
      .select(["tenant_id as tenantId", "user_id as userId", "channel_name as name"])
      .where("tenant_id", "=", tenantId);
    if (userId !== undefined) query = query.where("user_id", "=", userId);
    const keys = await query.limit(most).execute();
    if (keys.length > 0) {
      const { rows } = await sql<ForgottenChannels>`
        select channels::integer, notifications::integer
        from forget_channels(p_tenants => ${keys.map((key) => key.tenantId)},
          p_users => ${keys.map((key) => key.userId)}, p_names => ${keys.map((key) => key.name)},
          p_empty => false)`.execute(db);
      forgotten.channels += rows[0]?.channels ?? 0;
      forgotten.notifications += rows[0]?.notifications ?? 0;
    }
    if (keys.length < most) return forgotten;
  }
}

const FIRST: ChannelKey = { tenantId: "", userId: "", name: "" };

/**
 * Reads the next `looks` channels after a key and deletes those without notifications. `reached` is the last channel
 * that was read, or undefined if there are no more.
 */
export async function forgetEmptyChannels(
  pool: pg.Pool,
  after: ChannelKey | undefined,
  looks: number,
): Promise<{ forgotten: number; reached: ChannelKey | undefined }> {
  const { tenantId, userId, name } = after ?? FIRST;
  const { rows } = await pool.query<ChannelKey & { is_empty: boolean }>(
    // The lateral join with a limit makes one index look-up per channel.
    `select c.tenant_id as "tenantId", c.user_id as "userId", c.channel_name as name,
            n.id is null as is_empty
     from (select * from realtime_channels
           where (tenant_id, user_id, channel_name) > ($1, $2, $3)
           order by tenant_id, user_id, channel_name limit $4) c
     left join lateral (
       select n.id from notifications n
       where n.tenant_id = c.tenant_id and n.user_id = c.user_id and n.channel_name = c.channel_name
       limit 1
     ) n on true
     order by c.tenant_id, c.user_id, c.channel_name`,
    [tenantId, userId, name, looks],
  );
  const reached = rows.length < looks ? undefined : rows.at(-1);
  const empty = rows.filter((row) => row.is_empty);
  if (empty.length === 0) return { forgotten: 0, reached };
  const [gone] = await callFunction<{ channels: string }>(pool, "forget_channels", {
    ...columns(empty),
    p_empty: true,
  });
  return { forgotten: Number(gone?.channels ?? 0), reached };
}

/** Raises channels whose top offset is below that of a notification: their next offset would be in use. */
export async function healChannels(pool: pg.Pool, keys: readonly ChannelKey[]): Promise<void> {
  await callFunction(pool, "heal_channels", columns(keys));
}

function columns(keys: readonly ChannelKey[]) {
  return {
    p_tenants: keys.map((key) => key.tenantId),
    p_users: keys.map((key) => key.userId),
    p_names: keys.map((key) => key.name),
  };
}
