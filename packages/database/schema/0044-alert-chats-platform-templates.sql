-- Alerts in chats: who chose which address, what was told there, and the platform's templates for it, compiled already.
-- The event type is not that of the mails: dispatchers of earlier versions cannot read a template of a chat.
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

with given as (
  select * from jsonb_to_recordset($json$[
    {"locale":"","content":"**{{ tenant }}: {{ title }}**\n\n{{ message }}\n\n[Open in Belfry]({{ link }})\n","compiled":{"kind":"chat","markup":"<p><strong>{{tenant}}: {{title}}</strong></p><p>{{message}}</p><button href=\"{{link}}\">Open in Belfry</button>","variables":["tenant","title","message","link"]}},
    {"locale":"de","content":"**{{ tenant }}: {{ title }}**\n\n{{ message }}\n\n[In Belfry öffnen]({{ link }})\n","compiled":{"kind":"chat","markup":"<p><strong>{{tenant}}: {{title}}</strong></p><p>{{message}}</p><button href=\"{{link}}\">In Belfry öffnen</button>","variables":["tenant","title","message","link"],"locale":"de"}},
    {"locale":"fr","content":"**{{ tenant }} : {{ title }}**\n\n{{ message }}\n\n[Ouvrir dans Belfry]({{ link }})\n","compiled":{"kind":"chat","markup":"<p><strong>{{tenant}} : {{title}}</strong></p><p>{{message}}</p><button href=\"{{link}}\">Ouvrir dans Belfry</button>","variables":["tenant","title","message","link"],"locale":"fr"}}
  ]$json$) as given (locale text, content text, compiled jsonb)
),
made as (
  insert into templates (id, tenant_id, event_type, channel)
  values (gen_random_uuid(), 'platform', 'global.belfry-alert-chat', 'CHAT')
  on conflict (tenant_id, event_type, channel) do nothing
  returning id
),
versions as (
  insert into template_versions (template_id, version, locale, content, compiled)
  select made.id, row_number() over (order by given.locale), given.locale, given.content, given.compiled
  from made, given
  returning id, template_id, locale
)
insert into template_variants (template_id, locale, current_version_id, source_version)
select template_id, locale, id, case when locale <> '' then 1 end from versions;

-- Services that run already read the templates anew.
update configuration_version set version = version + 1;
