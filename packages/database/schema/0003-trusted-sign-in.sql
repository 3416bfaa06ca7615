-- A tenant's owner sees the links that the owner makes, and could open them before the person does. Rows from before
-- this was recorded count as made by an owner.
alter table people add column sign_in_trusted boolean not null default false;
comment on column people.sign_in_trusted is 'an operator, the command line or the provider of OpenID Connect gave the person the way in; false: a tenant''s owner may have, and knows it';

alter table invitations add column by_operator boolean not null default false;
comment on column invitations.by_operator is 'an operator or the command line made the link; false: a tenant''s owner';
