-- Outside a transaction, a statement a paragraph.

alter table api_keys
  drop constraint if exists api_keys_role_check,
  add constraint api_keys_role_check check (role in ('all', 'trigger', 'read', 'manage', 'provision')) not valid;

alter table api_keys validate constraint api_keys_role_check;
