-- Keys for programs that run the installation, in addition to the people who do.
create table platform_keys (
  id uuid primary key,
  sha256 bytea not null unique,
  prefix text not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
