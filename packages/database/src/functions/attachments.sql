-- Returns the time after which an incomplete upload counts as lost. The request of an upload may take 15 seconds.
create or replace function upload_time() returns interval language sql immutable
as $function$ select interval '1 minute' $function$;

-- Begins an upload: counts one request in the tenant's minute, as accept_events does, and reserves p_bytes among the
-- tenant's files that no event has named. Returns `outcome`: `begun`; `minute` (over the limit per minute); `full` (the
-- unnamed files are too many or too large, and the oldest is due to be deleted in `wait` seconds; `wait` is null if
-- instead all files of the tenant together have reached their limit); `inactive`. Also returns the tenant's name and
-- limits, as accept_events does.
create or replace function begin_attachment(
  p_id uuid, p_tenant text, p_name text, p_type text, p_bytes integer, p_most_bytes bigint, p_most integer
) returns table (
  outcome text, wait integer, tenant_name text, per_minute integer, minute_remaining integer, minute_wait integer,
  daily_cap integer, day_remaining integer, day_wait integer, created_at timestamptz
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  moment timestamptz;
  tenant record;
  turned record;
  unnamed record;
  kept_bytes bigint;
  at_second bigint;
  used_today integer;
begin
  perform 1 from tenant_limits l where l.tenant_id = p_tenant for update;
  moment := clock_timestamp();
  created_at := moment;
  select t.name, t.per_minute, t.daily_cap, t.max_attachment_mib * 1048576::bigint as most_bytes, l.ring, l.ring_total, l.ring_second, l.day, l.day_total into tenant
  from tenants t join tenant_limits l on l.tenant_id = t.id
  where t.id = p_tenant and l.tenant_id = p_tenant and t.active;
  if not found then
    outcome := 'inactive';
    return next;
    return;
  end if;
  at_second := ring_second(tenant.ring_second, moment);
  turned := turned_ring(tenant.ring, tenant.ring_total, tenant.ring_second, at_second);
  select count(*) as files, coalesce(sum(a.bytes), 0) as bytes, min(a.created_at) as oldest into unnamed
  from attachments a
  where a.tenant_id = p_tenant and not a.named and a.created_at > moment - interval '24 hours'
    and (a.complete or a.created_at > moment - upload_time());
  -- A tenant's uploads begin one after the other, and their bytes are counted at once, so the limit is never exceeded.
  kept_bytes := coalesce((select s.bytes from attachment_sums s where s.tenant_id = p_tenant), 0);
  if turned.used >= tenant.per_minute then
    outcome := 'minute';
  elsif kept_bytes + p_bytes > tenant.most_bytes then
    outcome := 'full';
  elsif unnamed.files >= p_most or unnamed.bytes + p_bytes > p_most_bytes then
    outcome := 'full';
    wait := greatest(1, ceil(extract(epoch from unnamed.oldest + interval '24 hours' - moment)));
  else
    outcome := 'begun';
    turned.ring := ring_with(turned.ring, at_second, 1);
    turned.used := turned.used + 1;
    update tenant_limits l set ring = turned.ring, ring_second = at_second, ring_total = turned.used
    where l.tenant_id = p_tenant;
    insert into attachments (id, tenant_id, name, type, bytes, created_at)
    values (p_id, p_tenant, p_name, p_type, p_bytes, moment);
  end if;
  tenant_name := tenant.name;
  per_minute := tenant.per_minute;
  minute_remaining := greatest(0, tenant.per_minute - turned.used);
  minute_wait := ring_wait(turned.ring, turned.used, tenant.per_minute, at_second, moment);
  daily_cap := tenant.daily_cap;
  used_today := case when tenant.day >= (moment at time zone 'UTC')::date then tenant.day_total else 0 end;
  day_remaining := greatest(0, tenant.daily_cap - used_today);
  if daily_cap is null then day_remaining := null; end if;
  day_wait := greatest(1, ceil(extract(epoch from
    (greatest(tenant.day, (moment at time zone 'UTC')::date) + 1)::timestamp at time zone 'UTC' - moment)));
  return next;
end
$function$;

-- Locks the files that events name, within accept_events, which holds the tenants' rows. Returns the items that cannot
-- be stored, because a file is unknown, another tenant's, incomplete, expired, or not the one that the caller has
-- looked up. Never waits: a deletion locks only files that no event may name any more, so a locked file counts as
-- deleted.
create or replace function lock_attachments(p_tenants text[], p_options json[], p_moment timestamptz) returns integer[]
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  wanted uuid[];
  held uuid[];
begin
  wanted := array(
    select distinct (f.file ->> 'id')::uuid
    from unnest(p_options) o (option)
    cross join lateral json_array_elements(o.option -> 'envelope' -> 'attachments') f (file)
    where o.option -> 'envelope' -> 'attachments' is not null);
  held := array(
    select a.id from attachments a
    where a.id = any (wanted) and a.tenant_id = any (p_tenants) and a.complete
      and (a.named or a.created_at > p_moment - interval '24 hours')
    for no key update skip locked);
  return array(
    select distinct o.item::integer
    from unnest(p_tenants, p_options) with ordinality o (tenant_id, option, item)
    cross join lateral json_array_elements(o.option -> 'envelope' -> 'attachments') f (file)
    where o.option -> 'envelope' -> 'attachments' is not null and not exists (
      select from attachments a
      where a.id = (f.file ->> 'id')::uuid and a.id = any (held) and a.tenant_id = o.tenant_id
        and a.sha256 = decode(f.file ->> 'sha256', 'hex')));
end
$function$;

-- Stores which files the events name. lock_attachments must have locked the files. p_events has null for an item that
-- is not stored.
create or replace function name_attachments(p_events uuid[], p_options json[]) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  -- Removes the earlier files of an event that was refused and is stored again.
  perform drop_attachments(p_events);
  insert into event_attachments (event_id, position, attachment_id, cid)
    select e.event_id, f.place, (f.file ->> 'id')::uuid, f.file ->> 'cid'
    from unnest(p_events, p_options) e (event_id, option)
    cross join lateral json_array_elements(e.option -> 'envelope' -> 'attachments') with ordinality f (file, place)
    where e.event_id is not null and e.option -> 'envelope' -> 'attachments' is not null;
  update attachments a set named = true
  where not a.named and a.id = any (array(
    select (f.file ->> 'id')::uuid
    from unnest(p_events, p_options) e (event_id, option)
    cross join lateral json_array_elements(e.option -> 'envelope' -> 'attachments') f (file)
    where e.event_id is not null and e.option -> 'envelope' -> 'attachments' is not null));
end
$function$;

-- Removes the links of events to their files, and notes the files for mark_unlinked_attachments. The caller holds the
-- events' rows. No file is locked, because accepting events must not wait for a deletion.
create or replace function drop_attachments(p_events uuid[]) returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  with gone as (delete from event_attachments l where l.event_id = any (p_events) returning l.attachment_id)
  insert into unlinked_attachments (tenant_id, attachment_id)
    select a.tenant_id, a.id from (select distinct g.attachment_id from gone g) g
    cross join lateral (select a.tenant_id, a.id from attachments a where a.id = g.attachment_id limit 1) a;
end
$function$;

-- Reads and deletes at most p_most notes of a tenant, or of the first tenant with notes if p_tenant is null. Marks the
-- files that no event names: from then on no event can name them, and expire_attachments finds them. Returns the number
-- of notes and the marked files. Holds the tenant's row, as accept_events does, so that no event names a file
-- meanwhile.
create or replace function mark_unlinked_attachments(p_tenant text, p_most integer)
returns table (noted integer, marked uuid[])
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  owner constant text := coalesce(p_tenant, (
    select n.tenant_id from unlinked_attachments n order by n.tenant_id limit 1));
  files uuid[];
begin
  perform 1 from tenant_limits l where l.tenant_id = owner for update;
  with taken as (
    delete from unlinked_attachments n
    where n.ctid = any (array(
      select n.ctid from unlinked_attachments n where n.tenant_id = owner limit p_most for update skip locked))
    returning n.attachment_id
  )
  select count(*), array_agg(distinct t.attachment_id) into noted, files from taken t;
  with dead as (
    update attachments a set named = false, created_at = 'epoch'
    where a.id = any (files)
      and not exists (select from event_attachments l where l.attachment_id = a.id)
    returning a.id
  )
  select coalesce(array_agg(d.id), '{}') into marked from dead d;
  return next;
end
$function$;

-- Deletes at most p_most files, and hardly more than 32 MiB: files older than 24 hours that no event has named, marked
-- files, and the remains of uploads that were never completed. Returns the number of files; 0 if none is left. An event
-- that is just naming a file holds the file's row, so the file stays.
create or replace function expire_attachments(p_moment timestamptz, p_most integer) returns integer
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  most_bytes constant bigint := 33554432;
  old uuid[];
  gone integer;
begin
  old := array(
    select a.id from attachments a
    where not a.named and a.created_at <= p_moment - interval '24 hours'
    order by a.created_at limit p_most for update skip locked);
  if cardinality(old) < p_most then
    old := old || array(
      select a.id from attachments a
      where not a.complete and a.created_at <= p_moment - upload_time() and a.id <> all (old)
      order by a.created_at limit p_most - cardinality(old) for update skip locked);
  end if;
  delete from attachments a
  where a.id = any (array(
    select u.id
    from (select o.id, sum(o.bytes) over (order by o.id) - o.bytes as earlier from attachments o where o.id = any (old)) u
    where u.earlier < most_bytes));
  get diagnostics gone = row_count;
  return gone;
end
$function$;
