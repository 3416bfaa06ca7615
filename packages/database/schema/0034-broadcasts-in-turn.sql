-- Broadcasts take turns: see "Pace" in docs/broadcasts.md.
create index broadcasts_open on broadcasts (tenant_id) where ended_at is null;

create table provider_broadcasts (
  provider_id uuid primary key references providers (id) on delete cascade,
  turn_of uuid,
  outstanding uuid[] not null default '{}',
  taken double precision not null default 0,
  looked_at timestamptz not null,
  taken_at timestamptz
) with (fillfactor = 50);
comment on column provider_broadcasts.turn_of is 'the broadcast of which a delivery left last: the next one has its turn';
comment on column provider_broadcasts.outstanding is 'deliveries of broadcasts that left and had not ended at the last look';
comment on column provider_broadcasts.taken is 'calls a second that ended a delivery: each counts less the older it is';
comment on column provider_broadcasts.taken_at is 'when a look last found a delivery that a call had ended';
