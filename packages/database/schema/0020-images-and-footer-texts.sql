-- Pictures of tenants' mails and designs. Whoever knows an id may read the picture, as readers of mails do.
create table images (
  id text collate "C" primary key,
  tenant_id text collate "C" not null references tenants on delete cascade,
  name text not null,
  type text not null,
  bytes integer not null,
  width integer not null,
  height integer not null,
  sha256 bytea not null,
  data bytea not null,
  created_at timestamptz not null default now(),
  check (bytes = length(data)),
  unique (tenant_id, sha256)
);
-- Pictures are compressed already.
alter table images alter column data set storage external;
comment on column images.sha256 is 'of data: the same picture is stored once in a tenant';

alter table layouts add column footer_texts jsonb;
comment on column layouts.footer_texts is 'by language, in place of footer_text; null: none';
