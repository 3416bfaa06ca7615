import { type Kysely, sql } from "kysely";

/**
 * The first schema. Rules that every table keeps:
 * - ids of rows that carry time are UUIDv7, made by the service; tenant ids match ^[a-z0-9]{1,32}$;
 * - no foreign key on a hot table: the accept function reads the tenant's row in the same statement;
 * - what tenants wrote is `text`, never cast: U+0000 and lone surrogates must not fail a batch.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

const statements = [
  sql`
    create table tenants (
      id text collate "C" primary key check (id ~ '^[a-z0-9]{1,32}$' and id <> 'platform'),
      name text not null,
      active boolean not null default true,
      per_minute integer not null check (per_minute >= 0),
      daily_cap integer check (daily_cap >= 0),
      delivery_channels text[] not null default '{}',
      dedup_includes_variables boolean not null default false,
      webhook_secret text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`,
  sql`comment on column tenants.webhook_secret is 'compact JWE'`,
  // The one hot row of a tenant: rewritten by every batch that accepts for it, so it is alone and
  // the page has room for HOT updates.
  sql`
    create table tenant_limits (
      tenant_id text collate "C" primary key references tenants on delete cascade,
      ring integer[] not null default array_fill(0, array[61]),
      ring_second bigint not null default 0,
      ring_total integer not null default 0,
      day date not null default '-infinity',
      day_total integer not null default 0
    ) with (fillfactor = 40)`,
  sql`comment on column tenant_limits.ring is 'admitted requests of the last 61 seconds; second s is at s % 61 + 1'`,
  sql`
    create table api_keys (
      id uuid primary key,
      tenant_id text collate "C" not null references tenants on delete cascade,
      sha256 bytea not null unique,
      prefix text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz
    )`,
  sql`create index api_keys_of_tenant on api_keys (tenant_id)`,

  // tenant_id may be 'platform' here: those are the global.* templates.
  sql`
    create table templates (
      id uuid primary key,
      tenant_id text collate "C" not null,
      event_type text not null,
      channel text not null check (channel in ('EMAIL', 'SMS', 'PUSH')),
      active boolean not null default true,
      current_version_id bigint,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (tenant_id, event_type, channel),
      check ((tenant_id = 'platform') = starts_with(event_type, 'global.'))
    )`,
  sql`
    create table template_versions (
      id bigint generated always as identity primary key,
      template_id uuid not null references templates on delete cascade,
      version integer not null,
      content text not null,
      subject text,
      title text,
      target_channel text check (target_channel ~ '^[A-Za-z0-9_.:-]{1,64}$'),
      sensitive boolean not null default false,
      at_most_once boolean not null default false,
      expires_after_seconds integer check (expires_after_seconds > 0),
      sample_variables text,
      compiled jsonb not null,
      created_at timestamptz not null default now(),
      created_by text,
      unique (template_id, version)
    )`,
  sql`
    create table providers (
      id uuid primary key,
      tenant_id text collate "C" not null references tenants on delete cascade,
      channel text not null check (channel in ('EMAIL', 'SMS')),
      kind text not null,
      name text not null,
      position integer not null default 0,
      active boolean not null default true,
      settings text not null,
      masked_settings jsonb not null,
      max_per_second integer check (max_per_second > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (tenant_id, channel, name)
    )`,
  sql`comment on column providers.settings is 'compact JWE of the JSON settings'`,
  sql`
    create table configuration_version (
      only_row boolean primary key default true check (only_row),
      version bigint not null default 1
    )`,
  sql`insert into configuration_version default values`,

  sql`
    create table events (
      id uuid primary key,
      tenant_id text collate "C" not null,
      event_type text not null,
      user_id text not null,
      reference text,
      recipient_email text,
      recipient_phone text,
      channels smallint,
      variables text,
      trace_id text not null,
      accepted_at timestamptz not null,
      dispatched_at timestamptz,
      refused_at timestamptz,
      outcome jsonb
    ) with (fillfactor = 80)`,
  sql`comment on column events.reference is 'the eventId of the tenant: shown, not unique'`,
  sql`comment on column events.channels is 'requested channels: 1 EMAIL + 2 SMS + 4 PUSH, null = all'`,
  sql`comment on column events.outcome is '{"skipped": {CHANNEL: reason}, "failed": {CHANNEL: reason}, "missing": {CHANNEL: [name]}}'`,
  // dispatched_at, refused_at and outcome stand in no index: stamping an event stays a HOT update.
  sql`create index events_of_tenant on events (tenant_id, id)`,
  sql`create index events_by_reference on events (tenant_id, reference, id) where reference is not null`,
  // Accepted, and neither dispatched nor refused. The dispatcher claims an event by deleting its row.
  sql`
    create table undispatched_events (
      event_id uuid primary key,
      published_at timestamptz not null,
      acknowledged boolean not null default false
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  sql`comment on column undispatched_events.acknowledged is 'a replay published it again and was answered 200: it can no longer be refused'`,
  sql`create index undispatched_events_by_age on undispatched_events (published_at)`,
  sql`
    create table dedup_keys (
      tenant_id text collate "C" not null,
      key bytea not null,
      event_id uuid not null,
      event_type text not null,
      tenant_name text not null,
      accepted_at timestamptz not null,
      primary key (tenant_id, key)
    )`,
  sql`comment on table dedup_keys is 'remembered for 24 hours; event_type and tenant_name make the same answer again'`,
  sql`create index dedup_keys_by_age on dedup_keys (accepted_at)`,

  sql`
    create table deliveries (
      id uuid primary key,
      event_id uuid not null,
      tenant_id text collate "C" not null,
      channel text not null check (channel in ('EMAIL', 'SMS')),
      status text not null default 'queued' check (status in ('queued', 'sending', 'waiting', 'accepted',
        'delivered', 'bounced', 'complained', 'failed', 'expired', 'skipped', 'unknown', 'discarded')),
      reason text,
      template_version_id bigint not null,
      provider_id uuid,
      attempts integer not null default 0,
      retries integer not null default 0,
      due_at timestamptz,
      released_at timestamptz,
      claimed_until timestamptz,
      expires_at timestamptz,
      message_id text,
      missing text[],
      created_at timestamptz not null default now(),
      settled_at timestamptz,
      unique (event_id, channel)
    ) with (fillfactor = 70)`,
  sql`comment on column deliveries.attempts is 'rows in attempts'`,
  sql`comment on column deliveries.retries is 'place in the retry schedule: throttled attempts do not count'`,
  sql`comment on column deliveries.due_at is 'when it may be released; null once settled'`,
  sql`comment on column deliveries.released_at is 'on its way to a sender since; null while it rests'`,
  sql`create index deliveries_due on deliveries (channel, tenant_id, due_at)
      where released_at is null and status in ('queued', 'waiting')`,
  sql`create index deliveries_released on deliveries (channel, tenant_id, released_at)
      where released_at is not null`,
  sql`
    create table attempts (
      delivery_id uuid not null,
      number integer not null,
      provider_id uuid,
      provider_kind text not null,
      started_at timestamptz not null,
      ended_at timestamptz,
      class text check (class in ('accepted', 'permanent', 'credentials', 'throttled', 'transient', 'ambiguous')),
      reason text,
      vendor_status text,
      vendor_answer text,
      message_id text,
      next_at timestamptz,
      primary key (delivery_id, number)
    ) with (fillfactor = 80)`,

  // A notification is the PUSH of one event, so it has the event's id.
  sql`
    create table notifications (
      id uuid primary key,
      tenant_id text collate "C" not null,
      user_id text collate "C" not null,
      event_type text not null,
      title text not null,
      body text not null,
      channel_name text collate "C" not null,
      channel_offset bigint not null,
      created_at timestamptz not null,
      read_at timestamptz
    ) with (fillfactor = 90)`,
  sql`create index notifications_of_user on notifications (tenant_id, user_id, created_at desc, id desc)`,
  sql`create unique index notifications_by_offset on notifications (tenant_id, user_id, channel_name, channel_offset)`,
  sql`create index notifications_unread on notifications (tenant_id, user_id) where read_at is null`,
  sql`
    create table realtime_channels (
      tenant_id text collate "C" not null,
      user_id text collate "C" not null,
      channel_name text collate "C" not null,
      top_offset bigint not null,
      primary key (tenant_id, user_id, channel_name)
    ) with (fillfactor = 70)`,
  sql`
    create table realtime_epoch (
      only_row boolean primary key default true check (only_row),
      epoch text not null
    )`,
  sql`insert into realtime_epoch (epoch) values (substr(md5(gen_random_uuid()::text), 1, 8))`,

  sql`
    create table outbox (
      id uuid primary key,
      tenant_id text collate "C" not null,
      event_id uuid not null,
      delivery_id uuid not null,
      channel text not null,
      recipient text not null,
      subject text,
      html text,
      text text not null,
      segments integer,
      created_at timestamptz not null default now()
    )`,
  sql`comment on table outbox is 'what the sandbox provider was given'`,
  sql`create index outbox_of_tenant on outbox (tenant_id, id)`,
  sql`
    create table dead_messages (
      id uuid primary key,
      stream text not null,
      subject text not null,
      data bytea not null,
      deliveries integer not null,
      reason text not null,
      created_at timestamptz not null default now()
    )`,
  sql`comment on table dead_messages is 'NATS messages set aside: undecodable, or redelivered too often'`,
];
