-- Rules that every table follows:
-- - only packages/contracts/src/channels.ts lists the channels;
-- - ids of rows that carry time are UUIDv7, made by the service, so a primary key is an index by age;
-- - hot tables have no foreign keys: the functions read the tenant's row in the same statement;
-- - tenants' texts are `text`, never cast: U+0000 and lone surrogates must not fail a batch;
-- - updates of hot tables touch no index, on pages with free space (fillfactor): HOT updates.

-- Tenants, and how they authenticate over HTTP.

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
  updated_at timestamptz not null default now(),
  event_retention_days integer check (event_retention_days between 1 and 3650),
  notification_retention_days integer check (notification_retention_days between 1 and 3650),
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz,
  default_locale text not null default 'en',
  timezone text,
  quiet_from time,
  quiet_to time,
  uses_recipients boolean not null default false,
  uses_preferences boolean not null default false,
  uses_webhooks boolean not null default false,
  check ((previous_webhook_secret is null) = (previous_webhook_secret_until is null)),
  check ((quiet_from is null) = (quiet_to is null)),
  check (quiet_from <> quiet_to)
);
comment on column tenants.webhook_secret is 'compact JWE';
comment on column tenants.event_retention_days is 'null: that of configuration_version';
comment on column tenants.notification_retention_days is 'null: that of configuration_version';
comment on column tenants.default_locale is 'of the templates'' default variants: how they write dates, numbers and money';
comment on column tenants.timezone is 'IANA name; null: UTC';
comment on column tenants.previous_webhook_secret is 'compact JWE; taken until its time: machines change one by one';
comment on column tenants.quiet_from is 'of users without quiet hours of their own; null: none';
comment on column tenants.uses_recipients is 'set with the first row of recipients, never unset: without it nobody looks there';
comment on column tenants.uses_preferences is 'the same of categories and preferences';
comment on column tenants.uses_webhooks is 'the same of webhooks';

-- The only hot row of a tenant: every batch that accepts events for it rewrites the row, so it has its own table.
create table tenant_limits (
  tenant_id text collate "C" primary key references tenants on delete cascade,
  ring integer[] not null default array_fill(0, array[61]),
  ring_second bigint not null default 0,
  ring_total integer not null default 0,
  day date not null default '-infinity',
  day_total integer not null default 0
) with (fillfactor = 40);
comment on column tenant_limits.ring is 'admitted requests of the last 61 seconds; second s is at s % 61 + 1';

