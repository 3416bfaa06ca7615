import { type Kysely, sql } from "kysely";

/**
 * What the replicas of a sender know together about a provider account.
 *
 * provider_circuits: a row while the account is not to be used: until `open_until` nobody calls it;
 * after that one call at a time (`probe_until`) finds out whether it is back. No row: closed.
 *
 * reserve_sends: hands out moments to begin calls, evenly spaced over all replicas, so that in no
 * second more begin than the account allows. Grants up to p_wanted moments within the horizon:
 * returns how many, and in how many ms the first is (when none: in how many ms to ask again).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table provider_circuits (
      provider_id uuid primary key references providers on delete cascade,
      class text not null,
      reason text not null,
      failures integer not null,
      opened_at timestamptz not null,
      open_until timestamptz not null,
      probe_until timestamptz
    ) with (fillfactor = 50)`.execute(db);
  await sql`comment on column provider_circuits.failures is 'openings in a row: each doubles the wait'`.execute(
    db,
  );
  await sql`
    create table provider_sends (
      provider_id uuid primary key references providers on delete cascade,
      next_at timestamptz not null
    ) with (fillfactor = 50)`.execute(db);

  await sql`
create function reserve_sends(
  p_provider uuid, p_wanted integer, p_spacing_ms double precision, p_horizon_ms double precision,
  out granted integer, out first_in_ms double precision
) language plpgsql volatile as $function$
declare
  spacing constant interval := p_spacing_ms * interval '1 millisecond';
  moment timestamptz;
  first_at timestamptz;
begin
  insert into provider_sends (provider_id, next_at)
  select p.id, '-infinity' from providers p where p.id = p_provider
  on conflict do nothing;
  select s.next_at into first_at from provider_sends s where s.provider_id = p_provider for update;
  moment := clock_timestamp();
  first_at := greatest(moment, coalesce(first_at, moment));
  first_in_ms := extract(epoch from first_at - moment) * 1000;
  granted := least(p_wanted, greatest(0, floor((p_horizon_ms - first_in_ms) / p_spacing_ms) + 1))::integer;
  if granted > 0 then
    update provider_sends s set next_at = first_at + granted * spacing where s.provider_id = p_provider;
  end if;
end
$function$`.execute(db);
}
