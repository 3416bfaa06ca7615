alter table deliveries add column warnings text[];
comment on column deliveries.warnings is 'what its message lacks besides variables, in words: links that lead nowhere';
