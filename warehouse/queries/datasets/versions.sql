-- One row per count of a Delta table: the version, and when its counts were stored.
select version, counted_at
from internal.dataset_versions
where source = $source
order by counted_at;
