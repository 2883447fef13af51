-- One row per group of files and question: the first and last time of its human ratings.
select split_part(b.batch_id, '/', 1)::integer as place, w.question_id, min(w.first_at) as first_at, max(w.last_at) as last_at
from internal.batch_windows as w inner join internal.batches as b using (batch_no)
group by all;