create table api_keys (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  sha256 bytea not null unique,
  prefix text not null,
  name text,
  role text not null default 'all' check (role in ('all', 'trigger', 'read')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_of_tenant on api_keys (tenant_id);
comment on column api_keys.name is 'what its owner calls it';
comment on column api_keys.role is 'the calls for which it is taken';

-- Configuration by tenants. Each change raises the version, which the services poll.

-- tenant_id may be 'platform' here: those are the global.* templates. These settings apply to all languages of an event
-- type on a channel, so that no translation can show what another hides.
create table templates (
  id uuid primary key,
  tenant_id text collate "C" not null,
  event_type text not null,
  channel text not null check (channel ~ '^[A-Z_]{2,16}$'),
  active boolean not null default true,
  target_channel text check (target_channel ~ '^[A-Za-z0-9_.:-]{1,64}$'),
  sensitive boolean not null default false,
  sensitive_until timestamptz,
  at_most_once boolean not null default false,
  expires_after_seconds integer check (expires_after_seconds > 0),
  sample_variables text,
  required_variables text[],
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  digest jsonb,
  throttle jsonb,
  after_unread_seconds integer check (after_unread_seconds > 0),
  unique (tenant_id, event_type, channel),
  check ((tenant_id = 'platform') = starts_with(event_type, 'global.'))
);
comment on column templates.sensitive_until is 'what was accepted by then stays hidden: it was sensitive; null: it never was, or still is';
comment on column templates.sample_variables is 'JSON text, for previews';
comment on column templates.required_variables is 'without one of them nothing is sent on the channel; null: none';
comment on column templates.digest is '{"windowSeconds": n} or {"at": "HH:MM", "days": [1..7]}, with key, sliding, maxSeconds, leading; null: each event is sent by itself';
comment on column templates.throttle is '{"count": n, "seconds": n}: so many a user in any such time; null: no bound';
comment on column templates.after_unread_seconds is 'sent after that time, unless it was read in the inbox; null: at once';

-- Every published text, numbered per template over all its languages.
create table template_versions (
  id bigint generated always as identity primary key,
  template_id uuid not null references templates on delete cascade,
  version integer not null,
  locale text collate "C" not null default '',
  content text not null,
  subject text,
  title text,
  format text check (format in ('markdown', 'mjml', 'html', 'text')),
  url text,
  actions jsonb,
  compiled jsonb not null,
  created_at timestamptz not null default now(),
  created_by text,
  unique (template_id, version)
);
comment on column template_versions.locale is 'empty: the default variant';
comment on column template_versions.format is 'null: found out from the text';
comment on column template_versions.actions is '[{"label": text, "url": text}] of a push; null: none';

-- The live texts: one row per language. A template without a row has only drafts.
create table template_variants (
  template_id uuid not null references templates on delete cascade,
  locale text collate "C" not null default '',
  current_version_id bigint not null,
  source_version integer,
  primary key (template_id, locale)
);
comment on column template_variants.locale is 'BCP 47, canonical; empty: the default variant';
comment on column template_variants.source_version is 'of a translation: the version of the default variant that it was made from';

-- Unpublished texts, also faulty ones.
create table template_drafts (
  template_id uuid not null references templates on delete cascade,
  locale text collate "C" not null default '',
  content text not null,
  subject text,
  title text,
  format text check (format in ('markdown', 'mjml', 'html', 'text')),
  url text,
  actions jsonb,
  settings jsonb not null,
  based_on_version integer not null,
  source_version integer,
  revision integer generated always as identity,
  saved_by text,
  saved_at timestamptz not null default now(),
  primary key (template_id, locale)
);
comment on column template_drafts.settings is 'what publishing it sets on the template';
comment on column template_drafts.based_on_version is 'of the variant, where it began; 0: none was published';
comment on column template_drafts.source_version is 'of a translation: the version of the default variant that it is made from';
comment on column template_drafts.revision is 'another with each save, and of no other draft';

-- The layouts of Markdown emails. The newest is used; tenant_id may be 'platform' here, too.
create table layouts (
  tenant_id text collate "C" not null,
  version integer not null,
  content text,
  logo_url text,
  primary_color text check (primary_color ~ '^#[0-9a-f]{6}$'),
  background_color text check (background_color ~ '^#[0-9a-f]{6}$'),
  text_color text check (text_color ~ '^#[0-9a-f]{6}$'),
  footer_text text,
  address text,
  created_by text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, version)
);
comment on column layouts.content is 'MJML with {{ $content }}; null: the platform''s';

create table providers (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  channel text not null check (channel ~ '^[A-Z_]{2,16}$'),
  kind text not null,
  name text not null,
  position integer not null default 0,
  active boolean not null default true,
  settings text not null,
  masked_settings jsonb not null,
  max_per_second integer check (max_per_second > 0),
  tested_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, channel, name)
);
comment on column providers.settings is 'compact JWE of the JSON settings';
comment on column providers.tested_at is 'when the vendor last accepted a test message with these settings; null: never';

-- Accounts that are not to be used: nobody calls one until open_until; after that one call at a time (probe_until) tests
-- whether it works again. No row: the circuit is closed.
create table provider_circuits (
  provider_id uuid primary key references providers on delete cascade,
  class text not null,
  reason text not null,
  failures integer not null,
  opened_at timestamptz not null,
  open_until timestamptz not null,
  probe_until timestamptz
) with (fillfactor = 50);
comment on column provider_circuits.failures is 'openings in a row: each doubles the wait';

create table provider_sends (
  provider_id uuid primary key references providers on delete cascade,
  next_at timestamptz not null
) with (fillfactor = 50);

create table suppressions (
  tenant_id text collate "C" not null references tenants on delete cascade,
  channel text not null check (channel ~ '^[A-Z_]{2,16}$'),
  address text collate "C" not null check (address = lower(address)),
  reason text not null check (reason in ('bounced', 'complained', 'opted out', 'by hand')),
  source text,
  created_at timestamptz not null default now(),
  -- An opt-out is stored beside a bounce: removing the opt-out does not make the address valid again.
  primary key (tenant_id, channel, address, reason)
);
comment on column suppressions.address is 'as the events name it, its ASCII letters in lower case; or E.164';
comment on column suppressions.source is 'whose receipt it was, or who added it';

