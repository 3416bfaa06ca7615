-- Answers of calls with an Idempotency-Key, kept for a day: repeating the call changes nothing.
create table repeated_calls (
  caller text collate "C" not null,
  key text not null,
  request bytea not null,
  answer text,
  created_at timestamptz not null default now(),
  primary key (caller, key)
);
create index repeated_calls_by_age on repeated_calls (created_at);
comment on column repeated_calls.caller is 'a tenant''s id, or that of a platform key';
comment on column repeated_calls.request is 'SHA-256 of method, address and body';
comment on column repeated_calls.answer is 'encrypted; null: the call is under way, or its process ended without an answer';
