-- Outside a transaction, a statement a paragraph.

drop index concurrently if exists notifications_snoozed;

alter table notifications
  add column if not exists archived_at timestamptz,
  add column if not exists snoozed_until timestamptz,
  add column if not exists deleted_at timestamptz;

comment on column notifications.archived_at is 'null: not archived; what is archived is read, and not snoozed';

comment on column notifications.snoozed_until is 'until then it is in no inbox and not counted; from then on it is listed by this time';

comment on column notifications.deleted_at is 'when its user deleted it: its texts and links are gone; the row tells that it was there';

-- A notification that was never snoozed is not in it.
create index concurrently notifications_snoozed on notifications (tenant_id, user_id, snoozed_until desc, id desc)
  where snoozed_until is not null;
