-- The tables as all migrations together make them. Generated, and held true by a test:
-- node test/run.ts --test-update-snapshots packages/database/test/current-schema.test.ts

create table activity_buckets (
  tenant_id text collate "C" not null,
  starts_at timestamp with time zone not null,
  channel text not null,
  accepted integer not null default 0,
  sent integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  pending integer not null default 0,
  latencies integer[] not null default '{}'::integer[],
  constraint activity_buckets_channel_check CHECK ((channel ~ '^[A-Z_]{2,16}$'::text)),
  constraint activity_buckets_pkey PRIMARY KEY (tenant_id, starts_at, channel)
);
create index activity_buckets_by_age ON activity_buckets USING btree (starts_at);
comment on column activity_buckets.channel is 'ALL: the events themselves';
comment on column activity_buckets.latencies is 'from acceptance to the provider: how many up to each bound of activity-buckets.ts';

create table activity_sums (
  tenant_id text collate "C" not null,
  bar_seconds integer not null,
  starts_at timestamp with time zone not null,
  grouped_by text not null,
  name text collate "C" not null,
  accepted integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  waiting integer not null default 0,
  read integer not null default 0,
  latencies integer[] not null default '{}'::integer[],
  constraint activity_sums_pkey PRIMARY KEY (tenant_id, bar_seconds, grouped_by, starts_at, name)
);
create index activity_sums_by_age ON activity_sums USING btree (bar_seconds, starts_at);
comment on column activity_sums.tenant_id is '''platform'': all tenants together';
comment on column activity_sums.name is 'of the group: see GROUPINGS in activity-sums.ts; ''*'': all smaller ones';
comment on column activity_sums.sent is 'taken by the provider and not come back; delivered and read are among them';
comment on column activity_sums.latencies is 'seconds to the provider: how many up to each bound of activity-sums.ts';

create table alert_chats (
  reader text collate "C" not null,
  tenant_id text collate "C" not null,
  kind text not null,
  sent_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  event_id uuid,
  sender_id text collate "C" not null default split_part(reader, ' '::text, 1),
  constraint alert_chats_pkey PRIMARY KEY (reader, tenant_id, kind),
  constraint alert_chats_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint alert_chats_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index alert_chats_of_sender ON alert_chats USING btree (sender_id);
create index alert_chats_of_tenant ON alert_chats USING btree (tenant_id);
comment on table alert_chats is 'as alert_mails: the last message of a kind to a chat address about a tenant';
comment on column alert_chats.reader is 'the tenant whose providers reach the address, a blank, and the address';

create table alert_choices (
  person_id uuid not null,
  tenant_id text collate "C",
  kinds text[] not null,
  chat text,
  constraint alert_choices_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint alert_choices_person_id_tenant_id_key UNIQUE NULLS NOT DISTINCT (person_id, tenant_id),
  constraint alert_choices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index alert_choices_of_tenant ON alert_choices USING btree (tenant_id);
comment on table alert_choices is 'of which alerts a person wants mail; no row: the defaults of alerts.ts';
comment on column alert_choices.tenant_id is 'null: of all tenants, as an operator';
comment on column alert_choices.chat is 'the chat address that is told as well; null: none';

create table alert_mails (
  person_id uuid not null,
  tenant_id text collate "C" not null,
  kind text not null,
  sent_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  event_id uuid,
  constraint alert_mails_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint alert_mails_pkey PRIMARY KEY (person_id, tenant_id, kind),
  constraint alert_mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index alert_mails_of_tenant ON alert_mails USING btree (tenant_id);
comment on table alert_mails is 'the last mail of a kind to a person about a tenant';
comment on column alert_mails.ended_at is 'when the person was told that the trouble has ended; null: it goes on, or an email about its end is due';
comment on column alert_mails.event_id is 'the event that told it; null: one of an earlier version';

create table alerts (
  tenant_id text collate "C" not null,
  kind text not null,
  subject text not null,
  began_at timestamp with time zone not null,
  constraint alerts_pkey PRIMARY KEY (tenant_id, kind, subject),
  constraint alerts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
comment on table alerts is 'trouble that goes on; its row is deleted when it ends';
comment on column alerts.subject is 'id of the provider or endpoint; empty: the tenant itself';

create table api_keys (
  id uuid not null,
  tenant_id text collate "C" not null,
  sha256 bytea not null,
  prefix text not null,
  name text,
  role text not null default 'all'::text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_role_check CHECK ((role = ANY (ARRAY['all'::text, 'trigger'::text, 'read'::text, 'manage'::text, 'provision'::text]))),
  constraint api_keys_sha256_key UNIQUE (sha256),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index api_keys_of_tenant ON api_keys USING btree (tenant_id);
comment on column api_keys.name is 'what its owner calls it';
comment on column api_keys.role is 'the calls for which it is taken';

create table applied_functions (
  file text not null,
  hash text not null,
  version text not null,
  constraint applied_functions_pkey PRIMARY KEY (file)
);

create table attachment_chunks (
  attachment_id uuid not null,
  n integer not null,
  data bytea not null,
  constraint attachment_chunks_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachments(id) ON DELETE CASCADE,
  constraint attachment_chunks_pkey PRIMARY KEY (attachment_id, n)
);
comment on column attachment_chunks.n is 'from 0; each but the last has 256 KiB';

create table attachment_sums (
  tenant_id text collate "C" not null,
  bytes bigint not null,
  constraint attachment_sums_pkey PRIMARY KEY (tenant_id),
  constraint attachment_sums_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
comment on column attachment_sums.bytes is 'of all attachments of the tenant; of one that is being uploaded: at most';

create table attachments (
  id uuid not null,
  tenant_id text collate "C" not null,
  name text not null,
  type text not null,
  bytes integer not null,
  sha256 bytea,
  complete boolean not null default false,
  named boolean not null default false,
  created_at timestamp with time zone not null,
  constraint attachments_check CHECK (((NOT complete) OR (sha256 IS NOT NULL))),
  constraint attachments_check1 CHECK ((complete OR (NOT named))),
  constraint attachments_pkey PRIMARY KEY (id),
  constraint attachments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index attachments_incomplete ON attachments USING btree (created_at) WHERE (NOT complete);
create index attachments_of_tenant ON attachments USING btree (tenant_id);
create index attachments_unnamed ON attachments USING btree (tenant_id, created_at) INCLUDE (bytes) WHERE (NOT named);
create index attachments_unnamed_age ON attachments USING btree (created_at) WHERE (NOT named);
CREATE TRIGGER attachments_count AFTER INSERT OR UPDATE OF bytes ON attachments FOR EACH ROW EXECUTE FUNCTION count_attachment();
CREATE TRIGGER attachments_discount AFTER DELETE ON attachments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION discount_attachments();
comment on column attachments.bytes is 'until it is complete: at most';
comment on column attachments.sha256 is 'of all its bytes; null: it is not complete';
comment on column attachments.complete is 'all its rows of attachment_chunks are there';
comment on column attachments.named is 'an event names it, and it is deleted with the last such event; else after 24 hours';

create table attempts (
  delivery_id uuid not null,
  number integer not null,
  provider_id uuid,
  provider_kind text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  class text,
  reason text,
  vendor_status text,
  vendor_answer text,
  message_id text,
  next_at timestamp with time zone,
  constraint attempts_class_check CHECK ((class = ANY (ARRAY['accepted'::text, 'permanent'::text, 'policy'::text, 'credentials'::text, 'throttled'::text, 'deferred'::text, 'transient'::text, 'ambiguous'::text]))),
  constraint attempts_pkey PRIMARY KEY (delivery_id, number)
) with (autovacuum_vacuum_scale_factor=0.05, fillfactor=80);

create table audit_log (
  id uuid not null,
  at timestamp with time zone not null default now(),
  person_id uuid,
  person text not null,
  address text not null,
  tenant_id text collate "C",
  action text not null,
  target text not null,
  before jsonb,
  after jsonb,
  constraint audit_log_pkey PRIMARY KEY (id)
);
create index audit_log_of_tenant ON audit_log USING btree (tenant_id, id);
comment on column audit_log.before is 'secrets masked; null: there was nothing';

create table broadcast_chunks (
  broadcast_id uuid not null,
  number integer not null,
  event_ids uuid[] not null,
  counts jsonb not null default '{}'::jsonb,
  is_open boolean not null default true,
  is_cancelled boolean not null default false,
  count_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint broadcast_chunks_broadcast_id_fkey FOREIGN KEY (broadcast_id) REFERENCES broadcasts(id) ON DELETE CASCADE,
  constraint broadcast_chunks_pkey PRIMARY KEY (broadcast_id, number)
) with (fillfactor=70);
create index broadcast_chunks_due ON broadcast_chunks USING btree (count_at) WHERE (count_at IS NOT NULL);
create index broadcast_chunks_open ON broadcast_chunks USING btree (broadcast_id) WHERE is_open;
comment on column broadcast_chunks.is_open is 'an event of it has not ended on every channel';
comment on column broadcast_chunks.is_cancelled is 'a cancel has looked at its events';
comment on column broadcast_chunks.count_at is 'when it is counted next; null: its counts are final';

create table broadcast_people (
  broadcast_id uuid not null,
  user_id text collate "C" not null,
  is_excepted boolean not null,
  constraint broadcast_people_broadcast_id_fkey FOREIGN KEY (broadcast_id) REFERENCES broadcasts(id) ON DELETE CASCADE,
  constraint broadcast_people_pkey PRIMARY KEY (broadcast_id, is_excepted, user_id)
);
comment on table broadcast_people is 'its list, and whom it leaves out; deleted when it has ended';

create table broadcasts (
  id uuid not null,
  tenant_id text collate "C" not null,
  state text not null default 'scheduled'::text,
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
  send_at timestamp with time zone,
  next_at timestamp with time zone,
  reached text collate "C" not null default ''::text,
  is_expanded boolean not null default false,
  total integer not null,
  expanded integer not null default 0,
  chunks integer not null default 0,
  counts jsonb not null default '{}'::jsonb,
  cancel_asked_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  told_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  request bytea,
  constraint broadcasts_check CHECK (((state = ANY (ARRAY['cancelled'::text, 'done'::text])) = (ended_at IS NOT NULL))),
  constraint broadcasts_pkey PRIMARY KEY (id),
  constraint broadcasts_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'running'::text, 'paused'::text, 'cancelling'::text, 'cancelled'::text, 'done'::text]))),
  constraint broadcasts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
) with (fillfactor=50);
create index broadcasts_due ON broadcasts USING btree (next_at) WHERE (next_at IS NOT NULL);
create index broadcasts_ended ON broadcasts USING btree (ended_at) WHERE (ended_at IS NOT NULL);
create index broadcasts_of_tenant ON broadcasts USING btree (tenant_id, id);
create index broadcasts_open ON broadcasts USING btree (tenant_id) WHERE (ended_at IS NULL);
create unique index broadcasts_by_idempotency_key ON broadcasts USING btree (tenant_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE TRIGGER broadcasts_move BEFORE UPDATE OF state ON broadcasts FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION check_broadcast_move();
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
comment on column broadcasts.request is 'SHA-256 of what was asked: another request with the same key is refused; null: stored before this column existed';

create table bundle_applies (
  id uuid not null,
  tenant_id text collate "C" not null,
  kind text not null,
  state text not null default 'waiting'::text,
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
  due_at timestamp with time zone not null default now(),
  requested_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint bundle_applies_check CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
  constraint bundle_applies_check1 CHECK (((ended_at IS NULL) OR (files IS NULL))),
  constraint bundle_applies_kind_check CHECK ((kind = ANY (ARRAY['bundle'::text, 'promotion'::text]))),
  constraint bundle_applies_pkey PRIMARY KEY (id),
  constraint bundle_applies_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text]))),
  constraint bundle_applies_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index bundle_applies_by_end ON bundle_applies USING btree (ended_at) WHERE (ended_at IS NOT NULL);
create index bundle_applies_due ON bundle_applies USING btree (due_at) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));
create index bundle_applies_of_tenant ON bundle_applies USING btree (tenant_id, id);
create unique index bundle_applies_open ON bundle_applies USING btree (tenant_id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));
comment on table bundle_applies is 'bundles and promotions that are compiled in the background, because a caller would wait too long';
comment on column bundle_applies.wanted_plan is 'the plan that the caller named: another one is refused; null: none was named';
comment on column bundle_applies.files is 'JSON: the texts by path; null: of a promotion, or it has ended';
comment on column bundle_applies.plan is 'JSON: the answer to the call; at the end also what was applied, or why not';
comment on column bundle_applies.total is 'templates to compile';
comment on column bundle_applies.worker is 'the process that claimed it last; only that one may end it';
comment on column bundle_applies.due_at is 'when it may be claimed; while somebody works on it: when the claim runs out unless it is renewed';

create table categories (
  tenant_id text collate "C" not null,
  key text collate "C" not null,
  label jsonb not null,
  description jsonb not null,
  required boolean not null default false,
  default_on boolean not null default true,
  position integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint categories_key_check CHECK ((key ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'::text)),
  constraint categories_label_check CHECK ((label ? ''::text)),
  constraint categories_pkey PRIMARY KEY (tenant_id, key),
  constraint categories_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
comment on column categories.required is 'sent whatever a user has turned off';
comment on column categories.default_on is 'false: sent only to users who have turned it on';

create table configuration_version (
  only_row boolean not null default true,
  version bigint not null default 1,
  event_retention_days integer not null default 30,
  notification_retention_days integer not null default 90,
  mail_tenant_id text collate "C",
  constraint configuration_version_mail_tenant_id_fkey FOREIGN KEY (mail_tenant_id) REFERENCES tenants(id) ON DELETE SET NULL,
  constraint configuration_version_only_row_check CHECK (only_row),
  constraint configuration_version_pkey PRIMARY KEY (only_row)
);
comment on column configuration_version.event_retention_days is 'of tenants without days of their own: EVENT_RETENTION_DAYS of the dispatcher that started last';
comment on column configuration_version.notification_retention_days is 'the same of NOTIFICATION_RETENTION_DAYS';
comment on column configuration_version.mail_tenant_id is 'whose provider sends Belfry''s own mail; null: none is sent';

create table dead_messages (
  id uuid not null,
  stream text not null,
  subject text not null,
  data bytea not null,
  deliveries integer not null,
  reason text not null,
  created_at timestamp with time zone not null default now(),
  constraint dead_messages_pkey PRIMARY KEY (id)
);
comment on table dead_messages is 'NATS messages set aside: undecodable, or redelivered too often';

create table dedup_keys (
  tenant_id text collate "C" not null,
  key bytea not null,
  event_id uuid not null,
  event_type text not null,
  tenant_name text not null,
  accepted_at timestamp with time zone not null,
  constraint dedup_keys_pkey PRIMARY KEY (tenant_id, key)
);
create index dedup_keys_by_age ON dedup_keys USING btree (accepted_at);
comment on table dedup_keys is 'remembered for 24 hours; event_type and tenant_name make the same answer again';
comment on column dedup_keys.key is 'SHA-256; its last bit says whether the tenant named it (1) or it was made from the event (0)';

create table deliveries (
  id uuid not null,
  event_id uuid not null,
  tenant_id text collate "C" not null,
  channel text not null,
  status text not null default 'queued'::text,
  reason text,
  recipient text,
  template_version_id bigint,
  provider_id uuid,
  attempts integer not null default 0,
  retries integer not null default 0,
  due_at timestamp with time zone,
  released_at timestamp with time zone,
  claimed_until timestamp with time zone,
  expires_at timestamp with time zone,
  message_id text,
  missing text[],
  created_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  unless_read boolean,
  held_for uuid,
  cancel_asked_at timestamp with time zone,
  warnings text[],
  broadcast_id uuid,
  constraint deliveries_event_id_channel_key UNIQUE (event_id, channel),
  constraint deliveries_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05, fillfactor=70);
create index deliveries_dead ON deliveries USING btree (tenant_id, settled_at, id) WHERE ((status = ANY (ARRAY['failed'::text, 'expired'::text, 'unknown'::text])) AND (channel <> 'WEBHOOK'::text));
create index deliveries_due ON deliveries USING btree (channel, tenant_id, due_at) WHERE ((released_at IS NULL) AND (status = ANY (ARRAY['queued'::text, 'waiting'::text])) AND (broadcast_id IS NULL));
create index deliveries_due_bulk ON deliveries USING btree (channel, tenant_id, broadcast_id, due_at) WHERE ((released_at IS NULL) AND (status = ANY (ARRAY['queued'::text, 'waiting'::text])) AND (broadcast_id IS NOT NULL));
create index deliveries_held ON deliveries USING btree (tenant_id, held_for, id) WHERE ((held_for IS NOT NULL) AND (released_at IS NULL) AND (status = ANY (ARRAY['queued'::text, 'waiting'::text])));
create index deliveries_released ON deliveries USING btree (channel, tenant_id, released_at) WHERE (released_at IS NOT NULL);
CREATE TRIGGER deliveries_move BEFORE UPDATE OF status ON deliveries FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION check_delivery_move();
CREATE TRIGGER deliveries_tell_end AFTER INSERT ON deliveries FOR EACH ROW WHEN (((new.status <> ALL (ARRAY['queued'::text, 'sending'::text, 'waiting'::text, 'discarded'::text])) AND (new.channel <> 'WEBHOOK'::text))) EXECUTE FUNCTION tell_delivery();
CREATE TRIGGER deliveries_tell_move AFTER UPDATE OF status ON deliveries FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status <> ALL (ARRAY['queued'::text, 'sending'::text, 'waiting'::text, 'discarded'::text])) AND (new.channel <> 'WEBHOOK'::text) AND (current_setting('belfry.tells'::text, true) IS DISTINCT FROM 'apart'::text))) EXECUTE FUNCTION tell_delivery();
comment on column deliveries.event_id is 'of a digest: the id in digests; of a status webhook: the id in webhook_messages. No event has these';
comment on column deliveries.channel is 'no check: every update would run it; dispatching writes what templates hold';
comment on column deliveries.recipient is 'the address of the channel that its event had, or its user then';
comment on column deliveries.template_version_id is 'null: of a status webhook';
comment on column deliveries.attempts is 'rows in attempts';
comment on column deliveries.retries is 'place in the retry schedule: throttled attempts do not count';
comment on column deliveries.due_at is 'when it may be released; null once settled';
comment on column deliveries.released_at is 'on its way to a sender since; null while it rests';
comment on column deliveries.unless_read is 'true: skipped once its notification is read; null: sent anyway';
comment on column deliveries.held_for is 'of a status webhook at rest: the endpoint whose pause it waits out, in place of due_at; null: it rests until due_at';
comment on column deliveries.cancel_asked_at is 'a cancel came during a try: it is not tried again; of a digest: so its items say (digest_items)';
comment on column deliveries.warnings is 'what its message lacks besides variables, in words: links that lead nowhere';
comment on column deliveries.broadcast_id is 'that of its event: it leaves after the tenant''s others';

create table device_sends (
  delivery_id uuid not null,
  device_id text collate "C" not null,
  kind text not null,
  provider_id uuid,
  state text not null default 'waiting'::text,
  reason text,
  vendor_status text,
  tried_at timestamp with time zone,
  constraint device_sends_pkey PRIMARY KEY (delivery_id, device_id),
  constraint device_sends_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sending'::text, 'accepted'::text, 'failed'::text, 'gone'::text, 'skipped'::text, 'unknown'::text])))
);

create table devices (
  id uuid not null,
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  device_id text collate "C" not null,
  kind text not null,
  token text not null,
  token_hash text collate "C" not null,
  name text,
  registered_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone,
  ends_at timestamp with time zone,
  constraint devices_kind_check CHECK ((kind = ANY (ARRAY['webpush'::text, 'fcm'::text, 'apns'::text]))),
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint devices_tenant_id_user_id_device_id_key UNIQUE (tenant_id, user_id, device_id),
  constraint devices_token_hash_tenant_id_key UNIQUE (token_hash, tenant_id)
);
create index devices_ends_at ON devices USING btree (ends_at) WHERE (ends_at IS NOT NULL);
comment on column devices.device_id is 'chosen by the tenant, unique among the devices of a user';
comment on column devices.token is 'compact JWE of the target as JSON, owner device:<tenant>:<id>';
comment on column devices.token_hash is 'SHA-256 of the endpoint or token, base64url';
comment on column devices.registered_at is 'when it was last registered';
comment on column devices.seen_at is 'when it last accepted a message, to the day; null: never';
comment on column devices.ends_at is 'when it is deleted unless its browser registers it again; null: never';

create table digest_items (
  digest_id uuid not null,
  event_id uuid not null,
  added_at timestamp with time zone not null,
  state text not null default 'in'::text,
  cancel_asked_at timestamp with time zone,
  constraint digest_items_pkey PRIMARY KEY (digest_id, event_id),
  constraint digest_items_state_check CHECK ((state = ANY (ARRAY['in'::text, 'alone'::text, 'read'::text, 'cancelled'::text])))
);
create index digest_items_of_event ON digest_items USING btree (event_id);
comment on column digest_items.state is 'alone: the leading one, sent by itself; read: in the inbox, before the digest left';
comment on column digest_items.cancel_asked_at is 'a cancel came while the digest was being sent: the event is left out of any further try';

create table digests (
  id uuid not null,
  tenant_id text collate "C" not null,
  event_type text not null,
  channel text not null,
  user_id text collate "C" not null,
  recipient text,
  locale text collate "C" not null,
  key text not null,
  opened_at timestamp with time zone not null,
  window_ends_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  events integer not null default 0,
  constraint digests_pkey PRIMARY KEY (id)
) with (fillfactor=80);
create index digests_closed_of_user ON digests USING btree (tenant_id, user_id) WHERE (closed_at IS NOT NULL);
create unique index digests_open ON digests USING btree (tenant_id, user_id, event_type, channel, recipient, locale, key) NULLS NOT DISTINCT WHERE (closed_at IS NULL);
comment on column digests.locale is 'of the template''s variant: empty is the default one';
comment on column digests.key is 'value of the variable that the template''s digest names; empty: none';
comment on column digests.window_ends_at is 'without quiet hours; moves with each event of a sliding one';
comment on column digests.closed_at is 'nothing joins it any more';
comment on column digests.events is 'that have joined it, whatever has become of them since';

create table erasures (
  id uuid not null,
  tenant_id text collate "C" not null,
  user_hash bytea not null,
  user_id text,
  state text not null default 'waiting'::text,
  requested_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  claimed_until timestamp with time zone,
  ended_at timestamp with time zone,
  deleted jsonb,
  constraint erasures_check CHECK (((state = 'done'::text) = (ended_at IS NOT NULL))),
  constraint erasures_check1 CHECK (((state = 'done'::text) = (user_id IS NULL))),
  constraint erasures_pkey PRIMARY KEY (id),
  constraint erasures_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text]))),
  constraint erasures_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index erasures_by_end ON erasures USING btree (ended_at) WHERE (state = 'done'::text);
create index erasures_in_turn ON erasures USING btree (tenant_id, due_at) WHERE (state <> 'done'::text);
create index erasures_of_tenant ON erasures USING btree (tenant_id, requested_at);
create index erasures_open ON erasures USING btree (due_at) WHERE (state <> 'done'::text);
create unique index erasures_of_user ON erasures USING btree (tenant_id, user_hash) WHERE (state <> 'done'::text);
create unique index erasures_running ON erasures USING btree (tenant_id) WHERE (state = 'running'::text);
comment on column erasures.user_hash is 'SHA-256 of tenant and user id, as the audit log names who was erased';
comment on column erasures.claimed_until is 'what a process that died has begun is begun again after this';
comment on column erasures.deleted is 'rows, by table';

create table event_attachments (
  event_id uuid not null,
  position smallint not null,
  attachment_id uuid not null,
  cid text,
  constraint event_attachments_attachment_id_fkey FOREIGN KEY (attachment_id) REFERENCES attachments(id) ON DELETE CASCADE,
  constraint event_attachments_pkey PRIMARY KEY (event_id, "position")
);
create index event_attachments_of ON event_attachments USING btree (attachment_id);
comment on column event_attachments.cid is 'by which the mail shows it inline; null: it is only attached';

create table event_type_categories (
  tenant_id text collate "C" not null,
  event_type text collate "C" not null,
  category text collate "C" not null,
  constraint event_type_categories_pkey PRIMARY KEY (tenant_id, event_type),
  constraint event_type_categories_tenant_id_category_fkey FOREIGN KEY (tenant_id, category) REFERENCES categories(tenant_id, key) ON DELETE CASCADE
);

create table events (
  id uuid not null,
  tenant_id text collate "C" not null,
  event_type text not null,
  user_id text not null,
  reference text,
  recipient_email text,
  recipient_phone text,
  channels smallint,
  variables text,
  trace_id text not null,
  accepted_at timestamp with time zone not null,
  dispatched_at timestamp with time zone,
  refused_at timestamp with time zone,
  outcome jsonb,
  locale text,
  send_at timestamp with time zone,
  released_at timestamp with time zone,
  cancel_key text collate "C",
  cancel_asked_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  trace_parent text,
  envelope jsonb,
  broadcast_id uuid,
  recipient_chat text,
  constraint events_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05, fillfactor=80);
create index events_by_cancel_key ON events USING btree (tenant_id, cancel_key, cancel_asked_at NULLS FIRST, id) WHERE (cancel_key <> ''::text);
create index events_by_cancel_key_of_user ON events USING btree (tenant_id, cancel_key, user_id, cancel_asked_at NULLS FIRST, id) WHERE (cancel_key IS NOT NULL);
create index events_by_reference ON events USING btree (tenant_id, reference, id) WHERE (reference IS NOT NULL);
create index events_of_tenant ON events USING btree (tenant_id, id);
comment on column events.reference is 'the eventId of the tenant: shown, not unique';
comment on column events.channels is 'requested channels: the sum of their bits in channels.ts; null: all';
comment on column events.outcome is '{"skipped": {CHANNEL: reason}, "failed": {CHANNEL: reason}, "missing": {CHANNEL: [name]}, "warnings": {CHANNEL: [words]}, "linksLeftOut": {CHANNEL: [words]}, "waits": {CHANNEL: reason}}';
comment on column events.locale is 'of the trigger, canonical BCP 47; null: none was named';
comment on column events.send_at is 'when it was to be sent; null: at once';
comment on column events.released_at is 'when it left scheduled_events: its place in the order of its user';
comment on column events.cancel_key is 'of the tenant, not unique';
comment on column events.cancel_asked_at is 'a cancel has looked at it, whatever it could stop';
comment on column events.cancelled_at is 'nothing of it has reached anybody, and nothing will';
comment on column events.trace_parent is 'W3C trace context (traceparent) that its spans belong to; null: not sampled';
comment on column events.envelope is 'of its mail, as the trigger said: {"fromName", "replyTo", "cc": [address], "bcc": [address]}; null: nothing';
comment on column events.broadcast_id is 'which has made it; null: a trigger';

create table expiry_cursors (
  table_name text not null,
  tenant_id text collate "C" not null,
  next_id uuid not null,
  walked_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint expiry_cursors_pkey PRIMARY KEY (table_name, tenant_id)
) with (fillfactor=50);
comment on column expiry_cursors.tenant_id is 'empty: every tenant without a row of its own';

create table images (
  id text collate "C" not null,
  tenant_id text collate "C" not null,
  name text not null,
  type text not null,
  bytes integer not null,
  width integer not null,
  height integer not null,
  sha256 bytea not null,
  data bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint images_check CHECK ((bytes = length(data))),
  constraint images_pkey PRIMARY KEY (id),
  constraint images_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint images_tenant_id_sha256_key UNIQUE (tenant_id, sha256)
);
comment on column images.sha256 is 'of data: the same picture is stored once in a tenant';

create table import_chunks (
  import_id uuid not null,
  number integer not null,
  records text not null,
  constraint import_chunks_import_id_fkey FOREIGN KEY (import_id) REFERENCES imports(id) ON DELETE CASCADE,
  constraint import_chunks_pkey PRIMARY KEY (import_id, number)
);
comment on column import_chunks.records is 'JSON: [line, field, …] of each record, the fields that are read in the order of the file; [line, null, fault] of a bad one';

create table imports (
  id uuid not null,
  tenant_id text collate "C" not null,
  kind text not null,
  topic text collate "C",
  state text not null default 'receiving'::text,
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
  faults jsonb not null default '[]'::jsonb,
  tries integer not null default 0,
  requested_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  ignored_columns jsonb not null default '[]'::jsonb,
  constraint imports_check CHECK (((kind = 'members'::text) = (topic IS NOT NULL))),
  constraint imports_check1 CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) = (ended_at IS NOT NULL))),
  constraint imports_kind_check CHECK ((kind = ANY (ARRAY['users'::text, 'members'::text]))),
  constraint imports_pkey PRIMARY KEY (id),
  constraint imports_state_check CHECK ((state = ANY (ARRAY['receiving'::text, 'waiting'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))),
  constraint imports_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index imports_by_end ON imports USING btree (ended_at) WHERE (ended_at IS NOT NULL);
create index imports_of_tenant ON imports USING btree (tenant_id, id);
create index imports_open ON imports USING btree (tenant_id, id) WHERE (state = ANY (ARRAY['receiving'::text, 'waiting'::text, 'running'::text]));
comment on column imports.parts is 'parts of the file that have come: the next one must be this plus 1';
comment on column imports.reader is 'JSON: where the reader of the CSV is between two parts; null before the first, and once all have come';
comment on column imports.columns is 'of the file, in its order; empty text: not read; null: its first line has not come';
comment on column imports.bytes is 'stored of the file so far, in chunks or already worked off';
comment on column imports.faults is 'the first faults, each {line, field, message}, without any value of the file';
comment on column imports.due_at is 'when it is to be worked on; while parts come: when it is given up';
comment on column imports.ignored_columns is 'columns of the file that are not read, each {column, suggestion}: the first ones';

create table inbound_messages (
  id uuid not null,
  tenant_id text collate "C" not null,
  provider_kind text not null,
  vendor_id text collate "C" not null,
  sender text collate "C",
  recipient text,
  text text,
  received_at timestamp with time zone not null default now(),
  constraint inbound_messages_pkey PRIMARY KEY (id),
  constraint inbound_messages_tenant_id_provider_kind_vendor_id_key UNIQUE (tenant_id, provider_kind, vendor_id)
);
create index inbound_messages_of_sender ON inbound_messages USING btree (tenant_id, sender) WHERE (text IS NOT NULL);
create index inbound_messages_of_tenant ON inbound_messages USING btree (tenant_id, id) WHERE (text IS NOT NULL);
comment on column inbound_messages.text is 'null: it was a keyword';

create table invitations (
  id uuid not null,
  sha256 bytea not null,
  tenant_id text collate "C",
  role text not null,
  email text,
  invited_by uuid,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  by_operator boolean not null default false,
  constraint invitations_check CHECK (((tenant_id IS NULL) = (role = 'operator'::text))),
  constraint invitations_email_check CHECK ((email = lower(email))),
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES people(id) ON DELETE SET NULL,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'owner'::text, 'editor'::text, 'viewer'::text]))),
  constraint invitations_sha256_key UNIQUE (sha256),
  constraint invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index invitations_of_tenant ON invitations USING btree (tenant_id);
comment on column invitations.email is 'null: whoever holds the link of the first operator';
comment on column invitations.by_operator is 'an operator or the command line made the link; false: a tenant''s owner';

create table layouts (
  tenant_id text collate "C" not null,
  version integer not null,
  content text,
  logo_url text,
  primary_color text,
  background_color text,
  text_color text,
  footer_text text,
  address text,
  created_by text,
  created_at timestamp with time zone not null default now(),
  footer_texts jsonb,
  constraint layouts_background_color_check CHECK ((background_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint layouts_pkey PRIMARY KEY (tenant_id, version),
  constraint layouts_primary_color_check CHECK ((primary_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint layouts_text_color_check CHECK ((text_color ~ '^#[0-9a-f]{6}$'::text))
);
comment on column layouts.content is 'MJML with {{ $content }}; null: the platform''s';
comment on column layouts.footer_texts is 'by language, in place of footer_text; null: none';

create table memberships (
  person_id uuid not null,
  tenant_id text collate "C" not null,
  role text not null,
  by_oidc boolean not null default false,
  created_at timestamp with time zone not null default now(),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint memberships_pkey PRIMARY KEY (person_id, tenant_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'viewer'::text]))),
  constraint memberships_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index memberships_of_tenant ON memberships USING btree (tenant_id);
comment on column memberships.by_oidc is 'a group of the provider gave it, and takes it away; else a person did';

create table message_tries (
  stream text not null,
  sequence bigint not null,
  begun integer not null,
  begun_at timestamp with time zone not null,
  constraint message_tries_pkey PRIMARY KEY (stream, sequence)
);

create table notifications (
  id uuid not null,
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  event_type text not null,
  title text not null,
  body text not null,
  channel_name text collate "C" not null,
  channel_offset bigint not null,
  created_at timestamp with time zone not null,
  read_at timestamp with time zone,
  url text,
  actions text,
  archived_at timestamp with time zone,
  snoozed_until timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint notifications_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05, fillfactor=90);
create index notifications_of_user ON notifications USING btree (tenant_id, user_id, created_at DESC, id DESC);
create index notifications_snoozed ON notifications USING btree (tenant_id, user_id, snoozed_until DESC, id DESC) WHERE (snoozed_until IS NOT NULL);
create index notifications_unread ON notifications USING btree (tenant_id, user_id) WHERE (read_at IS NULL);
create unique index notifications_by_offset ON notifications USING btree (tenant_id, user_id, channel_name, channel_offset);
comment on column notifications.url is 'where it leads, judged when it was rendered: https or a path';
comment on column notifications.actions is 'JSON, at most two of {label, url}; null: none';
comment on column notifications.archived_at is 'null: not archived; what is archived is read, and not snoozed';
comment on column notifications.snoozed_until is 'until then it is in no inbox and not counted; from then on it is listed by this time';
comment on column notifications.deleted_at is 'when its user deleted it: its texts and links are gone; the row tells that it was there';

create table outbox (
  id uuid not null,
  tenant_id text collate "C" not null,
  event_id uuid not null,
  delivery_id uuid not null,
  channel text not null,
  recipient text not null,
  subject text,
  html text,
  text text not null,
  segments integer,
  created_at timestamp with time zone not null default now(),
  headers jsonb,
  attachments jsonb,
  constraint outbox_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05);
create index outbox_of_tenant ON outbox USING btree (tenant_id, id);
comment on table outbox is 'what the sandbox provider was given';
comment on column outbox.headers is 'of a mail that can be unsubscribed from: {name: value}';
comment on column outbox.attachments is 'of a mail: [{"name", "type", "bytes", "sha256", "cid"}]; null: none';

create table password_resets (
  sha256 bytea not null,
  person_id uuid not null,
  made_by uuid,
  by_owner_of text collate "C",
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint password_resets_by_owner_of_fkey FOREIGN KEY (by_owner_of) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint password_resets_made_by_fkey FOREIGN KEY (made_by) REFERENCES people(id) ON DELETE CASCADE,
  constraint password_resets_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint password_resets_person_id_key UNIQUE (person_id),
  constraint password_resets_pkey PRIMARY KEY (sha256)
);
comment on column password_resets.made_by is 'null: the command line';
comment on column password_resets.by_owner_of is 'whoever made it may do so as an owner of this tenant; null: as an operator';

create table people (
  id uuid not null,
  email text not null,
  name text not null,
  password text,
  operator boolean not null default false,
  sign_in_epoch integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  sign_in_trusted boolean not null default false,
  language text,
  constraint people_email_check CHECK ((email = lower(email))),
  constraint people_email_key UNIQUE (email),
  constraint people_language_check CHECK ((language ~ '^[a-z]{2}$'::text)),
  constraint people_pkey PRIMARY KEY (id)
);
comment on column people.password is 'scrypt, with its costs and salt; null: signs in by OpenID Connect alone';
comment on column people.sign_in_epoch is 'grows with each change of what signing in asks for: one begun before leads nowhere';
comment on column people.sign_in_trusted is 'an operator, the command line or the provider of OpenID Connect gave the person the way in; false: a tenant''s owner may have, and knows it';
comment on column people.language is 'of the Admin UI; null: as the browser asks';

create table person_identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id uuid not null,
  by_hand boolean not null,
  email text,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone not null default now(),
  constraint person_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint person_identities_person_id_issuer_key UNIQUE (person_id, issuer),
  constraint person_identities_pkey PRIMARY KEY (issuer, subject)
);
comment on column person_identities.by_hand is 'the person connected it, signed in; else its address led to the person';
comment on column person_identities.email is 'as the provider last said it: to be shown, it decides nothing';

create table person_totp (
  person_id uuid not null,
  secret text not null,
  session_id uuid,
  created_at timestamp with time zone not null default now(),
  confirmed_at timestamp with time zone,
  last_step integer not null default 0,
  constraint person_totp_check CHECK (((confirmed_at IS NULL) = (session_id IS NOT NULL))),
  constraint person_totp_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint person_totp_pkey PRIMARY KEY (person_id),
  constraint person_totp_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
create index person_totp_of_session ON person_totp USING btree (session_id);
comment on column person_totp.secret is 'compact JWE';
comment on column person_totp.last_step is 'of 30 s since 1970: a code of it, or of one before, was used already';

create table platform_keys (
  id uuid not null,
  sha256 bytea not null,
  prefix text not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint platform_keys_pkey PRIMARY KEY (id),
  constraint platform_keys_sha256_key UNIQUE (sha256)
);

create table preferences (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  category text collate "C" not null,
  channel text collate "C" not null,
  enabled boolean not null,
  source text not null,
  at timestamp with time zone not null default now(),
  constraint preferences_channel_check CHECK (((channel = '*'::text) OR (channel ~ '^[A-Z_]{2,16}$'::text))),
  constraint preferences_pkey PRIMARY KEY (tenant_id, user_id, category, channel) INCLUDE (enabled),
  constraint preferences_source_check CHECK ((source = ANY (ARRAY['api'::text, 'preference page'::text, 'unsubscribe link'::text, 'inbox'::text, 'import'::text, 'by hand'::text]))),
  constraint preferences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
CREATE TRIGGER preferences_forgotten AFTER DELETE ON preferences REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_off_categories();
CREATE TRIGGER preferences_said AFTER INSERT ON preferences REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_off_categories();
CREATE TRIGGER preferences_said_again AFTER UPDATE ON preferences REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION keep_off_categories();
comment on column preferences.category is 'a key of categories, of one that is gone too; *: of all, and of event types without one';
comment on column preferences.channel is '*: all';

create table provider_broadcasts (
  provider_id uuid not null,
  turn_of uuid,
  outstanding uuid[] not null default '{}'::uuid[],
  taken double precision not null default 0,
  looked_at timestamp with time zone not null,
  taken_at timestamp with time zone,
  constraint provider_broadcasts_pkey PRIMARY KEY (provider_id),
  constraint provider_broadcasts_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES providers(id) ON DELETE CASCADE
) with (fillfactor=50);
comment on column provider_broadcasts.turn_of is 'the broadcast of which a delivery left last: the next one has its turn';
comment on column provider_broadcasts.outstanding is 'deliveries of broadcasts that left and had not ended at the last look';
comment on column provider_broadcasts.taken is 'calls a second that ended a delivery: each counts less the older it is';
comment on column provider_broadcasts.taken_at is 'when a look last found a delivery that a call had ended';

create table provider_circuits (
  provider_id uuid not null,
  class text not null,
  reason text not null,
  failures integer not null,
  opened_at timestamp with time zone not null,
  open_until timestamp with time zone not null,
  probe_until timestamp with time zone,
  constraint provider_circuits_pkey PRIMARY KEY (provider_id),
  constraint provider_circuits_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES providers(id) ON DELETE CASCADE
) with (fillfactor=50);
comment on column provider_circuits.failures is 'openings in a row: each doubles the wait';

create table provider_sends (
  provider_id uuid not null,
  next_at timestamp with time zone not null,
  constraint provider_sends_pkey PRIMARY KEY (provider_id),
  constraint provider_sends_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES providers(id) ON DELETE CASCADE
) with (fillfactor=50);

create table providers (
  id uuid not null,
  tenant_id text collate "C" not null,
  channel text not null,
  kind text not null,
  name text not null,
  position integer not null default 0,
  active boolean not null default true,
  settings text not null,
  masked_settings jsonb not null,
  max_per_second integer,
  tested_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint providers_channel_check CHECK ((channel ~ '^[A-Z_]{2,16}$'::text)),
  constraint providers_max_per_second_check CHECK ((max_per_second > 0)),
  constraint providers_pkey PRIMARY KEY (id),
  constraint providers_tenant_id_channel_name_key UNIQUE (tenant_id, channel, name),
  constraint providers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
comment on column providers.settings is 'compact JWE of the JSON settings';
comment on column providers.tested_at is 'when the vendor last accepted a test message with these settings; null: never';

create table realtime_channels (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  channel_name text collate "C" not null,
  top_offset bigint not null,
  constraint realtime_channels_pkey PRIMARY KEY (tenant_id, user_id, channel_name)
) with (autovacuum_vacuum_scale_factor=0.05, fillfactor=70);

create table realtime_epoch (
  only_row boolean not null default true,
  epoch text not null,
  constraint realtime_epoch_only_row_check CHECK (only_row),
  constraint realtime_epoch_pkey PRIMARY KEY (only_row)
);

create table realtime_resets (
  slot bytea not null,
  resets bigint not null,
  constraint realtime_resets_pkey PRIMARY KEY (slot)
) with (fillfactor=70);
comment on column realtime_resets.slot is 'realtime_slot: the first two bytes of a hash of tenant and user';

create table reason_words (
  code text not null,
  words text not null,
  constraint reason_words_pkey PRIMARY KEY (code)
);

create table receipts (
  tenant_id text collate "C" not null,
  provider_kind text not null,
  vendor_event text collate "C" not null,
  delivery_id uuid not null,
  kind text not null,
  reason text,
  vendor_status text,
  occurred_at timestamp with time zone,
  received_at timestamp with time zone not null default now(),
  address text,
  constraint receipts_kind_check CHECK ((kind = ANY (ARRAY['deferred'::text, 'accepted'::text, 'delivered'::text, 'bounced'::text, 'complained'::text, 'opted out'::text]))),
  constraint receipts_pkey PRIMARY KEY (tenant_id, provider_kind, vendor_event)
);
create index receipts_by_age ON receipts USING btree (received_at);
create index receipts_of_delivery ON receipts USING btree (delivery_id);
comment on column receipts.vendor_event is 'the id by which the same event is known when it comes again';
comment on column receipts.occurred_at is 'by the clock of the provider';
comment on column receipts.address is 'of whom the vendor tells, where it is not the recipient: somebody in cc or bcc';

create table recipients (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  email text,
  phone text,
  locale text,
  timezone text,
  quiet_from time without time zone,
  quiet_to time without time zone,
  named boolean not null default true,
  off_categories text[] collate "C" not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  attributes text,
  chat text,
  constraint recipients_check CHECK (((quiet_from IS NULL) = (quiet_to IS NULL))),
  constraint recipients_check1 CHECK ((quiet_from <> quiet_to)),
  constraint recipients_pkey PRIMARY KEY (tenant_id, user_id),
  constraint recipients_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index recipients_by_email ON recipients USING btree (tenant_id, lower((email COLLATE "C"))) WHERE (email IS NOT NULL);
create index recipients_by_phone ON recipients USING btree (tenant_id, "right"(phone, 8)) WHERE (phone IS NOT NULL);
comment on column recipients.locale is 'canonical BCP 47';
comment on column recipients.timezone is 'an IANA name; null: the zone of the tenant';
comment on column recipients.quiet_from is 'null: the quiet hours of the tenant';
comment on column recipients.named is 'false: the tenant does not name it, the user has only said something';
comment on column recipients.off_categories is 'in which something is off in preferences, * among them; kept by functions/off-categories.sql';
comment on column recipients.attributes is 'a JSON object that templates read as user; null: none';

create table reconciliations (
  hour timestamp with time zone not null,
  what text not null,
  count bigint not null,
  constraint reconciliations_pkey PRIMARY KEY (hour, what),
  constraint reconciliations_what_check CHECK ((what = ANY (ARRAY['events'::text, 'deliveries'::text])))
);

create table recovery_codes (
  person_id uuid not null,
  sha256 bytea not null,
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES person_totp(person_id) ON DELETE CASCADE,
  constraint recovery_codes_pkey PRIMARY KEY (person_id, sha256)
);

create table repeated_calls (
  caller text collate "C" not null,
  key text not null,
  request bytea not null,
  answer text,
  created_at timestamp with time zone not null default now(),
  constraint repeated_calls_pkey PRIMARY KEY (caller, key)
);
create index repeated_calls_by_age ON repeated_calls USING btree (created_at);
comment on column repeated_calls.caller is 'a tenant''s id, or that of a platform key';
comment on column repeated_calls.request is 'SHA-256 of method, address and body';
comment on column repeated_calls.answer is 'encrypted; null: the call is under way, or its process ended without an answer';

create table scheduled_events (
  event_id uuid not null,
  tenant_id text collate "C" not null,
  send_at timestamp with time zone not null,
  user_key bigint,
  trace_id text not null,
  acknowledged boolean not null default false,
  constraint scheduled_events_pkey PRIMARY KEY (event_id)
);
create index scheduled_events_due ON scheduled_events USING btree (send_at);
create index scheduled_events_of_tenant ON scheduled_events USING btree (tenant_id, send_at, event_id);
comment on column scheduled_events.acknowledged is 'as in undispatched_events, which it goes into';

create table search_key (
  id text not null,
  secret text not null,
  created_at timestamp with time zone not null default now(),
  constraint search_key_id_check CHECK ((id = 'search'::text)),
  constraint search_key_pkey PRIMARY KEY (id)
);
comment on column search_key.secret is 'compact JWE of 32 bytes in base64';

create table search_steps (
  table_name text not null,
  after_id uuid not null,
  until_id uuid not null,
  seen bigint not null,
  looks integer not null default 0,
  look_at timestamp with time zone not null,
  constraint search_steps_pkey PRIMARY KEY (table_name, after_id)
) with (fillfactor=70);
create index search_steps_due ON search_steps USING btree (look_at);
comment on column search_steps.seen is 'of the ids between, a hash that is another when a row is added';

create table search_terms (
  hash uuid not null,
  event_id uuid not null,
  constraint search_terms_pkey PRIMARY KEY (hash, event_id)
);
create index search_terms_of_event ON search_terms USING btree (event_id);
comment on column search_terms.hash is 'keyed: 8 bytes of the value, 8 of it and the tenant; see search-term-hash.ts';

create table search_users (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  hash uuid not null,
  constraint search_users_pkey PRIMARY KEY (tenant_id, user_id)
);
comment on column search_users.hash is 'of the user''s id, in search_terms';

create table search_waiting (
  delivery_id uuid not null,
  look_at timestamp with time zone not null,
  constraint search_waiting_pkey PRIMARY KEY (delivery_id)
);
create index search_waiting_due ON search_waiting USING btree (look_at);

create table search_walks (
  table_name text not null,
  next_id uuid not null,
  constraint search_walks_pkey PRIMARY KEY (table_name),
  constraint search_walks_table_name_check CHECK ((table_name = ANY (ARRAY['events'::text, 'deliveries'::text])))
) with (fillfactor=50);
comment on column search_walks.next_id is 'up to it, every row is in search_terms';

create table sensitive_events (
  event_id uuid not null,
  constraint sensitive_events_pkey PRIMARY KEY (event_id)
);

create table sessions (
  id uuid not null,
  person_id uuid not null,
  sha256 bytea not null,
  address text not null,
  user_agent text not null,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id) ON DELETE CASCADE,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_sha256_key UNIQUE (sha256)
);
create index sessions_by_end ON sessions USING btree (expires_at);
create index sessions_of_person ON sessions USING btree (person_id);

create table shown_once (
  id uuid not null,
  session_id uuid not null,
  content text not null,
  expires_at timestamp with time zone not null,
  constraint shown_once_pkey PRIMARY KEY (id),
  constraint shown_once_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
create index shown_once_by_end ON shown_once USING btree (expires_at);
create index shown_once_of_session ON shown_once USING btree (session_id);
comment on column shown_once.content is 'encrypted JSON, for minutes: it ends before keys are retired';

create table sign_in_tries (
  key bytea not null,
  count integer not null,
  ends_at timestamp with time zone not null,
  constraint sign_in_tries_pkey PRIMARY KEY (key)
);
create index sign_in_tries_by_end ON sign_in_tries USING btree (ends_at);
comment on column sign_in_tries.key is 'SHA-256 of what is counted: no address and no account stands here';

create table suppressions (
  tenant_id text collate "C" not null,
  channel text not null,
  address text collate "C" not null,
  reason text not null,
  source text,
  created_at timestamp with time zone not null default now(),
  constraint suppressions_address_check CHECK ((address = lower(address))),
  constraint suppressions_channel_check CHECK ((channel ~ '^[A-Z_]{2,16}$'::text)),
  constraint suppressions_pkey PRIMARY KEY (tenant_id, channel, address, reason),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['bounced'::text, 'complained'::text, 'opted out'::text, 'by hand'::text]))),
  constraint suppressions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
comment on column suppressions.address is 'as the events name it, its ASCII letters in lower case; or E.164';
comment on column suppressions.source is 'whose receipt it was, or who added it';

create table template_drafts (
  template_id uuid not null,
  locale text collate "C" not null default ''::text,
  content text not null,
  subject text,
  title text,
  format text,
  url text,
  actions jsonb,
  settings jsonb not null,
  based_on_version integer not null,
  source_version integer,
  revision integer not null generated always as identity,
  saved_by text,
  saved_at timestamp with time zone not null default now(),
  constraint template_drafts_format_check CHECK ((format = ANY (ARRAY['markdown'::text, 'mjml'::text, 'html'::text, 'text'::text]))),
  constraint template_drafts_pkey PRIMARY KEY (template_id, locale),
  constraint template_drafts_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON DELETE CASCADE
);
comment on column template_drafts.settings is 'what publishing it sets on the template';
comment on column template_drafts.based_on_version is 'of the variant, where it began; 0: none was published';
comment on column template_drafts.source_version is 'of a translation: the version of the default variant that it is made from';
comment on column template_drafts.revision is 'another with each save, and of no other draft';

create table template_variants (
  template_id uuid not null,
  locale text collate "C" not null default ''::text,
  current_version_id bigint not null,
  source_version integer,
  constraint template_variants_pkey PRIMARY KEY (template_id, locale),
  constraint template_variants_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON DELETE CASCADE
);
comment on column template_variants.locale is 'BCP 47, canonical; empty: the default variant';
comment on column template_variants.source_version is 'of a translation: the version of the default variant that it was made from';

create table template_versions (
  id bigint not null generated always as identity,
  template_id uuid not null,
  version integer not null,
  locale text collate "C" not null default ''::text,
  content text not null,
  subject text,
  title text,
  format text,
  url text,
  actions jsonb,
  compiled jsonb not null,
  created_at timestamp with time zone not null default now(),
  created_by text,
  constraint template_versions_format_check CHECK ((format = ANY (ARRAY['markdown'::text, 'mjml'::text, 'html'::text, 'text'::text]))),
  constraint template_versions_pkey PRIMARY KEY (id),
  constraint template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON DELETE CASCADE,
  constraint template_versions_template_id_version_key UNIQUE (template_id, version)
);
comment on column template_versions.locale is 'empty: the default variant';
comment on column template_versions.format is 'null: found out from the text';
comment on column template_versions.actions is '[{"label": text, "url": text}] of a push; null: none';

create table templates (
  id uuid not null,
  tenant_id text collate "C" not null,
  event_type text not null,
  channel text not null,
  active boolean not null default true,
  target_channel text,
  sensitive boolean not null default false,
  sensitive_until timestamp with time zone,
  at_most_once boolean not null default false,
  expires_after_seconds integer,
  sample_variables text,
  required_variables text[],
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  digest jsonb,
  throttle jsonb,
  after_unread_seconds integer,
  plain_characters boolean not null default false,
  from_name text,
  reply_to text,
  cc text[],
  bcc text[],
  image text,
  data jsonb,
  collapse_key text,
  reads_user boolean not null default false,
  constraint templates_after_unread_seconds_check CHECK ((after_unread_seconds > 0)),
  constraint templates_channel_check CHECK ((channel ~ '^[A-Z_]{2,16}$'::text)),
  constraint templates_check CHECK (((tenant_id = 'platform'::text) = starts_with(event_type, 'global.'::text))),
  constraint templates_expires_after_seconds_check CHECK ((expires_after_seconds > 0)),
  constraint templates_pkey PRIMARY KEY (id),
  constraint templates_target_channel_check CHECK ((target_channel ~ '^[A-Za-z0-9_.:-]{1,64}$'::text)),
  constraint templates_tenant_id_event_type_channel_key UNIQUE (tenant_id, event_type, channel)
);
comment on column templates.sensitive_until is 'what was accepted by then stays hidden: it was sensitive; null: it never was, or still is';
comment on column templates.sample_variables is 'JSON text, for previews';
comment on column templates.required_variables is 'without one of them nothing is sent on the channel; null: none';
comment on column templates.digest is '{"windowSeconds": n} or {"at": "HH:MM", "days": [1..7]}, with key, sliding, maxSeconds, leading; null: each event is sent by itself';
comment on column templates.throttle is '{"count": n, "seconds": n}: so many a user in any such time; null: no bound';
comment on column templates.after_unread_seconds is 'sent after that time, unless it was read in the inbox; null: at once';
comment on column templates.plain_characters is 'of short messages: curly quotes, dashes and the like are sent as the plain characters of GSM-7';
comment on column templates.from_name is 'like reply_to, cc and bcc: what its mails say, unless the trigger does; in the template language';
comment on column templates.reply_to is 'in the template language';
comment on column templates.image is 'of a device push, like data and collapse_key: in the template language';
comment on column templates.reads_user is 'a published text or a setting reads user, or has read it';

create table tenant_deletions (
  tenant_id text collate "C" not null,
  name text not null,
  person_id uuid,
  person text not null,
  address text not null,
  requested_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  deleted jsonb not null,
  constraint tenant_deletions_pkey PRIMARY KEY (tenant_id)
);
create index tenant_deletions_by_end ON tenant_deletions USING btree (ended_at);
create index tenant_deletions_open ON tenant_deletions USING btree (due_at) WHERE (ended_at IS NULL);
comment on column tenant_deletions.person is 'who asked for it, as the audit log is to name it; address: from where';
comment on column tenant_deletions.due_at is 'when it is begun, or begun again where its process has died';
comment on column tenant_deletions.deleted is 'rows so far, by kind';

create table tenant_limits (
  tenant_id text collate "C" not null,
  ring integer[] not null default array_fill(0, ARRAY[61]),
  ring_second bigint not null default 0,
  ring_total integer not null default 0,
  day date not null default '-infinity'::date,
  day_total integer not null default 0,
  constraint tenant_limits_pkey PRIMARY KEY (tenant_id),
  constraint tenant_limits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
) with (fillfactor=40);
comment on column tenant_limits.ring is 'admitted requests of the last 61 seconds; second s is at s % 61 + 1';

create table tenants (
  id text collate "C" not null,
  name text not null,
  active boolean not null default true,
  per_minute integer not null,
  daily_cap integer,
  delivery_channels text[] not null default '{}'::text[],
  dedup_includes_variables boolean not null default false,
  webhook_secret text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  event_retention_days integer,
  notification_retention_days integer,
  previous_webhook_secret text,
  previous_webhook_secret_until timestamp with time zone,
  default_locale text not null default 'en'::text,
  timezone text,
  quiet_from time without time zone,
  quiet_to time without time zone,
  uses_recipients boolean not null default false,
  uses_preferences boolean not null default false,
  uses_webhooks boolean not null default false,
  preferences_changed_at timestamp with time zone,
  link_schemes text[] not null default '{}'::text[],
  family text,
  environment text,
  promotes_from text,
  locked boolean not null default false,
  allow_executables boolean not null default false,
  max_attachment_mib integer not null default 5120,
  uses_devices boolean not null default false,
  browser_devices boolean not null default false,
  constraint tenants_check CHECK (((previous_webhook_secret IS NULL) = (previous_webhook_secret_until IS NULL))),
  constraint tenants_check1 CHECK (((quiet_from IS NULL) = (quiet_to IS NULL))),
  constraint tenants_check2 CHECK ((quiet_from <> quiet_to)),
  constraint tenants_daily_cap_check CHECK ((daily_cap >= 0)),
  constraint tenants_event_retention_days_check CHECK (((event_retention_days >= 1) AND (event_retention_days <= 3650))),
  constraint tenants_id_check CHECK (((id ~ '^[a-z0-9]{1,32}$'::text) AND (id <> 'platform'::text))),
  constraint tenants_max_attachment_mib_check CHECK (((max_attachment_mib >= 0) AND (max_attachment_mib <= 1048576))),
  constraint tenants_notification_retention_days_check CHECK (((notification_retention_days >= 1) AND (notification_retention_days <= 3650))),
  constraint tenants_per_minute_check CHECK ((per_minute >= 0)),
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_promotes_from_fkey FOREIGN KEY (promotes_from) REFERENCES tenants(id) ON DELETE SET NULL
);
comment on column tenants.webhook_secret is 'compact JWE';
comment on column tenants.event_retention_days is 'null: that of configuration_version';
comment on column tenants.notification_retention_days is 'null: that of configuration_version';
comment on column tenants.previous_webhook_secret is 'compact JWE; taken until its time: machines change one by one';
comment on column tenants.default_locale is 'of the templates'' default variants: how they write dates, numbers and money';
comment on column tenants.timezone is 'IANA name; null: UTC';
comment on column tenants.quiet_from is 'of users without quiet hours of their own; null: none';
comment on column tenants.uses_recipients is 'set with the first row of recipients, never unset: without it nobody looks there';
comment on column tenants.uses_preferences is 'the same of categories and preferences';
comment on column tenants.uses_webhooks is 'the same of webhooks';
comment on column tenants.preferences_changed_at is 'to within a second; null: never. By it a claim knows that a young event may have been turned off since its dispatch';
comment on column tenants.link_schemes is 'schemes that links of its mails may have besides those of everybody';
comment on column tenants.family is 'what the tenants that are environments of one product have in common';
comment on column tenants.environment is 'which of the family it is, as staging';
comment on column tenants.promotes_from is 'the tenant whose templates are promoted into it';
comment on column tenants.locked is 'what a bundle holds is changed by a promotion or a bundle alone';
comment on column tenants.allow_executables is 'programs may be uploaded as attachments';
comment on column tenants.max_attachment_mib is 'what its attachments may take together, in MiB';
comment on column tenants.uses_devices is 'a user has, or had, a device';
comment on column tenants.browser_devices is 'whether browsers may register themselves, with a realtime token';

create table throttles (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  event_type text collate "C" not null,
  channel text not null,
  times timestamp with time zone[] not null,
  ends_at timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (tenant_id, user_id, event_type, channel)
) with (fillfactor=70);
create index throttles_by_end ON throttles USING btree (ends_at);
comment on column throttles.ends_at is 'nothing of it counts any more';

create table topic_members (
  tenant_id text collate "C" not null,
  topic text collate "C" not null,
  user_id text collate "C" not null,
  constraint topic_members_pkey PRIMARY KEY (tenant_id, topic, user_id)
);
create index topic_members_of_user ON topic_members USING btree (tenant_id, user_id);

create table topics (
  tenant_id text collate "C" not null,
  key text collate "C" not null,
  members bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint topics_key_check CHECK ((key ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'::text)),
  constraint topics_members_check CHECK ((members >= 0)),
  constraint topics_pkey PRIMARY KEY (tenant_id, key),
  constraint topics_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
create index topics_deleted ON topics USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
comment on column topics.deleted_at is 'the topic is gone for everybody; the dispatcher deletes its members, then this row';

create table undispatched_events (
  event_id uuid not null,
  published_at timestamp with time zone not null,
  acknowledged boolean not null default false,
  user_key bigint,
  accepted_at timestamp with time zone,
  constraint undispatched_events_pkey PRIMARY KEY (event_id)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
create index undispatched_events_of_user ON undispatched_events USING btree (user_key, accepted_at);
comment on column undispatched_events.acknowledged is 'a replay published it again and was answered 200: it can no longer be refused';
comment on column undispatched_events.user_key is 'user_key(tenant, user); null: takes no part in the order';

create table unlinked_attachments (
  tenant_id text collate "C" not null,
  attachment_id uuid not null
);
create index unlinked_attachments_of_tenant ON unlinked_attachments USING btree (tenant_id);
comment on table unlinked_attachments is 'files that lost an event: those that no event names are marked, then deleted';

create table webhook_messages (
  id uuid not null,
  webhook_id uuid not null,
  tenant_id text collate "C" not null,
  type text not null,
  event_id uuid,
  user_id text collate "C",
  payload text not null,
  resend_of uuid,
  created_at timestamp with time zone not null default now(),
  constraint webhook_messages_pkey PRIMARY KEY (id)
);
create index webhook_messages_again ON webhook_messages USING btree (resend_of) WHERE (resend_of IS NOT NULL);
create index webhook_messages_of_user ON webhook_messages USING btree (tenant_id, user_id);
create index webhook_messages_of_webhook ON webhook_messages USING btree (tenant_id, webhook_id, id);
comment on column webhook_messages.id is 'the webhook-id, unless resend_of is';
comment on column webhook_messages.event_id is 'of an event or a digest that it tells of, and may outlive; null: of none';
comment on column webhook_messages.user_id is 'whom it tells of: an erasure finds it by this; null: nobody, a person tests the endpoint';
comment on column webhook_messages.payload is 'the JSON that is posted: ids, no content and no address';
comment on column webhook_messages.resend_of is 'the message that a person has sent again with this one';

create table webhooks (
  id uuid not null,
  tenant_id text collate "C" not null,
  url text not null,
  types text[] not null default '{}'::text[],
  description text,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  active boolean not null default true,
  disabled_at timestamp with time zone,
  disabled_reason text,
  failing_since timestamp with time zone,
  failures integer not null default 0,
  paused_until timestamp with time zone,
  probing boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint webhooks_check CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  constraint webhooks_check1 CHECK ((active OR (disabled_at IS NOT NULL))),
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint webhooks_tenant_id_url_key UNIQUE (tenant_id, url),
  constraint webhooks_url_check CHECK ((length(url) <= 2048))
) with (fillfactor=70);
comment on column webhooks.types is 'empty: all';
comment on column webhooks.secret is 'compact JWE of whsec_…';
comment on column webhooks.previous_secret is 'compact JWE of the one before; signs beside the new one until its time';
comment on column webhooks.disabled_reason is 'null, with a time: a person did it';
comment on column webhooks.failing_since is 'nothing has reached it since; null: the last try did';
comment on column webhooks.failures is 'in a row, without those of calls that had begun before a pause';
comment on column webhooks.paused_until is 'not called until then, and then once; null: called';
comment on column webhooks.probing is 'this once is under way: the pause goes on for the length of a lease';
