-- Erasures take turns by tenant: one look-up in this index finds the next tenant and its oldest erasure.
create index erasures_in_turn on erasures (tenant_id, due_at) where state <> 'done';
