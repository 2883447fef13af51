-- One row per question of a dataset, day, and numbers of annotators and of human ratings: how many items have so many.
-- Further readings ('ann #2', see the rule `repeats`) are of their annotator.
create or replace view dataset_items as
with counted as (
    select d.question_id, c.day, c.pattern_id, c.n_items
    from internal.dataset_questions as d inner join internal.pattern_counts as c using (question_id)
),

human_ratings as (
    select p.question_id, r.pattern_id, r.rater_id
    from (select distinct question_id, pattern_id from counted) as p
    inner join internal.pattern_ratings as r using (pattern_id)
    left join internal.declared_kinds as k on p.question_id = k.question_id and r.rater_id = k.rater_id
    where coalesce(k.rater_kind, r.rater_kind) = 'human'
),

names as (
    select h.question_id, h.rater_id, a.rater, regexp_extract(a.rater, '(?s)^(.+) #[0-9]+$', 1) as annotator
    from (select distinct question_id, rater_id from human_ratings) as h
    inner join internal.raters as a using (rater_id)
),

annotators as (
    select n.question_id, n.rater_id, coalesce(a.rater_id, n.rater_id) as annotator_id
    from names as n left join names as a on n.question_id = a.question_id and n.annotator = a.rater
),

patterns as (
    select h.question_id, h.pattern_id, count(distinct a.annotator_id) as n_annotators, count(*) as n_ratings
    from human_ratings as h inner join annotators as a using (question_id, rater_id)
    group by h.question_id, h.pattern_id
)

select
    q.question, c.day, coalesce(p.n_annotators, 0) as n_annotators, coalesce(p.n_ratings, 0) as n_ratings,
    sum(c.n_items)::bigint as n_items
from counted as c
inner join internal.questions as q using (question_id)
left join patterns as p using (question_id, pattern_id)
group by all
order by q.question, c.day, n_annotators, n_ratings;

comment on view dataset_items is
    'One row per question of a dataset, day, and numbers of annotators and of human ratings: how many items have so many.';
comment on column dataset_items.day is
    'Day of the latest human rating of the items, in the project''s time zone. Null where they have none.';
comment on column dataset_items.n_annotators is 'Annotators who rated each of these items.';
comment on column dataset_items.n_ratings is 'Human ratings in force of each of these items.';
comment on column dataset_items.n_items is 'Items that have so many.';
