alter table events add column envelope jsonb;
comment on column events.envelope is 'of its mail, as the trigger said: {"fromName", "replyTo", "cc": [address], "bcc": [address]}; null: nothing';
alter table templates add column envelope jsonb;
comment on column templates.envelope is 'of EMAIL: the same, unless the trigger says otherwise; fromName and replyTo in the template language';
alter table receipts add column address text;
comment on column receipts.address is 'of whom the vendor tells, where it is not the recipient: somebody in cc or bcc';
