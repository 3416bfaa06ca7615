-- Makes the platform's template of alerts in chats, compiled already, if there is none. Its event type is not that of
-- the mails, and it is made only once somebody has chosen a chat: earlier versions cannot show or read it.
create or replace function make_alert_chat_template() returns void language sql as $function$
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
  ),
  variants as (
    insert into template_variants (template_id, locale, current_version_id, source_version)
    select template_id, locale, id, case when locale <> '' then 1 end from versions
    returning template_id
  )
  -- Services that run already read the templates anew.
  update configuration_version set version = version + 1 where exists (select from variants)
$function$;
