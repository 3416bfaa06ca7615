create table bundle_applies (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants (id) on delete cascade,
  kind text not null check (kind in ('bundle', 'promotion')),
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  person_id uuid,
  person text not null,
  address text not null,
  may_share_sensitive boolean not null,
  dry_run boolean not null,
  wanted_plan text,
  files text,
  plan text not null,
  total integer not null,
  compiled integer not null default 0,
  worker uuid,
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  check ((state in ('done', 'failed')) = (ended_at is not null)),
  check (ended_at is null or files is null)
);
comment on table bundle_applies is 'bundles and promotions that are compiled in the background, because a caller would wait too long';
comment on column bundle_applies.wanted_plan is 'the plan that the caller named: another one is refused; null: none was named';
comment on column bundle_applies.files is 'JSON: the texts by path; null: of a promotion, or it has ended';
comment on column bundle_applies.plan is 'JSON: the answer to the call; at the end also what was applied, or why not';
comment on column bundle_applies.total is 'templates to compile';
comment on column bundle_applies.worker is 'the process that claimed it last; only that one may end it';
comment on column bundle_applies.due_at is 'when it may be claimed; while somebody works on it: when the claim runs out unless it is renewed';
create unique index bundle_applies_open on bundle_applies (tenant_id) where state in ('waiting', 'running');
create index bundle_applies_due on bundle_applies (due_at) where state in ('waiting', 'running');
create index bundle_applies_of_tenant on bundle_applies (tenant_id, id);
create index bundle_applies_by_end on bundle_applies (ended_at) where ended_at is not null;
