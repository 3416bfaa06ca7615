-- Outside a transaction, a statement a paragraph.

-- Two more results of an attempt: `policy` and `deferred`. Old rows have neither.
alter table attempts drop constraint if exists attempts_class_check;

alter table attempts add constraint attempts_class_check check (class in ('accepted', 'permanent', 'policy', 'credentials', 'throttled', 'deferred', 'transient', 'ambiguous')) not valid;

alter table attempts validate constraint attempts_class_check;
