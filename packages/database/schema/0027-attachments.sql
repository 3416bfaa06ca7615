-- Files that mails carry. Tenants upload them, and events name them.
create table attachments (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  name text not null,
  type text not null,
  bytes integer not null,
  sha256 bytea,
  complete boolean not null default false,
  named boolean not null default false,
  created_at timestamptz not null,
  check (not complete or sha256 is not null),
  check (complete or not named)
);
comment on column attachments.bytes is 'until it is complete: at most';
comment on column attachments.sha256 is 'of all its bytes; null: it is not complete';
comment on column attachments.complete is 'all its rows of attachment_chunks are there';
comment on column attachments.named is 'an event names it, and it is deleted with the last such event; else after 24 hours';
create index attachments_of_tenant on attachments (tenant_id);
create index attachments_unnamed on attachments (tenant_id, created_at) include (bytes) where not named;
create index attachments_unnamed_age on attachments (created_at) where not named;
create index attachments_incomplete on attachments (created_at) where not complete;

create table attachment_chunks (
  attachment_id uuid not null references attachments on delete cascade,
  n integer not null,
  data bytea not null,
  primary key (attachment_id, n)
);
comment on column attachment_chunks.n is 'from 0; each but the last has 256 KiB';
-- What is worth attaching is mostly compressed already.
alter table attachment_chunks alter column data set storage external;

create table event_attachments (
  event_id uuid not null,
  position smallint not null,
  attachment_id uuid not null references attachments on delete cascade,
  cid text,
  primary key (event_id, position)
);
comment on column event_attachments.cid is 'by which the mail shows it inline; null: it is only attached';
create index event_attachments_of on event_attachments (attachment_id);

alter table tenants add column allow_executables boolean not null default false;
comment on column tenants.allow_executables is 'programs may be uploaded as attachments';

alter table outbox add column attachments jsonb;
comment on column outbox.attachments is 'of a mail: [{"name", "type", "bytes", "sha256", "cid"}]; null: none';
