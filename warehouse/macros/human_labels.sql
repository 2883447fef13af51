-- One row per rating pattern of a question and label that human raters give there: how many of them do.
create or replace macro internal.human_labels(question) as table
select
    r.pattern_id, r.label_id, count(*) as n_raters, sum(count(*)) over (partition by r.pattern_id)::bigint as n_ratings
from internal.questions as q
inner join internal.patterns as p on q.question_id = p.question_id
inner join internal.pattern_ratings as r on p.pattern_id = r.pattern_id
left join internal.declared_kinds as d on q.question_id = d.question_id and r.rater_id = d.rater_id
where q.question = question and coalesce(d.rater_kind, r.rater_kind) = 'human'
group by r.pattern_id, r.label_id;

comment on macro table internal.human_labels is
    'Private. One row per pattern and label: human raters who give it (n_raters), of all of the pattern (n_ratings).';
