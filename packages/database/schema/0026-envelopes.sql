alter table events add column envelope jsonb;
comment on column events.envelope is 'of its mail, as the trigger said: {"fromName", "replyTo", "cc": [address], "bcc": [address]}; null: nothing';
alter table templates add column from_name text, add column reply_to text, add column cc text[], add column bcc text[];
comment on column templates.from_name is 'like reply_to, cc and bcc: what its mails say, unless the trigger does; in the template language';
comment on column templates.reply_to is 'in the template language';
alter table receipts add column address text;
comment on column receipts.address is 'of whom the vendor tells, where it is not the recipient: somebody in cc or bcc';
