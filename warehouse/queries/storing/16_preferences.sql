-- Store the votes on pairs of models. A further attempt withdraws those that the file no longer has, or has otherwise.
-- A row is unchanged if it repeats the vote before it by the same rater on the same item, pair and order. Batches count
-- in the order of their arrival. Every other row is a new vote; of several the last is in force (current_preferences).
-- `kept_votes`: votes of the batch that the file has unchanged.
-- Reads: incoming_votes, internal.preferences
-- Writes: internal.batch_questions, internal.preferences, kept_votes
create or replace temp table kept_votes as
select p.vote_id, v.arrival
from internal.preferences as p inner join incoming_votes as v
    on p.question_id = v.question_id and p.item = v.item and p.cluster = v.cluster and p.model_a = v.model_a
    and p.model_b = v.model_b and p.shown_first = v.shown_first and p.winner = v.winner and p.rater_id = v.rater_id
    and p.rater_kind::varchar = v.rater_kind and p.row_number is not distinct from v.row_number
where p.batch_no = $batch_no and p.withdrawn_at is null
qualify
    row_number() over (partition by p.vote_id order by v.arrival)
    = row_number() over (partition by v.arrival order by p.vote_id);

update internal.preferences
set withdrawn_at = $now
where batch_no = $batch_no and withdrawn_at is null and vote_id not in (select vote_id from kept_votes);

insert into internal.preferences by name
with stored_before as (
    select question_id, item, model_a, model_b, shown_first, rater_id, winner
    from internal.preferences
    where batch_no < $batch_no and withdrawn_at is null
    qualify row_number() over (
        partition by question_id, item, model_a, model_b, shown_first, rater_id
        order by batch_no desc, row_number desc nulls last, vote_id desc
    ) = 1
),

compared as (
    select
        v.*,
        coalesce(
            lag(v.winner) over (
                partition by v.question_id, v.item, v.model_a, v.model_b, v.shown_first, v.rater_id order by v.arrival
            ),
            s.winner
        ) as winner_before
    from incoming_votes as v left join stored_before as s
        on v.question_id = s.question_id and v.item = s.item and v.model_a = s.model_a and v.model_b = s.model_b
        and v.shown_first = s.shown_first and v.rater_id = s.rater_id
)

select
    (select coalesce(max(vote_id), 0) + 1 from internal.preferences) + arrival as vote_id, question_id, item, cluster,
    model_a, model_b, shown_first, winner, rater_id, rater_kind::internal.rater_kind as rater_kind,
    $batch_no as batch_no, row_number, $now as ingested_at
from compared anti join kept_votes using (arrival)
where winner_before is null or winner_before <> winner;

insert into internal.batch_questions
with stored as (
    select question_id, count(*) as n
    from internal.preferences
    where batch_no = $batch_no and withdrawn_at is null
    group by question_id
)

select
    $batch_no, question_id, coalesce(any_value(stored.n), 0), count(*) - coalesce(any_value(stored.n), 0)
from incoming_votes left join stored using (question_id)
group by question_id;
