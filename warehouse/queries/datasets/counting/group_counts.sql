-- One row per group of files and question: its new and unchanged ratings.
select
    split_part(b.batch_id, '/', 1)::integer as place, q.question_id, sum(q.n_ratings)::bigint as n_ratings,
    sum(q.n_unchanged)::bigint as n_unchanged
from internal.batch_questions as q inner join internal.batches as b using (batch_no)
group by all;
