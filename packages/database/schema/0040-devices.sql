-- Devices of users: browsers, phones. A token belongs to one device of a tenant: who registers it next has it.
create table devices (
  id uuid primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  user_id text collate "C" not null,
  device_id text collate "C" not null,
  kind text not null check (kind in ('webpush', 'fcm', 'apns')),
  token text not null,
  token_hash text collate "C" not null,
  name text,
  registered_at timestamptz not null default now(),
  seen_at timestamptz,
  unique (tenant_id, user_id, device_id),
  unique (tenant_id, token_hash)
);
comment on column devices.device_id is 'chosen by the tenant, unique among the devices of a user';
comment on column devices.token is 'compact JWE of the target as JSON, owner device:<tenant>:<id>';
comment on column devices.token_hash is 'SHA-256 of the endpoint or token, base64url';
comment on column devices.registered_at is 'when it was last registered';
comment on column devices.seen_at is 'when it last accepted a message, to the day; null: never';

-- The result of a delivery for each device. A row stays when its device is deleted.
create table device_sends (
  delivery_id uuid not null,
  device_id text collate "C" not null,
  kind text not null,
  provider_id uuid,
  state text not null default 'waiting'
    check (state in ('waiting', 'sending', 'accepted', 'failed', 'gone', 'skipped', 'unknown')),
  reason text,
  vendor_status text,
  tried_at timestamptz,
  primary key (delivery_id, device_id)
);

alter table tenants add column uses_devices boolean not null default false;
comment on column tenants.uses_devices is 'a user has, or had, a device';
alter table templates add column image text, add column data jsonb, add column collapse_key text;
comment on column templates.image is 'of a device push, like data and collapse_key: in the template language';
