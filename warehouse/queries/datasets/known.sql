-- One row per dataset with this source: the hash of the settings that it was counted with.
select settings_hash
from internal.datasets
where source = $source;
