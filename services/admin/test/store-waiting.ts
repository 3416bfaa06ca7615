import type { Pool } from "@belfry/database/connection";

/** How many of each; `text` stands wherever a tenant or its users say something. */
interface Waiting {
  scheduled?: number;
  digests?: number;
  /** Number of waiting deliveries, held in turn by quiet hours, until unread, and after a failed try. */
  held?: number;
  text?: string;
  user?: string;
  /** Age of their events in days. */
  ageDays?: number;
}

/** In the order of acceptance, so many days ago. */
const EVENT_ID = `(lpad(to_hex((extract(epoch from clock_timestamp() - $5 * interval '1 day') * 1000)::bigint), 12, '0') || '7'
  || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`;

/** For tests: what a tenant has at rest, the soonest in an hour, each a second later than the one before. */
export async function storeWaiting(
  pool: Pool,
  tenantId: string,
  { scheduled = 0, digests = 0, held = 0, text = "order", user = text, ageDays = 0 }: Waiting,
): Promise<void> {
  const columns = "tenant_id, event_type, user_id, trace_id, accepted_at, reference";
  await pool.query(
    `with made as materialized (
      select ${EVENT_ID} as id, now() + n * interval '1 s' + interval '1 hour' as at, n
      from generate_series(1, $2::integer) n
    ), resting as (
      insert into scheduled_events (event_id, tenant_id, send_at, trace_id) select id, $1, at, 't' from made
    )
    insert into events (id, ${columns}, send_at, cancel_key, variables)
    select id, $1, $3::text, $4::text, 't', now() - $5 * interval '1 day', $3 || n, at, $3, '{}' from made`,
    [tenantId, scheduled, text, user, ageDays],
  );
  await pool.query(
    `with made as materialized (
      select ${EVENT_ID} as id, gen_random_uuid() as digest, now() + n * interval '1 s' + interval '1 hour' as at, n
      from generate_series(1, $2::integer) n
    ), opened as (
      insert into digests
        (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at)
      select digest, $1, $3::text, 'EMAIL', $4::text || to_char(n, 'FM000000'), $3, '', $3, now(), at from made
    ), items as (
      insert into digest_items (digest_id, event_id, added_at) select digest, id, now() from made
    ), sent as (
      insert into deliveries (id, event_id, tenant_id, channel, status, template_version_id, due_at, reason)
      select id, digest, $1, 'EMAIL', 'queued', 1, at, coded_reason('gathered', '09:00, 1 Jan 2027 (UTC)') from made
    )
    insert into events (id, ${columns}, dispatched_at, variables)
    select id, $1, $3, $4 || to_char(n, 'FM000000'), 't', now() - $5 * interval '1 day', null, now(), '{}' from made`,
    [tenantId, digests, text, user, ageDays],
  );
  await pool.query(
    `with made as materialized (
      select ${EVENT_ID} as id, now() + n * interval '1 s' + interval '1 hour' as at, n
      from generate_series(1, $2::integer) n
    ), sent as (
      insert into deliveries (id, event_id, tenant_id, channel, status, template_version_id, due_at, reason, attempts)
      select id, id, $1, 'SMS', case n % 3 when 0 then 'waiting' else 'queued' end, 1, at,
             case n % 3 when 0 then $3 when 1 then coded_reason('quiet', '07:00, 1 Jan 2027 (UTC)')
               else coded_reason('unread', '07:00, 1 Jan 2027 (UTC)') end,
             case n % 3 when 0 then 1 else 0 end
      from made
    )
    insert into events (id, ${columns}, dispatched_at, variables)
    select id, $1, $3, $4::text, 't', now() - $5 * interval '1 day', null, now(), '{}' from made`,
    [tenantId, held, text, user, ageDays],
  );
}
