-- One row per batch and question that the batch has ratings of.
create or replace view batch_questions as
select batches.batch_id, questions.question, counts.n_ratings, counts.n_unchanged
from internal.batch_questions as counts
inner join internal.batches using (batch_no)
inner join internal.questions using (question_id);

comment on view batch_questions is 'One row per batch and question that the batch has ratings of.';
comment on column batch_questions.batch_id is 'The batch.';
comment on column batch_questions.n_ratings is 'Ratings of the question that the batch brought.';
comment on column batch_questions.n_unchanged is 'Ratings of the question in the batch that were known already.';
