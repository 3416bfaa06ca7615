-- Addresses in chats, of an event and of a user in the directory.
alter table events add column recipient_chat text;
alter table recipients add column chat text;
