import { BUCKET_MS, countActivity } from "../src/tenant/count-activity.ts";
import type { AdminUnderTest } from "./start-admin.ts";

/** For tests: so many events of a tenant now, each with a mail; some of them failed for the same reason. */
export async function storeMails(
  { db, pool }: AdminUnderTest,
  tenantId: string,
  { all, failed }: { all: number; failed: number },
): Promise<void> {
  await pool.query(
    `with made as materialized (
      select n, overlay(overlay(md5($1 || n) placing lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') from 1)
               placing '7' from 13)::uuid as id
      from generate_series(1, $2::integer) n
    ),
    events as (
      insert into events (id, tenant_id, event_type, user_id, variables, trace_id, accepted_at, dispatched_at)
      select id, $1, case when n % 2 = 0 then 'order' else 'parcel' end, 'ann', '{}', 't', now(), now() from made
    ),
    deliveries as (
      insert into deliveries (id, event_id, tenant_id, channel, status, reason, attempts, settled_at)
      select id, id, $1, 'EMAIL', case when n <= $3 then 'failed' else 'delivered' end,
             case when n <= $3 then 'SendGrid refused the key' end, 1, now()
      from made
    )
    insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class, reason)
    select id, 1, 'sendgrid', now(), now() + interval '1 s', case when n <= $3 then 'credentials' else 'accepted' end,
           case when n <= $3 then 'SendGrid refused the key' end
    from made`,
    [tenantId, all, failed],
  );
  await countActivity(db, bucketsOf(BUCKET_MS));
}

/** All buckets of so long until now. */
export function bucketsOf(lastMs: number): number[] {
  const current = Math.floor(Date.now() / BUCKET_MS) * BUCKET_MS;
  const count = Math.ceil(lastMs / BUCKET_MS) + 1;
  return Array.from({ length: count }, (_, index) => current - (count - 1 - index) * BUCKET_MS);
}
