-- The time zone in which days are counted.
select timezone
from internal.project_time;
