-- Files whose events are deleted one by one: a deletion only notes them here, because whoever locks a file for long makes
-- events that name it wait. No unique key: two deletions that note the same file do not wait for each other.
create table unlinked_attachments (
  tenant_id text collate "C" not null,
  attachment_id uuid not null
);
comment on table unlinked_attachments is 'files that lost an event: those that no event names are marked, then deleted';
-- The place of an ended broadcast may name a user who was erased since.
update broadcasts set reached = '' where ended_at is not null and reached <> '';

create index unlinked_attachments_of_tenant on unlinked_attachments (tenant_id);
