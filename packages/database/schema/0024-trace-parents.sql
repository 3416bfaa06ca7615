alter table events add column trace_parent text;
comment on column events.trace_parent is 'W3C trace context (traceparent) that its spans belong to; null: not sampled';
