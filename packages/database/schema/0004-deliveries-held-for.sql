alter table deliveries add column held_for uuid;
comment on column deliveries.held_for is
  'of a status webhook at rest: the endpoint whose pause it waits out, in place of due_at; null: it rests until due_at';