-- People's answers to text messages, for the tenant's people to read. A keyword (STOP, START) changes the suppressions,
-- and leaves only its id here, by which a repetition is recognised.
create table inbound_messages (
  id uuid primary key,
  tenant_id text collate "C" not null,
  provider_kind text not null,
  vendor_id text collate "C" not null,
  sender text collate "C",
  recipient text,
  text text,
  received_at timestamptz not null default now(),
  unique (tenant_id, provider_kind, vendor_id)
);
comment on column inbound_messages.text is 'null: it was a keyword';
create index inbound_messages_of_tenant on inbound_messages (tenant_id, id) where text is not null;
create index inbound_messages_of_sender on inbound_messages (tenant_id, sender) where text is not null;

-- The directory of users. A row has addresses, language, zone and quiet hours, if the tenant's backend names the user; and
-- the categories that the user has turned off. So one look-up tells what a user wants.
create table recipients (
  tenant_id text collate "C" not null references tenants on delete cascade,
  user_id text collate "C" not null,
  email text,
  phone text,
  locale text,
  timezone text,
  quiet_from time,
  quiet_to time,
  named boolean not null default true,
  off_categories text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, user_id),
  check ((quiet_from is null) = (quiet_to is null)),
  check (quiet_from <> quiet_to)
);
comment on column recipients.locale is 'canonical BCP 47';
comment on column recipients.timezone is 'an IANA name; null: the zone of the tenant';
comment on column recipients.quiet_from is 'null: the quiet hours of the tenant';
comment on column recipients.named is 'false: the tenant does not name it, the user has only said something';
comment on column recipients.off_categories is 'in which something is off in preferences, * among them; kept by functions/off-categories.sql';
create index recipients_by_email on recipients (tenant_id, lower(email collate "C")) where email is not null;
-- By the last digits, because people also search for a number in its national form.
create index recipients_by_phone on recipients (tenant_id, "right"(phone, 8)) where phone is not null;

-- Categories. Labels and descriptions are by language: {"": "Offers", "de": "Angebote"}.
create table categories (
  tenant_id text collate "C" not null references tenants on delete cascade,
  key text collate "C" not null check (key ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'),
  label jsonb not null,
  description jsonb not null,
  required boolean not null default false,
  default_on boolean not null default true,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, key),
  check (label ? '')
);
comment on column categories.required is 'sent whatever a user has turned off';
comment on column categories.default_on is 'false: sent only to users who have turned it on';

create table event_type_categories (
  tenant_id text collate "C" not null,
  event_type text collate "C" not null,
  category text collate "C" not null,
  primary key (tenant_id, event_type),
  foreign key (tenant_id, category) references categories on delete cascade
);

-- The preferences that a user has set. Only functions/preference-rule.sql reads them, and only for users for whom
-- recipients.off_categories says that something is off.
create table preferences (
  tenant_id text collate "C" not null references tenants on delete cascade,
  user_id text collate "C" not null,
  category text collate "C" not null,
  channel text collate "C" not null check (channel = '*' or channel ~ '^[A-Z_]{2,16}$'),
  enabled boolean not null,
  source text not null
    check (source in ('api', 'preference page', 'unsubscribe link', 'inbox', 'import', 'by hand')),
  at timestamptz not null default now(),
  -- Includes the columns that are read: the table itself is read only if something is off.
  primary key (tenant_id, user_id, category, channel) include (enabled)
);
comment on column preferences.category is 'a key of categories, of one that is gone too; *: of all, and of event types without one';
comment on column preferences.channel is '*: all';
create function keep_off_categories() returns trigger language plpgsql as 'begin return null; end';
create trigger preferences_said after insert on preferences
  referencing new table as changed for each statement execute function keep_off_categories();
create trigger preferences_said_again after update on preferences
  referencing new table as changed for each statement execute function keep_off_categories();
create trigger preferences_forgotten after delete on preferences
  referencing old table as changed for each statement execute function keep_off_categories();

create table configuration_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 1,
  event_retention_days integer not null default 30,
  notification_retention_days integer not null default 90
);
comment on column configuration_version.event_retention_days is 'of tenants without days of their own: EVENT_RETENTION_DAYS of the dispatcher that started last';
comment on column configuration_version.notification_retention_days is 'the same of NOTIFICATION_RETENTION_DAYS';
insert into configuration_version default values;

