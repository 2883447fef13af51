-- One row per rating pattern of a question that has ratings of both raters: what each of them says there.
create or replace macro internal.pair_patterns(question, rater_a, rater_b) as table
select a.pattern_id, la.label as label_a, lb.label as label_b
from internal.questions as q
inner join internal.patterns as p on q.question_id = p.question_id
inner join internal.pattern_ratings as a on p.pattern_id = a.pattern_id
inner join internal.pattern_ratings as b on p.pattern_id = b.pattern_id
inner join internal.raters as ra on a.rater_id = ra.rater_id
inner join internal.raters as rb on b.rater_id = rb.rater_id
inner join internal.labels as la on a.label_id = la.label_id
inner join internal.labels as lb on b.label_id = lb.label_id
where q.question = question and ra.rater = rater_a and rb.rater = rater_b;

comment on macro table internal.pair_patterns is
    'Private. One row per pattern that has ratings of both raters: their labels.';
