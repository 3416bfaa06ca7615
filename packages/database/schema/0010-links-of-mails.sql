alter table deliveries add column warnings text[];
comment on column deliveries.warnings is 'what its message lacks besides variables, in words: links that lead nowhere';

alter table tenants add column link_schemes text[] not null default '{}';
comment on column tenants.link_schemes is 'schemes that links of its mails may have besides those of everybody';
