-- One row per file of a source that could not be read when it was last tried.
select file_name, size, modified_ns, detail
from internal.dataset_unreadable
where source = $source
order by file_name;
