-- When the last good run of one of $kinds on all questions began, in seconds since 1970; null if there was none.
select epoch(max(started_at))
from runs
where question is null and status = 'succeeded' and list_contains($kinds, kind);
