import type { Stack } from "../end-to-end/stack.ts";
import { EVENT_TYPE } from "../failure/world.ts";

/**
 * Deliveries on EMAIL as the dispatcher leaves them, `count` of them, due in `dueInMs`: with keys
 * `key-<label>-<number>`. `retries`: they have been tried so often.
 */
export async function insertBacklog(
  stack: Stack,
  tenantId: string,
  options: { label: string; count: number; dueInMs?: number; retries?: number },
): Promise<void> {
  const { label, count, dueInMs = 0, retries = 0 } = options;
  await stack.pool.query(
    `with event as (
       insert into events (id, tenant_id, event_type, user_id, recipient_email, variables, trace_id,
         accepted_at, dispatched_at)
       select gen_random_uuid(), $1, $2, 'ann', 'ann@example.com',
         json_build_object('key', 'key-' || $3 || '-' || n)::text, 'backlog', now(), now()
       from generate_series(1, $4::integer) n
       returning id
     )
     insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, status, retries,
       due_at, created_at)
     select gen_random_uuid(), event.id, $1, 'EMAIL', 'ann@example.com',
       (select current_version_id from templates join template_variants on template_id = templates.id
        where tenant_id = $1 and event_type = $2 and channel = 'EMAIL'),
       case when $5 = 0 then 'queued' else 'waiting' end, $5,
       clock_timestamp() + $6 * interval '1 millisecond', now()
     from event`,
    [tenantId, EVENT_TYPE, label, count, retries, dueInMs],
  );
}
