-- Alerts in chats: who chose which address, and what was told there.
alter table alert_choices add column chat text;
comment on column alert_choices.chat is 'the chat address that is told as well; null: none';

alter table alert_mails add column event_id uuid;
comment on column alert_mails.event_id is 'the event that told it; null: one of an earlier version';

create table alert_chats (
  reader text collate "C" not null,
  tenant_id text collate "C" not null references tenants on delete cascade,
  kind text not null,
  sent_at timestamptz not null,
  ended_at timestamptz,
  event_id uuid,
  sender_id text collate "C" not null generated always as (split_part(reader, ' ', 1)) stored references tenants on delete cascade,
  primary key (reader, tenant_id, kind)
);
create index alert_chats_of_tenant on alert_chats (tenant_id);
create index alert_chats_of_sender on alert_chats (sender_id);
comment on table alert_chats is 'as alert_mails: the last message of a kind to a chat address about a tenant';
comment on column alert_chats.reader is 'the tenant whose providers reach the address, a blank, and the address';
