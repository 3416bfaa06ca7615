-- Returns the newest events of search terms, at most p_most per hash, by reading the index backwards. In one plain
-- statement, the planner would assume an average number of events per hash, and read and sort all of them.
create or replace function search_term_events(p_hashes uuid[], p_most integer)
returns setof uuid
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
as $function$
declare
  one uuid;
begin
  foreach one in array p_hashes loop
    return query
      select t.event_id from search_terms t where t.hash = one order by t.event_id desc limit p_most;
  end loop;
end
$function$;
