alter table broadcasts add column request bytea;
comment on column broadcasts.request is
  'SHA-256 of what was asked: another request with the same key is refused; null: stored before this column existed';
