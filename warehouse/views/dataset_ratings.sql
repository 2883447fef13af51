-- One row per question of a dataset, day, rater, kind and label: how many ratings in force.
-- Of a dataset the warehouse keeps counts, and no ratings: `current_ratings` has none of them.
create or replace view dataset_ratings as
select
    q.question, c.day, a.rater, coalesce(k.rater_kind, r.rater_kind)::varchar as rater_kind, l.label,
    sum(c.n_items)::bigint as n_ratings
from internal.dataset_questions as d
inner join internal.questions as q using (question_id)
inner join internal.pattern_counts as c using (question_id)
inner join internal.pattern_ratings as r using (pattern_id)
inner join internal.raters as a using (rater_id)
inner join internal.labels as l using (label_id)
left join internal.declared_kinds as k on d.question_id = k.question_id and r.rater_id = k.rater_id
group by all
order by q.question, c.day, a.rater, l.label;

comment on view dataset_ratings is
    'One row per question of a dataset, day, rater, kind and label: how many ratings in force.';
comment on column dataset_ratings.day is
    'Day of the latest human rating of the items, in the project''s time zone. Null where they have none.';
comment on column dataset_ratings.rater is 'The rater.';
comment on column dataset_ratings.label is 'The label.';
comment on column dataset_ratings.rater_kind is 'human, system or gold.';
comment on column dataset_ratings.n_ratings is 'Ratings in force.';
