-- The words of reasons by their codes: a copy of REASONS of contracts/reasons.ts, brought up to date by `migrate`.
create table reason_words (
  code text primary key,
  words text not null
);
