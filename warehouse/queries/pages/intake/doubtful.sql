-- The questions that have items about whose label there is doubt. Items of datasets are not stored, and those with gold
-- are decided.
with gold_patterns as (
    select r.pattern_id
    from internal.pattern_ratings as r
    inner join internal.patterns as p using (pattern_id)
    left join internal.declared_kinds as d on p.question_id = d.question_id and r.rater_id = d.rater_id
    where coalesce(d.rater_kind, r.rater_kind) = 'gold'
)

select distinct q.question
from internal.pattern_consensus as c
inner join internal.questions as q using (question_id)
where
    c.entropy > 0 and coalesce(c.probability, 0) < 0.95
    and c.pattern_id in (select pattern_id from internal.pattern_counts where n_items > 0)
    and c.pattern_id not in (select pattern_id from gold_patterns)
    and c.question_id not in (select question_id from internal.dataset_questions)
order by q.question;