-- Erasures that tenants requested over HTTP, processed one at a time per tenant. A finished row holds nothing about the
-- person except a hash, like the audit log.
create table erasures (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  user_hash bytea not null,
  user_id text,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done')),
  requested_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  started_at timestamptz,
  claimed_until timestamptz,
  ended_at timestamptz,
  deleted jsonb,
  check ((state = 'done') = (ended_at is not null)),
  check ((state = 'done') = (user_id is null))
);
comment on column erasures.user_hash is 'SHA-256 of tenant and user id, as the audit log names who was erased';
comment on column erasures.claimed_until is 'what a process that died has begun is begun again after this';
comment on column erasures.deleted is 'rows, by table';
create index erasures_open on erasures (due_at) where state <> 'done';
create unique index erasures_of_user on erasures (tenant_id, user_hash) where state <> 'done';
create unique index erasures_running on erasures (tenant_id) where state = 'running';
create index erasures_by_end on erasures (ended_at) where state = 'done';

-- Tenants whose deletion operators have requested. A row outlives its tenant.
create table tenant_deletions (
  tenant_id text collate "C" primary key,
  name text not null,
  person_id uuid,
  person text not null,
  address text not null,
  requested_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  deleted jsonb not null
);
comment on column tenant_deletions.person is 'who asked for it, as the audit log is to name it; address: from where';
comment on column tenant_deletions.due_at is 'when it is begun, or begun again where its process has died';
comment on column tenant_deletions.deleted is 'rows so far, by kind';
create index tenant_deletions_open on tenant_deletions (due_at) where ended_at is null;
create index tenant_deletions_by_end on tenant_deletions (ended_at);

-- Events, from acceptance to dispatch.

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
  outcome jsonb,
  locale text,
  send_at timestamptz,
  released_at timestamptz,
  cancel_key text collate "C",
  cancel_asked_at timestamptz,
  cancelled_at timestamptz
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
comment on column events.reference is 'the eventId of the tenant: shown, not unique';
comment on column events.channels is 'requested channels: the sum of their bits in channels.ts; null: all';
comment on column events.outcome is '{"skipped": {CHANNEL: reason}, "failed": {CHANNEL: reason}, "missing": {CHANNEL: [name]}, "linksLeftOut": {CHANNEL: [words]}, "waits": {CHANNEL: reason}}';
comment on column events.locale is 'of the trigger, canonical BCP 47; null: none was named';
comment on column events.send_at is 'when it was to be sent; null: at once';
comment on column events.released_at is 'when it left scheduled_events: its place in the order of its user';
comment on column events.cancel_key is 'of the tenant, not unique';
comment on column events.cancel_asked_at is 'a cancel has looked at it, whatever it could stop';
comment on column events.cancelled_at is 'nothing of it has reached anybody, and nothing will';
create index events_of_tenant on events (tenant_id, id);
create index events_by_reference on events (tenant_id, reference, id) where reference is not null;
-- Not for a query that names a user, which cannot show that the key is not empty: a planner without statistics about keys
-- would consider this index as good as the next.
create index events_by_cancel_key on events (tenant_id, cancel_key, cancel_asked_at nulls first, id)
  where cancel_key <> '';
create index events_by_cancel_key_of_user on events (tenant_id, cancel_key, user_id, cancel_asked_at nulls first, id)
  where cancel_key is not null;

-- Accepted events that are neither dispatched nor refused. The dispatcher claims an event by deleting its row. It finds
-- earlier events of a user by user and acceptance; the sweeper reads by id.
create table undispatched_events (
  event_id uuid primary key,
  published_at timestamptz not null,
  acknowledged boolean not null default false,
  user_key bigint,
  accepted_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
comment on column undispatched_events.acknowledged is 'a replay published it again and was answered 200: it can no longer be refused';
comment on column undispatched_events.user_key is 'user_key(tenant, user); null: takes no part in the order';
create index undispatched_events_of_user on undispatched_events (user_key, accepted_at);

-- Events accepted for later. An event is here or in undispatched_events, never in both. Here nobody can claim it or
-- publish it again as lost, and it costs nothing until it is due.
create table scheduled_events (
  event_id uuid primary key,
  tenant_id text collate "C" not null,
  send_at timestamptz not null,
  user_key bigint,
  trace_id text not null,
  acknowledged boolean not null default false
);
comment on column scheduled_events.acknowledged is 'as in undispatched_events, which it goes into';
create index scheduled_events_due on scheduled_events (send_at);
create index scheduled_events_of_tenant on scheduled_events (tenant_id, send_at, event_id);

create table dedup_keys (
  tenant_id text collate "C" not null,
  key bytea not null,
  event_id uuid not null,
  event_type text not null,
  tenant_name text not null,
  accepted_at timestamptz not null,
  primary key (tenant_id, key)
);
comment on table dedup_keys is 'remembered for 24 hours; event_type and tenant_name make the same answer again';
comment on column dedup_keys.key is 'SHA-256; its last bit says whether the tenant named it (1) or it was made from the event (0)';
create index dedup_keys_by_age on dedup_keys (accepted_at);

-- Events with a sensitive template on one channel and another template on a second channel. The sender of the second
-- would not know that it must delete the variables when its delivery, the last one, has ended.
create table sensitive_events (event_id uuid primary key);

-- Search: a customer's value (an address, a user id, a trace id, a vendor's message id) leads to events. A separate loop
-- writes the terms after dispatch, so no statement on the path of an event pays for the search.

