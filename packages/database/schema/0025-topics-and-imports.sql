-- A named set of users. `members` counts the rows of topic_members: whoever changes those holds this row.
create table topics (
  tenant_id text collate "C" not null references tenants on delete cascade,
  key text collate "C" not null check (key ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'),
  members bigint not null default 0 check (members >= 0),
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (tenant_id, key)
);
comment on column topics.deleted_at is 'the topic is gone for everybody; the dispatcher deletes its members, then this row';
create index topics_deleted on topics (deleted_at) where deleted_at is not null;

-- No reference to topics: it would cost a lock for each member, and a topic is deleted a thousand members at a time.
create table topic_members (
  tenant_id text collate "C" not null,
  topic text collate "C" not null,
  user_id text collate "C" not null,
  primary key (tenant_id, topic, user_id)
);
-- An erasure finds the topics of a user.
create index topic_members_of_user on topic_members (tenant_id, user_id);

-- CSV files that are imported in the background. The dispatcher works on one of a tenant at a time.
create table imports (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  kind text not null check (kind in ('users', 'members')),
  topic text collate "C",
  state text not null default 'receiving'
    check (state in ('receiving', 'waiting', 'running', 'done', 'failed', 'cancelled')),
  person_id uuid,
  person text not null,
  address text not null,
  parts integer not null default 0,
  reader text,
  columns text[],
  bytes bigint not null default 0,
  lines integer not null default 0,
  processed integer not null default 0,
  added integer not null default 0,
  already_there integer not null default 0,
  left_out integer not null default 0,
  faults jsonb not null default '[]',
  tries integer not null default 0,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  check ((kind = 'members') = (topic is not null)),
  check ((state in ('done', 'failed', 'cancelled')) = (ended_at is not null))
);
comment on column imports.parts is 'parts of the file that have come: the next one must be this plus 1';
comment on column imports.reader is 'JSON: where the reader of the CSV is between two parts; null before the first, and once all have come';
comment on column imports.columns is 'of the file, in its order; empty text: not read; null: its first line has not come';
comment on column imports.bytes is 'stored of the file so far, in chunks or already worked off';
comment on column imports.due_at is 'when it is to be worked on; while parts come: when it is given up';
comment on column imports.faults is 'the first faults, each {line, field, message}, without any value of the file';
create index imports_open on imports (tenant_id, id) where state in ('receiving', 'waiting', 'running');
create index imports_of_tenant on imports (tenant_id, id);
create index imports_by_end on imports (ended_at) where ended_at is not null;

-- What an import has yet to do: a chunk is deleted by the transaction that writes its lines.
create table import_chunks (
  import_id uuid not null references imports on delete cascade,
  number integer not null,
  records text not null,
  primary key (import_id, number)
);
comment on column import_chunks.records is 'JSON: [line, field, …] of each record, the fields that are read in the order of the file; [line, null, fault] of a bad one';

-- Whose erasure was asked for after an import: the import leaves that user out.
create index erasures_of_tenant on erasures (tenant_id, requested_at);
