-- The questions that have items about whose label there is doubt.
select distinct q.question
from internal.pattern_consensus as c
inner join internal.questions as q using (question_id)
where
    c.entropy > 0 and coalesce(c.probability, 0) < 0.95
    and c.pattern_id in (select pattern_id from internal.pattern_counts where n_items > 0)
order by q.question;
