import { storeWaiting } from "@belfry/admin/test/store-waiting";
import type { Pool } from "@belfry/database/connection";

/**
 * A tenant's events of the last 30 days, evenly, each with a mail, every other one with an SMS too, and
 * each in the history of one of a thousand users; so many of the mails failed for good. Half as many that are
 * older wait: scheduled ones, messages that gather, and held ones.
 */
export async function storeEvents(
  pool: Pool,
  tenantId: string,
  { count, dead }: { count: number; dead: number },
): Promise<void> {
  const { rows } = await pool.query(
    `select channel, current_version_id from templates join template_variants on template_id = id
     where tenant_id = $1`,
    [tenantId],
  );
  const versionOf = (channel: string) =>
    rows.find((row) => row.channel === channel)?.current_version_id ?? null;
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("set local statement_timeout = 0");
    await client.query("set local synchronous_commit = off");
    await client.query(
      `create temporary table made on commit drop as
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
               || substr(md5(n::text), 1, 3) || '8' || substr(md5($2 || n), 1, 15))::uuid as id, n, at
       from generate_series(1, $1::integer) n,
            lateral (select now() - interval '30 days' * (1 - n::float8 / $1::integer)) t (at)`,
      [count, tenantId],
    );
    await client.query(
      `insert into events (id, tenant_id, event_type, user_id, reference, recipient_email,
         recipient_phone, variables, trace_id, accepted_at, dispatched_at, outcome)
       select id, $1, (array['order.confirmed', 'parcel.arriving', 'sign-in.code'])[n % 3 + 1],
              'user-' || n % 1000, 'order-' || n, n % 1000 || '@example.com', '+12025550123',
              '{"order":"A-1001"}', 'trace-' || n, at, at + interval '50 ms', '{}'
       from made`,
      [tenantId],
    );
    for (const [channel, every, digit] of [
      ["EMAIL", 1, "e"],
      ["SMS", 2, "5"],
    ] as const) {
      await client.query(
        `insert into deliveries (id, event_id, tenant_id, channel, status, reason,
           template_version_id, attempts, created_at, settled_at)
         select (substr(id::text, 1, 24) || $4 || substr(id::text, 26))::uuid, id, $1, $2,
                case when $2 = 'EMAIL' and n % $6::integer = 0 then 'failed' else 'accepted' end,
                case when $2 = 'EMAIL' and n % $6::integer = 0 then 'SendGrid refused the key' end,
                $5, 1, at, at + interval '1 s'
         from made where n % $3::integer = 0`,
        [tenantId, channel, every, digit, versionOf(channel), Math.floor(count / dead)],
      );
    }
    await client.query(
      `insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class)
       select d.id, 1, 'sandbox', d.created_at, d.settled_at,
              case d.status when 'failed' then 'permanent' else 'accepted' end
       from made m join deliveries d on d.event_id = m.id and d.tenant_id = $1`,
      [tenantId],
    );
    await client.query(
      `insert into notifications
         (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
       select id, $1, 'user-' || n % 1000, 'order.confirmed', 'Order', 'Confirmed', 'personal', 10000 + n, at
       from made`,
      [tenantId],
    );
    await client.query("commit");
  } finally {
    client.release();
  }
  const third = Math.floor(count / 6);
  const waiting = { scheduled: third, digests: third, held: third };
  await storeWaiting(pool, tenantId, {
    ...waiting,
    text: "order.confirmed",
    user: "wait",
    ageDays: 31,
  });
  await pool.query("analyze events, deliveries, attempts, notifications");
  await pool.query("analyze scheduled_events, digests, digest_items");
}
