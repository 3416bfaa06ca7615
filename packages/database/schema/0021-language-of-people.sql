alter table people add column language text check (language ~ '^[a-z]{2}$');
comment on column people.language is 'of the Admin UI; null: as the browser asks';
