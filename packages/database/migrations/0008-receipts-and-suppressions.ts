import { type Kysely, sql } from "kysely";

/**
 * What providers say after they have accepted a message, and the addresses that are not to be used.
 *
 * store_receipts: keeps the receipts of one tenant's deliveries on a channel, each vendor event once,
 * and moves the deliveries on: never back, whatever the order in which receipts come. Whatever a
 * provider says of a message proves that it has it: a delivery that is open for another try, or
 * unknown, ends as accepted, so that it is not sent once more. Receipts of deliveries that the
 * tenant does not have on this channel are left out. Returns the id of each new receipt's delivery,
 * and the event of each delivery that moved.
 *
 * claim_deliveries: takes deliveries for one try each and inserts the attempts, before any call.
 * Returns one row a delivery found, with what it `becomes`:
 *   sending            claimed; `number` is the attempt's
 *   busy               another sender holds it for `wait_ms` more
 *   gone               settled, or waiting for a later time
 *   skipped, expired, failed, unknown   it ended here, for `reason`, without a try
 * A delivery still `sending` after its lease was left by a sender that died: that attempt ends as
 * ambiguous and counts as a retry, and where the template says at most once the delivery as unknown.
 * A delivery to a suppressed address ends as skipped.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

const statements = [
  sql`
    create table receipts (
      tenant_id text collate "C" not null,
      provider_kind text not null,
      vendor_event text collate "C" not null,
      delivery_id uuid not null,
      kind text not null check (kind in ('deferred', 'accepted', 'delivered', 'bounced', 'complained', 'opted out')),
      reason text,
      vendor_status text,
      occurred_at timestamptz,
      received_at timestamptz not null default now(),
      primary key (tenant_id, provider_kind, vendor_event)
    )`,
  sql`comment on column receipts.vendor_event is 'the id by which the same event is known when it comes again'`,
  sql`comment on column receipts.occurred_at is 'by the clock of the provider'`,
  sql`create index receipts_of_delivery on receipts (delivery_id)`,
  sql`create index receipts_by_age on receipts (received_at)`,
  sql`
    create table suppressions (
      tenant_id text collate "C" not null references tenants on delete cascade,
      channel text not null check (channel in ('EMAIL', 'SMS')),
      address text collate "C" not null check (address = lower(address)),
      reason text not null check (reason in ('bounced', 'complained', 'opted out', 'by hand')),
      source text,
      created_at timestamptz not null default now(),
      primary key (tenant_id, channel, address)
    )`,
  sql`comment on column suppressions.address is 'as the events name it, its ASCII letters in lower case; or E.164'`,
  sql`comment on column suppressions.source is 'whose receipt it was, or who added it'`,
  // Dead letters by the end of their life; both columns change only when a delivery settles.
  sql`create index deliveries_dead on deliveries (tenant_id, settled_at, id)
      where status in ('failed', 'expired', 'unknown')`,

  sql`
create function store_receipts(
  p_tenant text, p_channel text, p_provider_kind text, p_vendor_events text[], p_deliveries uuid[],
  p_kinds text[], p_reasons text[], p_vendor_statuses text[], p_times timestamptz[], p_suppress text[]
) returns table (delivery_id uuid, event_id uuid) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  ranks constant text[] := array['deferred', 'accepted', 'opted out', 'delivered', 'bounced', 'complained'];
  moment timestamptz;
begin
  perform 1 from deliveries d
  where d.id = any (p_deliveries) and d.tenant_id = p_tenant and d.channel = p_channel
  order by d.id for update;
  moment := clock_timestamp();
  return query
    with input as materialized (
      select distinct on (i.vendor_event) i.*, d.event_id
      from unnest(p_vendor_events, p_deliveries, p_kinds, p_reasons, p_vendor_statuses, p_times, p_suppress)
        i (vendor_event, delivery_id, kind, reason, vendor_status, occurred_at, suppress)
      join lateral (select * from deliveries d where d.id = i.delivery_id limit 1) d
        on d.tenant_id = p_tenant and d.channel = p_channel
      order by i.vendor_event
    ),
    stored as (
      insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, reason,
                            vendor_status, occurred_at, received_at)
      select p_tenant, p_provider_kind, i.vendor_event, i.delivery_id, i.kind, i.reason,
             i.vendor_status, i.occurred_at, moment
      from input i
      on conflict do nothing
      returning receipts.vendor_event
    ),
    fresh as materialized (
      select i.* from input i join stored s on s.vendor_event = i.vendor_event
    ),
    suppressed as (
      insert into suppressions (tenant_id, channel, address, reason, source, created_at)
      select distinct on (a.address) p_tenant, p_channel, a.address, f.suppress, p_provider_kind, moment
      from fresh f
      join lateral (select * from events e where e.id = f.event_id limit 1) e
        on e.tenant_id = p_tenant
      cross join lateral (
        select lower((case p_channel when 'EMAIL' then e.recipient_email else e.recipient_phone end)
          collate "C") as address
      ) a
      where f.suppress is not null and a.address is not null
      order by a.address
      on conflict do nothing
    ),
    furthest as (
      select distinct on (f.delivery_id) f.delivery_id, f.kind, f.reason
      from fresh f order by f.delivery_id, array_position(ranks, f.kind) desc, f.occurred_at desc
    ),
    moved as (
      update deliveries d
      set status = case when f.kind in ('delivered', 'bounced', 'complained') then f.kind else 'accepted' end,
          reason = case when f.kind in ('bounced', 'complained') then f.reason end,
          due_at = null, released_at = null, claimed_until = null,
          settled_at = coalesce(d.settled_at, moment)
      from furthest f
      where d.id = any (p_deliveries) and d.id = f.delivery_id and (
        d.status in ('sending', 'waiting', 'unknown')
        or d.status = 'accepted' and f.kind in ('delivered', 'bounced', 'complained')
        or d.status = 'delivered' and f.kind in ('bounced', 'complained')
      )
      returning d.id, d.event_id
    )
    select f.delivery_id, m.event_id from fresh f left join moved m on m.id = f.delivery_id;
end
$function$`,

  sql`
create function claim_deliveries(
  p_channel text, p_ids uuid[], p_tenants text[], p_providers uuid[], p_kinds text[],
  p_lease_ms integer, p_max_retries integer
) returns table (
  delivery_id uuid, becomes text, was text, reason text, wait_ms integer, event_id uuid, tenant_id text,
  number integer, retries integer, template_version_id bigint, at_most_once boolean, sensitive boolean,
  recipient text, variables text, trace_id text
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  died constant text := 'the sender ended before the outcome was known';
  moment timestamptz;
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  return query
    with input as materialized (
      select distinct on (i.id) i.id, i.tenant_id, i.provider_id, i.provider_kind
      from unnest(p_ids, p_tenants, p_providers, p_kinds) i (id, tenant_id, provider_id, provider_kind)
      order by i.id
    ),
    found as materialized (
      select d.id, d.status as was, d.attempts, d.claimed_until, d.event_id, d.tenant_id,
             d.template_version_id, i.provider_id, i.provider_kind, v.at_most_once, v.sensitive,
             d.retries + (d.status = 'sending')::integer as tried,
             case p_channel when 'EMAIL' then e.recipient_email else e.recipient_phone end as recipient,
             e.variables, e.trace_id,
             case
               when d.status = 'sending' and d.claimed_until > moment then 'busy'
               when d.status not in ('queued', 'waiting', 'sending') then 'gone'
               when d.status <> 'sending' and d.released_at is null and d.due_at > moment then 'gone'
               when d.status = 'sending' and v.at_most_once then 'unknown'
               when t.active is not true then 'skipped'
               when d.expires_at <= moment then 'expired'
               when s.reason is not null then 'skipped'
               when i.provider_kind is null then 'skipped'
               when e.id is null or v.id is null then 'failed'
               when d.status = 'sending' and d.retries >= p_max_retries then 'failed'
               else 'sending'
             end as becomes,
             case
               when d.status = 'sending' and v.at_most_once then died
               when t.active is not true then 'tenant inactive'
               when d.expires_at <= moment then 'expired before it could be sent'
               when s.reason is not null then 'address suppressed (' || s.reason || ')'
               when i.provider_kind is null then 'no active provider'
               when e.id is null then 'the event is gone'
               when v.id is null then 'the template is gone'
               when d.status = 'sending' and d.retries >= p_max_retries then 'retries exhausted: ' || died
             end as why
      from input i
      -- One look into an index an item: this plan is made on an empty database, where a walk over a
      -- whole table looks cheapest, and it must stay good while the tables grow. The arrays of ids in
      -- the updates below say the same.
      join lateral (select * from deliveries d where d.id = i.id limit 1) d
        on d.tenant_id = i.tenant_id and d.channel = p_channel
      left join lateral (select * from events e where e.id = d.event_id limit 1) e
        on e.tenant_id = d.tenant_id
      left join lateral (
        select * from template_versions v where v.id = d.template_version_id limit 1
      ) v on true
      left join lateral (select t.active from tenants t where t.id = d.tenant_id limit 1) t on true
      left join lateral (
        select * from suppressions s
        where s.tenant_id = d.tenant_id and s.channel = p_channel
          and s.address = lower((case p_channel when 'EMAIL' then e.recipient_email else e.recipient_phone end)
            collate "C")
        limit 1
      ) s on true
    ),
    abandoned as (
      update attempts a set ended_at = moment, class = 'ambiguous', reason = died
      from found f
      where f.was = 'sending' and f.becomes <> 'busy'
        and a.delivery_id = any (p_ids)
        and a.delivery_id = f.id and a.number = f.attempts and a.ended_at is null
    ),
    moved as (
      update deliveries d
      set status = f.becomes, reason = f.why, retries = f.tried,
          attempts = f.attempts + (f.becomes = 'sending')::integer,
          provider_id = case when f.becomes = 'sending' then f.provider_id else d.provider_id end,
          claimed_until = case when f.becomes = 'sending' then moment + p_lease_ms * interval '1 millisecond' end,
          released_at = case when f.becomes = 'sending' then coalesce(d.released_at, moment) end,
          due_at = case when f.becomes = 'sending' then d.due_at end,
          settled_at = case when f.becomes <> 'sending' then moment end
      from found f
      where d.id = any (p_ids) and d.id = f.id and f.becomes not in ('busy', 'gone')
    ),
    begun as (
      insert into attempts (delivery_id, number, provider_id, provider_kind, started_at)
      select f.id, f.attempts + 1, f.provider_id, f.provider_kind, moment
      from found f where f.becomes = 'sending'
    )
    select f.id, f.becomes, f.was, f.why,
           case when f.becomes = 'busy'
             then greatest(1, ceil(extract(epoch from f.claimed_until - moment) * 1000))::integer end,
           f.event_id, f.tenant_id, f.attempts + 1, f.tried, f.template_version_id, f.at_most_once, f.sensitive,
           f.recipient, f.variables, f.trace_id
    from found f;
end
$function$`,
];
