-- Outside a transaction, a statement a paragraph.

drop index concurrently if exists deliveries_due_bulk;

create index concurrently deliveries_due_bulk on deliveries (channel, tenant_id, broadcast_id, due_at)
  where released_at is null and status in ('queued', 'waiting') and broadcast_id is not null;

drop index concurrently if exists deliveries_due_single;

create index concurrently deliveries_due_single on deliveries (channel, tenant_id, due_at)
  where released_at is null and status in ('queued', 'waiting') and broadcast_id is null;

drop index concurrently if exists deliveries_due;

alter index deliveries_due_single rename to deliveries_due;
