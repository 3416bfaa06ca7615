-- Stores the receipts of one tenant's deliveries on some channels, each vendor event once, and updates the deliveries.
-- A status only moves forwards, in whatever order receipts arrive. Any receipt proves that the provider has the
-- message: a delivery that waits for another attempt, is queued again after an attempt, or is unknown, ends as
-- accepted, so that it is not sent again. Receipts of deliveries that the tenant does not have on these channels are
-- ignored. Returns the id of each new receipt's delivery, and the event's id if the delivery changed.
--
-- p_addresses has the address that each receipt is about; null means the recipient. A receipt about another address,
-- which got a copy, suppresses only that address and changes no delivery. An empty address means that the receipt is
-- about one of the people who got the mail, but the vendor does not say which: it changes and suppresses nothing.
create or replace function store_receipts_of_addresses(
  p_tenant text, p_channels text[], p_provider_kind text, p_vendor_events text[], p_deliveries uuid[],
  p_kinds text[], p_reasons text[], p_vendor_statuses text[], p_times timestamptz[], p_suppress text[],
  p_addresses text[]
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
  where d.id = any (p_deliveries) and d.tenant_id = p_tenant and d.channel = any (p_channels)
  order by d.id for update;
  moment := clock_timestamp();
  return query
    with input as materialized (
      select distinct on (i.vendor_event) i.*, d.channel,
             lower(coalesce(i.told, d.recipient) collate "C") as address,
             lower(i.told collate "C") <> lower(d.recipient collate "C") is true as of_copy
      from unnest(p_vendor_events, p_deliveries, p_kinds, p_reasons, p_vendor_statuses, p_times, p_suppress, p_addresses)
        i (vendor_event, delivery_id, kind, reason, vendor_status, occurred_at, suppress, told)
      join lateral (select * from deliveries d where d.id = i.delivery_id limit 1) d
        on d.tenant_id = p_tenant and d.channel = any (p_channels)
      order by i.vendor_event
    ),
    stored as (
      insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, reason,
                            vendor_status, occurred_at, received_at, address)
      select p_tenant, p_provider_kind, i.vendor_event, i.delivery_id, i.kind, i.reason,
             i.vendor_status, i.occurred_at, moment, case when i.of_copy then i.told end
      from input i
      on conflict do nothing
      returning receipts.vendor_event
    ),
    fresh as materialized (
      select i.* from input i join stored s on s.vendor_event = i.vendor_event
    ),
    suppressed as (
      insert into suppressions (tenant_id, channel, address, reason, source, created_at)
      select distinct on (f.channel, f.address, f.suppress = 'opted out') p_tenant, f.channel, f.address, f.suppress, p_provider_kind, moment
      from fresh f
      where f.suppress is not null and f.address <> '' and (
        -- One index look-up per item, without a join, because Postgres makes its plan on an empty database.
        select count(*) from (
          select from suppressions s
          where s.tenant_id = p_tenant and s.channel = f.channel and s.address = f.address
            and (s.reason = 'opted out') = (f.suppress = 'opted out')
          limit 1
        ) there
      ) = 0
      order by f.channel, f.address, f.suppress = 'opted out'
      on conflict do nothing
    ),
    furthest as (
      select distinct on (f.delivery_id) f.delivery_id, f.kind, f.reason
      from fresh f where not f.of_copy order by f.delivery_id, array_position(ranks, f.kind) desc, f.occurred_at desc
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
        or d.status = 'queued' and d.attempts > 0
        or d.status = 'accepted' and f.kind in ('delivered', 'bounced', 'complained')
        or d.status = 'delivered' and f.kind in ('bounced', 'complained')
      )
      returning d.id, d.event_id
    )
    select f.delivery_id, m.event_id from fresh f left join moved m on m.id = f.delivery_id;
end
$function$;

-- Does the same for services of the previous version, whose receipts have no address.
create or replace function store_receipts(
  p_tenant text, p_channels text[], p_provider_kind text, p_vendor_events text[], p_deliveries uuid[],
  p_kinds text[], p_reasons text[], p_vendor_statuses text[], p_times timestamptz[], p_suppress text[]
) returns table (delivery_id uuid, event_id uuid) language sql volatile
as $function$
  select r.delivery_id, r.event_id from store_receipts_of_addresses(
    p_tenant => p_tenant, p_channels => p_channels, p_provider_kind => p_provider_kind,
    p_vendor_events => p_vendor_events, p_deliveries => p_deliveries, p_kinds => p_kinds, p_reasons => p_reasons,
    p_vendor_statuses => p_vendor_statuses, p_times => p_times, p_suppress => p_suppress,
    p_addresses => array_fill(null::text, array[cardinality(p_vendor_events)])) r
$function$;
