alter table imports add column ignored_columns jsonb not null default '[]';
comment on column imports.ignored_columns is
  'columns of the file that are not read, each {column, suggestion}: the first ones';
