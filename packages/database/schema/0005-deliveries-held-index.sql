-- Outside a transaction, a statement a paragraph.

drop index concurrently if exists deliveries_held;

create index concurrently deliveries_held on deliveries (tenant_id, held_for, id)
  where held_for is not null and released_at is null and status in ('queued', 'waiting');
