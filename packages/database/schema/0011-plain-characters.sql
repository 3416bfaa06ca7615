alter table templates add column plain_characters boolean not null default false;
comment on column templates.plain_characters is
  'of short messages: curly quotes, dashes and the like are sent as the plain characters of GSM-7';

comment on column events.outcome is '{"skipped": {CHANNEL: reason}, "failed": {CHANNEL: reason}, "missing": {CHANNEL: [name]}, "warnings": {CHANNEL: [words]}, "linksLeftOut": {CHANNEL: [words]}, "waits": {CHANNEL: reason}}';
