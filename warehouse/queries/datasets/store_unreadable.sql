-- Replace the unreadable files of a source by those in `incoming_unreadable`.
delete from internal.dataset_unreadable
where source = $source;

insert into internal.dataset_unreadable
select $source, file_name, size, modified_ns, detail
from incoming_unreadable;
