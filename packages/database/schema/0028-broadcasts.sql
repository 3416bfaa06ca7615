-- One event to many people: see docs/broadcasts.md.
create table broadcasts (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants (id) on delete cascade,
  state text not null default 'scheduled'
    check (state in ('scheduled', 'running', 'paused', 'cancelling', 'cancelled', 'done')),
  reason text,
  event_type text not null,
  topics text[] collate "C",
  channels smallint,
  locale text,
  provider_id uuid,
  provider_channel text,
  variables text,
  trace_id text not null,
  idempotency_key text collate "C",
  send_at timestamptz,
  next_at timestamptz,
  reached text collate "C" not null default '',
  is_expanded boolean not null default false,
  total integer not null,
  expanded integer not null default 0,
  chunks integer not null default 0,
  counts jsonb not null default '{}',
  cancel_asked_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  told_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('cancelled', 'done')) = (ended_at is not null))
) with (fillfactor = 50);
create index broadcasts_of_tenant on broadcasts (tenant_id, id);
create unique index broadcasts_by_idempotency_key on broadcasts (tenant_id, idempotency_key)
  where idempotency_key is not null;
create index broadcasts_due on broadcasts (next_at) where next_at is not null;
create index broadcasts_ended on broadcasts (ended_at) where ended_at is not null;
comment on column broadcasts.reason is 'why it is paused; null: it is not, or a person paused it';
comment on column broadcasts.topics is 'whose members it is for; null: for the people in broadcast_people';
comment on column broadcasts.channels is 'requested channels: the sum of their bits in channels.ts; null: all';
comment on column broadcasts.provider_id is 'through which alone provider_channel goes, also when it is gone; null: as the tenant''s others';
comment on column broadcasts.variables is 'JSON, of all its events: they hold a reference, see broadcast-variables.ts';
comment on column broadcasts.next_at is 'when it is looked at next; null: only a person moves it on';
comment on column broadcasts.reached is 'the last user id that it has passed, in the order of "C"';
comment on column broadcasts.is_expanded is 'it has passed everybody';
comment on column broadcasts.total is 'people, as counted when it was made; exact once it is expanded';
comment on column broadcasts.expanded is 'its events';
comment on column broadcasts.counts is 'sums of the counts of its chunks';
comment on column broadcasts.cancel_asked_at is 'since then nothing of it is expanded, dispatched or claimed';
comment on column broadcasts.told_at is 'when webhooks were last told of its progress, or it was made';

create table broadcast_people (
  broadcast_id uuid not null references broadcasts (id) on delete cascade,
  user_id text collate "C" not null,
  is_excepted boolean not null,
  primary key (broadcast_id, is_excepted, user_id)
);
comment on table broadcast_people is 'its list, and whom it leaves out; deleted when it has ended';

create table broadcast_chunks (
  broadcast_id uuid not null references broadcasts (id) on delete cascade,
  number integer not null,
  event_ids uuid[] not null,
  counts jsonb not null default '{}',
  is_open boolean not null default true,
  is_cancelled boolean not null default false,
  count_at timestamptz,
  created_at timestamptz not null,
  primary key (broadcast_id, number)
) with (fillfactor = 70);
create index broadcast_chunks_open on broadcast_chunks (broadcast_id) where is_open;
create index broadcast_chunks_due on broadcast_chunks (count_at) where count_at is not null;
comment on column broadcast_chunks.is_open is 'an event of it has not ended on every channel';
comment on column broadcast_chunks.is_cancelled is 'a cancel has looked at its events';
comment on column broadcast_chunks.count_at is 'when it is counted next; null: its counts are final';

alter table events add column broadcast_id uuid;
comment on column events.broadcast_id is 'which has made it; null: a trigger';

alter table deliveries add column broadcast_id uuid;
comment on column deliveries.broadcast_id is 'that of its event: it leaves after the tenant''s others';
