-- The words of reasons by code: a copy of REASONS in contracts/reasons.ts, updated by `migrate`.
create table reason_words (
  code text primary key,
  words text not null
);
