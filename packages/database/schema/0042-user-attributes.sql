alter table recipients add column attributes text;
comment on column recipients.attributes is 'a JSON object that templates read as user; null: none';

alter table templates add column reads_user boolean not null default false;
comment on column templates.reads_user is 'a published text or a setting reads user, or has read it';
update templates t set reads_user = true
where concat_ws(' ', t.required_variables, t.from_name, t.reply_to, t.image, t.data, t.collapse_key) ~ '\muser\M'
  or exists (
    select from template_variants l join template_versions v on v.id = l.current_version_id
    where l.template_id = t.id
      and jsonb_path_exists(v.compiled, '$.variables[*] ? (@ == "user" || @ starts with "user.")'));
