-- One row per question and rater of whom the last run screened pairs of raters for copying.
create or replace view rater_screens as
with sides as (
    select question, violated, rater, other
    from latest_assumption_checks
    where name = 'alike' and rater is not null
    union all
    select question, violated, other, rater
    from latest_assumption_checks
    where name = 'alike' and other is not null
)

select
    question, rater, bool_or(coalesce(violated, false)) as is_alike,
    string_agg(distinct other, ', ' order by other) filter (where violated) as alike_to
from sides
group by question, rater
order by question, rater;

comment on view rater_screens is 'One row per question and rater in the screen for copying.';
comment on column rater_screens.rater is 'The rater.';
comment on column rater_screens.is_alike is
    'Whether the screen for copying found the ratings of the rater too close to those of another rater.';
comment on column rater_screens.alike_to is 'These others.';