create table search_key (
  id text primary key check (id = 'search'),
  secret text not null,
  created_at timestamptz not null default now()
);
comment on column search_key.secret is 'compact JWE of 32 bytes in base64';

create table search_terms (
  hash uuid not null,
  event_id uuid not null,
  primary key (hash, event_id)
);
comment on column search_terms.hash is 'keyed: 8 bytes of the value, 8 of it and the tenant; see search-term-hash.ts';
create index search_terms_of_event on search_terms (event_id);

-- Users that events name. A row is deleted with the last of its terms.
create table search_users (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  hash uuid not null,
  primary key (tenant_id, user_id)
);
comment on column search_users.hash is 'of the user''s id, in search_terms';

create table search_walks (
  table_name text primary key check (table_name in ('events', 'deliveries')),
  next_id uuid not null
) with (fillfactor = 50);
comment on column search_walks.next_id is 'up to it, every row is in search_terms';

-- A row may be committed long after its id was made, so each range is read again three times.
create table search_steps (
  table_name text not null,
  after_id uuid not null,
  until_id uuid not null,
  seen bigint not null,
  looks integer not null default 0,
  look_at timestamptz not null,
  primary key (table_name, after_id)
) with (fillfactor = 70);
comment on column search_steps.seen is 'of the ids between, a hash that is another when a row is added';
create index search_steps_due on search_steps (look_at);

-- Deliveries that had not ended yet, and so may lack the vendor's message id.
create table search_waiting (
  delivery_id uuid primary key,
  look_at timestamptz not null
);
create index search_waiting_due on search_waiting (look_at);

-- Deliveries: one per channel that a provider serves.

