-- The questions with an open alert of a rule, or with one that a person closed and whose condition has not ended.
select distinct question
from alerts
where
    not list_contains($chart_kinds, kind)
    and (
        closed_at is null
        or (
            recovered_at is null and (closed_by is not null or coalesce(closed_because, 'closed') not in ('recovered', 'no figure', 'no limit'))
        )
    )
order by question;
