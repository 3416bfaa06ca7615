-- The figures of the overviews by channel, provider, template, event type and reason, each range with bars of its own.
create table activity_sums (
  tenant_id text collate "C" not null,
  bar_seconds integer not null,
  starts_at timestamptz not null,
  grouped_by text not null,
  name text collate "C" not null,
  accepted integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  waiting integer not null default 0,
  read integer not null default 0,
  latencies integer[] not null default '{}',
  primary key (tenant_id, bar_seconds, grouped_by, starts_at, name)
);
create index activity_sums_by_age on activity_sums (bar_seconds, starts_at);
comment on column activity_sums.tenant_id is '''platform'': all tenants together';
comment on column activity_sums.name is 'of the group: see GROUPINGS in activity-sums.ts; ''*'': all smaller ones';
comment on column activity_sums.sent is 'taken by the provider and not come back; delivered and read are among them';
comment on column activity_sums.latencies is 'seconds to the provider: how many up to each bound of activity-sums.ts';

-- What was counted before, by channel alone.
insert into activity_sums
  (tenant_id, bar_seconds, starts_at, grouped_by, name, accepted, sent, failed, skipped, waiting, latencies)
select tenant_id, s.bar_seconds, date_bin(make_interval(secs => s.bar_seconds), starts_at, 'epoch'), 'channel', channel,
       case channel when 'ALL' then sum(accepted) else 0 end, sum(sent), sum(failed), sum(skipped), sum(pending),
       array[sum(latencies[1]), sum(latencies[2]), sum(latencies[3]), sum(latencies[4]), sum(latencies[5]),
             sum(latencies[6]), sum(latencies[7]), sum(latencies[8]), sum(latencies[9]), sum(latencies[10]),
             sum(latencies[11]), sum(latencies[12]), sum(latencies[13])]
from activity_buckets
join (values (3600, 2), (21600, 15), (86400, 31)) s (bar_seconds, days)
  on starts_at >= now() - make_interval(days => s.days)
group by tenant_id, s.bar_seconds, date_bin(make_interval(secs => s.bar_seconds), starts_at, 'epoch'), channel;
