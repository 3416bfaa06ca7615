-- A bound on what a tenant's attachments take, those of events included. Triggers count the bytes, whoever deletes a file.
-- Not a column of tenant_limits: a deletion would hold the row that accepting locks.
alter table tenants add column max_attachment_mib integer not null default 5120 check (max_attachment_mib between 0 and 1048576);
comment on column tenants.max_attachment_mib is 'what its attachments may take together, in MiB';

create table attachment_sums (
  tenant_id text collate "C" primary key references tenants on delete cascade,
  bytes bigint not null
);
comment on column attachment_sums.bytes is 'of all attachments of the tenant; of one that is being uploaded: at most';

create function count_attachment() returns trigger language plpgsql as $function$
begin
  insert into attachment_sums (tenant_id, bytes) values (new.tenant_id, new.bytes - coalesce(old.bytes, 0))
  on conflict (tenant_id) do update set bytes = attachment_sums.bytes + new.bytes - coalesce(old.bytes, 0);
  return null;
end
$function$;
create function discount_attachments() returns trigger language plpgsql as $function$
declare
  owner record;
begin
  -- In the order of tenants, so that two deletions cannot deadlock.
  for owner in select g.tenant_id, sum(g.bytes) as bytes from gone g group by g.tenant_id order by g.tenant_id loop
    update attachment_sums s set bytes = s.bytes - owner.bytes where s.tenant_id = owner.tenant_id;
  end loop;
  return null;
end
$function$;
create trigger attachments_count after insert or update of bytes on attachments
  for each row execute function count_attachment();
create trigger attachments_discount after delete on attachments referencing old table as gone
  for each statement execute function discount_attachments();
-- The triggers hold back other writers until this is committed.
insert into attachment_sums (tenant_id, bytes) select a.tenant_id, sum(a.bytes) from attachments a group by a.tenant_id;
