alter table tenants
  add column family text,
  add column environment text,
  add column promotes_from text references tenants (id) on delete set null,
  add column locked boolean not null default false;
comment on column tenants.family is 'what the tenants that are environments of one product have in common';
comment on column tenants.environment is 'which of the family it is, as staging';
comment on column tenants.promotes_from is 'the tenant whose templates are promoted into it';
comment on column tenants.locked is 'what a bundle holds is changed by a promotion or a bundle alone';