create table deliveries (
  id uuid primary key,
  event_id uuid not null,
  tenant_id text collate "C" not null,
  channel text not null,
  status text not null default 'queued',
  reason text,
  recipient text,
  template_version_id bigint,
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
  unless_read boolean,
  unique (event_id, channel)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on column deliveries.event_id is 'of a digest: the id in digests; of a status webhook: the id in webhook_messages. No event has these';
comment on column deliveries.template_version_id is 'null: of a status webhook';
comment on column deliveries.unless_read is 'true: skipped once its notification is read; null: sent anyway';
comment on column deliveries.channel is 'no check: every update would run it; dispatching writes what templates hold';
comment on column deliveries.recipient is 'the address of the channel that its event had, or its user then';
comment on column deliveries.attempts is 'rows in attempts';
comment on column deliveries.retries is 'place in the retry schedule: throttled attempts do not count';
comment on column deliveries.due_at is 'when it may be released; null once settled';
comment on column deliveries.released_at is 'on its way to a sender since; null while it rests';
create index deliveries_due on deliveries (channel, tenant_id, due_at)
  where released_at is null and status in ('queued', 'waiting');
create index deliveries_released on deliveries (channel, tenant_id, released_at)
  where released_at is not null;
-- Allows only known moves of a delivery, whoever makes them; functions/delivery-moves.sql lists them.
create function check_delivery_move() returns trigger language plpgsql as 'begin return new; end';
create trigger deliveries_move before update of status on deliveries
  for each row when (old.status <> new.status) execute function check_delivery_move();
-- Dead letters by the end of their retention; both columns change only when a delivery settles.
create index deliveries_dead on deliveries (tenant_id, settled_at, id)
  where status in ('failed', 'expired', 'unknown') and channel <> 'WEBHOOK';
-- Writes webhook messages for every move of a delivery, and for rows that begin as ended; see functions/tell-webhooks.sql.
create function tell_delivery() returns trigger language plpgsql as 'begin return null; end';
create trigger deliveries_tell_move after update of status on deliveries
  for each row when (
    old.status <> new.status and new.status not in ('queued', 'sending', 'waiting', 'discarded')
    and new.channel <> 'WEBHOOK' and current_setting('belfry.tells', true) is distinct from 'apart')
  execute function tell_delivery();
create trigger deliveries_tell_end after insert on deliveries
  for each row when (new.status not in ('queued', 'sending', 'waiting', 'discarded') and new.channel <> 'WEBHOOK')
  execute function tell_delivery();

-- Status webhooks: the tenants' endpoints, and the messages for them. The delivery of a message has the message's id as
-- event_id, the channel WEBHOOK, and neither recipient nor template.

create table webhooks (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  url text not null check (length(url) <= 2048),
  types text[] not null default '{}',
  description text,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  active boolean not null default true,
  disabled_at timestamptz,
  disabled_reason text,
  failing_since timestamptz,
  failures integer not null default 0,
  paused_until timestamptz,
  probing boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (tenant_id, url),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check (active or disabled_at is not null)
) with (fillfactor = 70);
comment on column webhooks.types is 'empty: all';
comment on column webhooks.secret is 'compact JWE of whsec_…';
comment on column webhooks.previous_secret is 'compact JWE of the one before; signs beside the new one until its time';
comment on column webhooks.disabled_reason is 'null, with a time: a person did it';
comment on column webhooks.failing_since is 'nothing has reached it since; null: the last try did';
comment on column webhooks.failures is 'in a row, without those of calls that had begun before a pause';
comment on column webhooks.paused_until is 'not called until then, and then once; null: called';
comment on column webhooks.probing is 'this once is under way: the pause goes on for the length of a lease';

create table webhook_messages (
  id uuid primary key,
  webhook_id uuid not null,
  tenant_id text collate "C" not null,
  type text not null,
  event_id uuid,
  user_id text collate "C",
  payload text not null,
  resend_of uuid,
  created_at timestamptz not null default now()
);
comment on column webhook_messages.id is 'the webhook-id, unless resend_of is';
comment on column webhook_messages.event_id is 'of an event or a digest that it tells of, and may outlive; null: of none';
comment on column webhook_messages.user_id is 'whom it tells of: an erasure finds it by this; null: nobody, a person tests the endpoint';
comment on column webhook_messages.payload is 'the JSON that is posted: ids, no content and no address';
comment on column webhook_messages.resend_of is 'the message that a person has sent again with this one';
create index webhook_messages_of_webhook on webhook_messages (tenant_id, webhook_id, id);
create index webhook_messages_of_user on webhook_messages (tenant_id, user_id);
create index webhook_messages_again on webhook_messages (resend_of) where resend_of is not null;

-- Digests. The delivery of a digest has its id as event_id. The delivery's state decides about the digest: while it is
-- queued, unreleased and without an attempt, events join it, under the lock of its row.
create table digests (
  id uuid primary key,
  tenant_id text collate "C" not null,
  event_type text not null,
  channel text not null,
  user_id text collate "C" not null,
  recipient text,
  locale text collate "C" not null,
  key text not null,
  opened_at timestamptz not null,
  window_ends_at timestamptz not null,
  closed_at timestamptz,
  events integer not null default 0
) with (fillfactor = 80);
comment on column digests.events is 'that have joined it, whatever has become of them since';
comment on column digests.locale is 'of the template''s variant: empty is the default one';
comment on column digests.key is 'value of the variable that the template''s digest names; empty: none';
comment on column digests.window_ends_at is 'without quiet hours; moves with each event of a sliding one';
comment on column digests.closed_at is 'nothing joins it any more';
create unique index digests_open on digests (tenant_id, user_id, event_type, channel, recipient, locale, key)
  nulls not distinct where closed_at is null;
-- Only of closed digests: for open ones the planner must use the index above, whatever it knows about the table.
create index digests_closed_of_user on digests (tenant_id, user_id) where closed_at is not null;

create table digest_items (
  digest_id uuid not null,
  event_id uuid not null,
  added_at timestamptz not null,
  state text not null default 'in' check (state in ('in', 'alone', 'read', 'cancelled')),
  primary key (digest_id, event_id)
);
comment on column digest_items.state is 'alone: the leading one, sent by itself; read: in the inbox, before the digest left';
create index digest_items_of_event on digest_items (event_id);

-- When a user was sent a limited type on a channel, within the throttle's time.
create table throttles (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  event_type text collate "C" not null,
  channel text not null,
  times timestamptz[] not null,
  ends_at timestamptz not null,
  primary key (tenant_id, user_id, event_type, channel)
) with (fillfactor = 70);
comment on column throttles.ends_at is 'nothing of it counts any more';
create index throttles_by_end on throttles (ends_at);

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
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- Reports of providers after they have accepted a message.
create table receipts (
  tenant_id text collate "C" not null,
  provider_kind text not null,
  vendor_event text collate "C" not null,
  delivery_id uuid not null,
  kind text not null check (kind in ('deferred', 'accepted', 'delivered', 'bounced', 'complained', 'opted out')),
  reason text,
  vendor_status text,
  occurred_at timestamptz,
  received_at timestamptz not null default now(),
  primary key (tenant_id, provider_kind, vendor_event)
);
comment on column receipts.vendor_event is 'the id by which the same event is known when it comes again';
comment on column receipts.occurred_at is 'by the clock of the provider';
create index receipts_of_delivery on receipts (delivery_id);
create index receipts_by_age on receipts (received_at);

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
  created_at timestamptz not null default now(),
  headers jsonb
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table outbox is 'what the sandbox provider was given';
comment on column outbox.headers is 'of a mail that can be unsubscribed from: {name: value}';
create index outbox_of_tenant on outbox (tenant_id, id);

-- In-app history and its realtime channels. An event creates at most one notification, with the event's id.

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
  read_at timestamptz,
  url text,
  actions text
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
comment on column notifications.url is 'where it leads, judged when it was rendered: https or a path';
comment on column notifications.actions is 'JSON, at most two of {label, url}; null: none';
create index notifications_of_user on notifications (tenant_id, user_id, created_at desc, id desc);
create unique index notifications_by_offset on notifications (tenant_id, user_id, channel_name, channel_offset);
create index notifications_unread on notifications (tenant_id, user_id) where read_at is null;

create table realtime_channels (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  channel_name text collate "C" not null,
  top_offset bigint not null,
  primary key (tenant_id, user_id, channel_name)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table realtime_epoch (
  only_row boolean primary key default true check (only_row),
  epoch text not null
);
insert into realtime_epoch (epoch) values (substr(md5(gen_random_uuid()::text), 1, 8));

-- A deleted channel begins at offset 1 again, so clients with an old position must learn that it is invalid: the epoch of
-- a user's channels consists of realtime_epoch and the count of the user's slot. A slot is two bytes of a hash, so the
-- table names no person and stays small; a reset makes one of 65,536 users read the history once more without need.
create table realtime_resets (
  slot bytea primary key,
  resets bigint not null
) with (fillfactor = 70);
comment on column realtime_resets.slot is 'realtime_slot: the first two bytes of a hash of tenant and user';

-- NATS messages that were set aside, and events and deliveries that were found lost or stalled.

create table dead_messages (
  id uuid primary key,
  stream text not null,
  subject text not null,
  data bytea not null,
  deliveries integer not null,
  reason text not null,
  created_at timestamptz not null default now()
);
comment on table dead_messages is 'NATS messages set aside: undecodable, or redelivered too often';

-- A message that was delivered often is tried alone, and each try is recorded before it begins. A remaining row is a try
-- that ended with its process, or one in progress.
create table message_tries (
  stream text not null,
  sequence bigint not null,
  begun integer not null,
  begun_at timestamptz not null,
  primary key (stream, sequence)
);

-- Work that was found in Postgres and sent again: a row per hour, for the system page of the Admin UI.
create table reconciliations (
  hour timestamptz not null,
  what text not null check (what in ('events', 'deliveries')),
  count bigint not null,
  primary key (hour, what)
);

-- How far the walk over a table has come. A row of a tenant says that none of its rows in this table with an id up to
-- next_id is left. The tenant '' stands for all tenants without their own row. A tenant has a row only while it has its
-- own retention, and after it lost that until the walk has caught up. So a change of the retention moves no cursor back:
-- the walk continues where this tenant's rows begin.
create table expiry_cursors (
  table_name text not null,
  tenant_id text collate "C" not null,
  next_id uuid not null,
  walked_at timestamptz not null default '-infinity',
  primary key (table_name, tenant_id)
) with (fillfactor = 50);
comment on column expiry_cursors.tenant_id is 'empty: every tenant without a row of its own';

-- The people of the Admin UI, their rights, and their actions. A person is an operator of the platform, or has a role in
-- tenants, or both. Tokens (of sessions, of invitations) are stored only as SHA-256.

create table people (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  password text,
  operator boolean not null default false,
  sign_in_epoch integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on column people.password is 'scrypt, with its costs and salt; null: signs in by OpenID Connect alone';
comment on column people.sign_in_epoch is 'grows with each change of what signing in asks for: one begun before leads nowhere';

create table memberships (
  person_id uuid not null references people on delete cascade,
  tenant_id text collate "C" not null references tenants on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  by_oidc boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (person_id, tenant_id)
);
comment on column memberships.by_oidc is 'a group of the provider gave it, and takes it away; else a person did';
create index memberships_of_tenant on memberships (tenant_id);

-- A person's account at a provider of OpenID Connect: at most one per provider.
create table person_identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id uuid not null references people on delete cascade,
  by_hand boolean not null,
  email text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject),
  unique (person_id, issuer)
);
comment on column person_identities.by_hand is 'the person connected it, signed in; else its address led to the person';
comment on column person_identities.email is 'as the provider last said it: to be shown, it decides nothing';

create table sessions (
  id uuid primary key,
  person_id uuid not null references people on delete cascade,
  sha256 bytea not null unique,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_of_person on sessions (person_id);
create index sessions_by_end on sessions (expires_at);

-- A person's second factor: an authenticator app. Until a code has confirmed it, it belongs to the session that sets it
-- up, and signing in does not ask for a code.
create table person_totp (
  person_id uuid primary key references people on delete cascade,
  secret text not null,
  session_id uuid references sessions on delete cascade,
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step integer not null default 0,
  check ((confirmed_at is null) = (session_id is not null))
);
create index person_totp_of_session on person_totp (session_id);
comment on column person_totp.secret is 'compact JWE';
comment on column person_totp.last_step is 'of 30 s since 1970: a code of it, or of one before, was used already';

-- Each code opens the account once, in place of a code of the app; a used one is deleted.
create table recovery_codes (
  person_id uuid not null references person_totp on delete cascade,
  sha256 bytea not null,
  primary key (person_id, sha256)
);

-- Results of a request that its next page shows once: a new key, a link, a vendor's answer.
create table shown_once (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  content text not null,
  expires_at timestamptz not null
);
create index shown_once_of_session on shown_once (session_id);
create index shown_once_by_end on shown_once (expires_at);
comment on column shown_once.content is 'encrypted JSON, for minutes: it ends before keys are retired';

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
);
comment on column invitations.email is 'null: whoever holds the link of the first operator';
create index invitations_of_tenant on invitations (tenant_id);

-- Links by which a person sets a new password: at most one per person.
create table password_resets (
  sha256 bytea primary key,
  person_id uuid not null unique references people on delete cascade,
  made_by uuid references people on delete cascade,
  by_owner_of text collate "C" references tenants on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
comment on column password_resets.made_by is 'null: the command line';
comment on column password_resets.by_owner_of is 'whoever made it may do so as an owner of this tenant; null: as an operator';

-- Sign-in attempts within a window, counted exactly over the replicas of the Admin UI: by address, by account and by both.
-- The next attempt deletes rows whose window has ended, and the oldest rows beyond a limit.
create table sign_in_tries (
  key bytea primary key,
  count integer not null,
  ends_at timestamptz not null
);
comment on column sign_in_tries.key is 'SHA-256 of what is counted: no address and no account stands here';
create index sign_in_tries_by_end on sign_in_tries (ends_at);

-- Rows outlive the person and the tenant that they name: no foreign keys.
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
);
comment on column audit_log.before is 'secrets masked; null: there was nothing';
create index audit_log_of_tenant on audit_log (tenant_id, id);

-- The figures of the overview, five minutes per row, so that no page counts events.
create table activity_buckets (
  tenant_id text collate "C" not null,
  starts_at timestamptz not null,
  channel text not null check (channel ~ '^[A-Z_]{2,16}$'),
  accepted integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  pending integer not null default 0,
  latencies integer[] not null default '{}',
  primary key (tenant_id, starts_at, channel)
);
comment on column activity_buckets.channel is 'ALL: the events themselves';
comment on column activity_buckets.latencies is 'from acceptance to the provider: how many up to each bound of activity-buckets.ts';
create index activity_buckets_by_age on activity_buckets (starts_at);
