alter table alert_mails add column ended_at timestamptz;
comment on column alert_mails.ended_at is
  'when the person was told that the trouble has ended; null: it goes on, or an email about its end is due';

-- Nobody is told of an end that was before this version.
update alert_mails s set ended_at = s.sent_at
where not exists (select from alerts a where a.tenant_id = s.tenant_id and a.kind = s.kind);
