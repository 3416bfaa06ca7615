-- Browsers that register themselves, with a realtime token instead of an API key.
alter table tenants add column browser_devices boolean not null default false;
comment on column tenants.browser_devices is 'whether browsers may register themselves, with a realtime token';
alter table devices add column ends_at timestamptz;
comment on column devices.ends_at is 'when it is deleted unless its browser registers it again; null: never';
create index devices_ends_at on devices (ends_at) where ends_at is not null;
-- With the tenant first, plans that were made while the table was empty read all devices of the tenant.
alter table devices drop constraint devices_tenant_id_token_hash_key, add unique (token_hash, tenant_id);
