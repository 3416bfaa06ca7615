import { type Kysely, sql } from "kysely";

/**
 * The people of the Admin UI, what they may do, and what they did.
 *
 * A person is an operator of the platform, or has a role in tenants, or both. Tokens (of sessions and
 * of invitations) are stored as SHA-256 only.
 *
 * activity_buckets: what the overview shows, five minutes a row, so that no page counts events.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

const statements = [
  sql`
    create table people (
      id uuid primary key,
      email text not null unique check (email = lower(email)),
      name text not null,
      password text not null,
      operator boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`,
  sql`comment on column people.password is 'scrypt, with its costs and salt'`,
  sql`
    create table memberships (
      person_id uuid not null references people on delete cascade,
      tenant_id text collate "C" not null references tenants on delete cascade,
      role text not null check (role in ('owner', 'editor', 'viewer')),
      created_at timestamptz not null default now(),
      primary key (person_id, tenant_id)
    )`,
  sql`create index memberships_of_tenant on memberships (tenant_id)`,
  sql`
    create table sessions (
      id uuid primary key,
      person_id uuid not null references people on delete cascade,
      sha256 bytea not null unique,
      address text not null,
      user_agent text not null,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`,
  sql`create index sessions_of_person on sessions (person_id)`,
  sql`create index sessions_by_end on sessions (expires_at)`,
  sql`
    create table invitations (
      id uuid primary key,
      sha256 bytea not null unique,
      tenant_id text collate "C" references tenants on delete cascade,
      role text not null check (role in ('operator', 'owner', 'editor', 'viewer')),
      email text check (email = lower(email)),
      invited_by uuid references people on delete set null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      accepted_at timestamptz,
      check ((tenant_id is null) = (role = 'operator'))
    )`,
  sql`comment on column invitations.email is 'null: whoever holds the link of the first operator'`,
  sql`create index invitations_of_tenant on invitations (tenant_id)`,
  // Rows outlive the person and the tenant that they tell of: no foreign keys.
  sql`
    create table audit_log (
      id uuid primary key,
      at timestamptz not null default now(),
      person_id uuid,
      person text not null,
      address text not null,
      tenant_id text collate "C",
      action text not null,
      target text not null,
      before jsonb,
      after jsonb
    )`,
  sql`comment on column audit_log.before is 'secrets masked; null: there was nothing'`,
  sql`create index audit_log_of_tenant on audit_log (tenant_id, id)`,
  sql`
    create table activity_buckets (
      tenant_id text collate "C" not null,
      starts_at timestamptz not null,
      channel text not null check (channel in ('ALL', 'EMAIL', 'SMS', 'PUSH')),
      accepted integer not null default 0,
      sent integer not null default 0,
      failed integer not null default 0,
      skipped integer not null default 0,
      pending integer not null default 0,
      latencies integer[] not null default '{}',
      primary key (tenant_id, starts_at, channel)
    )`,
  sql`comment on column activity_buckets.channel is 'ALL: the events themselves'`,
  sql`comment on column activity_buckets.latencies is 'from acceptance to the provider: how many up to each bound of activity-buckets.ts'`,
  sql`create index activity_buckets_by_age on activity_buckets (starts_at)`,
];
