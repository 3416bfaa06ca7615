-- Erasures go on tenant by tenant: the next tenant, and its oldest erasure, are one look each into this index.
create index erasures_in_turn on erasures (tenant_id, due_at) where state <> 'done';
