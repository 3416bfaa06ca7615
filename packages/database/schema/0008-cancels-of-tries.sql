-- A cancel that finds an attempt in progress: that attempt is the last one.
alter table deliveries add column cancel_asked_at timestamptz;
comment on column deliveries.cancel_asked_at is 'a cancel came during a try: it is not tried again; of a digest: so its items say (digest_items)';
alter table digest_items add column cancel_asked_at timestamptz;
comment on column digest_items.cancel_asked_at is 'a cancel came while the digest was being sent: the event is left out of any further try';
