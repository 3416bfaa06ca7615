-- When users of a tenant last changed a preference: claims compare it with the age of their event.
alter table tenants add column preferences_changed_at timestamptz;
comment on column tenants.preferences_changed_at is 'to within a second; null: never. By it a claim knows that a young event may have been turned off since its dispatch';
