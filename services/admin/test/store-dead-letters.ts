import { putTemplate } from "@belfry/administration/test/templates";
import type { AdminUnderTest } from "./start-admin.ts";

/** For tests: so many emails of a tenant that failed for now too often, each with one attempt. */
export async function storeDeadLetters(
  { db, pool }: AdminUnderTest,
  tenantId: string,
  count: number,
): Promise<void> {
  const template = { tenantId, eventType: "bulk", channel: "SMS", content: "x" } as const;
  const { id } = await putTemplate(db, template);
  await pool.query(
    `with made as materialized (
      select gen_random_uuid() as id from generate_series(1, $3::integer)
    ),
    events as (
      insert into events
        (id, tenant_id, event_type, user_id, variables, trace_id, accepted_at, dispatched_at)
      select id, $1, 'bulk', 'ann', '{}', 't', now(), now() from made
    ),
    deliveries as (
      insert into deliveries
        (id, event_id, tenant_id, channel, status, reason, template_version_id, attempts, settled_at)
      select m.id, m.id, $1, 'EMAIL', 'failed', 'HTTP 500', t.current_version_id, 1, now()
      from made m, template_variants t where t.template_id = $2 and t.locale = ''
    )
    insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class)
    select id, 1, 'sendgrid', now(), now(), 'transient' from made`,
    [tenantId, id, count],
  );
}
