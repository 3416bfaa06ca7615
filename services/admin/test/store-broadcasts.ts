import { randomUUID } from "node:crypto";
import type { Pool } from "@belfry/database/connection";

/** `text` stands wherever a tenant says something. */
interface Stored {
  state?: "scheduled" | "running" | "paused" | "cancelling" | "cancelled" | "done";
  reason?: string | null;
  eventType?: string;
  topics?: string[] | null;
  users?: readonly string[];
  counts?: Record<string, number>;
  /** When a paused one resumes. */
  resumesAt?: Date;
}

/** For tests: a broadcast as it is while it is sent: for 1,000 people, with an event for each of `users`. */
export async function storeBroadcast(
  pool: Pool,
  tenantId: string,
  { state = "running", reason = null, eventType = "news", users = [], ...more }: Stored = {},
): Promise<string> {
  const [id, ended] = [randomUUID(), ["cancelled", "done"].includes(state)];
  const { topics = ["news"], counts = {}, resumesAt = null } = more;
  await pool.query(
    `insert into broadcasts (id, tenant_id, state, reason, event_type, topics, locale, variables, trace_id, total, expanded,
       chunks, counts, started_at, ended_at, send_at, next_at, cancel_asked_at)
     values ($1, $2, $3, $4, $5, $6, $7, '{}', 't', 1000, $8, 1, $9,
       case when $3 <> 'scheduled' then now() end, case when $10 then now() end,
       case when $3 = 'scheduled' then now() + interval '1 hour' end, $11,
       case when $3 in ('cancelling', 'cancelled') then now() end)`,
    [id, tenantId, state, reason, eventType, topics, null, users.length, counts, ended, resumesAt],
  );
  const ids = users.map(() => randomUUID());
  await pool.query(
    `insert into broadcast_chunks (broadcast_id, number, event_ids, created_at) values ($1, 1, $2, now())`,
    [id, ids],
  );
  await pool.query(
    `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at, dispatched_at, variables, broadcast_id)
     select u.id, $1, $2, u.user_id, 't', now(), now(), 'broadcast ' || $5, $5::uuid
     from unnest($3::uuid[], $4::text[]) u (id, user_id)`,
    [tenantId, eventType, ids, users, id],
  );
  return id;
}

/** A topic with these members, who are in the directory. */
export async function storeTopic(
  pool: Pool,
  tenantId: string,
  topic: string,
  users: readonly string[],
): Promise<void> {
  await pool.query("insert into topics (tenant_id, key, members) values ($1, $2, $3)", [
    ...[tenantId, topic, users.length],
  ]);
  await pool.query(
    `insert into topic_members (tenant_id, topic, user_id) select $1, $2, u.id from unnest($3::text[]) u (id)`,
    [tenantId, topic, users],
  );
  await pool.query(
    `insert into recipients (tenant_id, user_id, email, updated_at)
     select $1, u.id, u.id || '@example.com', now() from unnest($2::text[]) u (id) on conflict do nothing`,
    [tenantId, users],
  );
  await pool.query("update tenants set uses_recipients = true where id = $1", [tenantId]);
}
