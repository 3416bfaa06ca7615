-- Returns what dispatch_events was given about the times of deliveries (DeliveryTiming in dispatch-events.ts), for
-- claimed events only. One row per delivery that has a timing; `place` is its index in the arrays, from 1.
create or replace function delivery_timings(p_claimed uuid[], p_events uuid[], p_timing json[]) returns table (
  place integer, user_id text, event_type text, zone text, sensitive boolean, expires_after integer,
  quiet_end text, throttle_count integer, throttle_seconds integer, unless_read integer, digest_id uuid,
  locale text, key text, window_seconds integer, at time, days integer[], sliding boolean, max_seconds integer,
  leads boolean
) language sql stable as $function$
  select i.place::integer, t."userId", t."eventType", t.zone, t.sensitive, t."expiresAfterSeconds",
         t."quietEnd", h.count, h.seconds, t."unlessRead", g.id, g.locale, g.key, g."windowSeconds", g.at,
         case when g.days is not null
           then array(select d.day::integer from json_array_elements_text(g.days) d (day)) end,
         coalesce(g.sliding, false), g."maxSeconds", coalesce(g."leading", false)
  from unnest(p_events, p_timing) with ordinality i (event_id, timing, place)
  cross join lateral json_to_record(i.timing) t ("userId" text, "eventType" text, zone text, sensitive boolean,
    "expiresAfterSeconds" integer, "quietEnd" text, throttle json, "unlessRead" integer, digest json)
  left join lateral json_to_record(t.throttle) h (count integer, seconds integer) on true
  left join lateral json_to_record(t.digest) g (id uuid, locale text, key text, "windowSeconds" integer, at time,
    days json, sliding boolean, "maxSeconds" integer, "leading" boolean) on true
  where i.event_id = any (p_claimed)
$function$;

-- Locks the users with digests or throttles until the end of the transaction: one lock per user, in the same order for
-- all dispatchers. Later statements see everything that earlier holders have written.
create or replace function take_user_turns(
  p_claimed uuid[], p_events uuid[], p_tenants text[], p_timing json[]
) returns void language plpgsql volatile as $function$
begin
  perform pg_advisory_xact_lock(u.turn) from (
    select distinct hashtextextended('belfry user ' || i.tenant_id || ' ' || (i.timing ->> 'userId'), 0) as turn
    from unnest(p_events, p_tenants, p_timing) i (event_id, tenant_id, timing)
    where i.event_id = any (p_claimed)
      and (i.timing ->> 'digest' is not null or i.timing ->> 'throttle' is not null)
    order by 1
  ) u;
end
$function$;

-- Adds the text about a channel to an event's outcome, under `waits` or `skipped`.
create or replace function with_words(p_outcome jsonb, p_under text, p_channel text, p_words text) returns jsonb
language sql immutable as $function$
  select coalesce(p_outcome, '{}') || jsonb_build_object(
    p_under, coalesce(p_outcome -> p_under, '{}') || jsonb_build_object(p_channel, p_words))
$function$;
