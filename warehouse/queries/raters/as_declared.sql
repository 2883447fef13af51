-- One row: whether the kinds that the settings declare are those that are stored. $questions, $raters and $rater_kinds are
-- three lists of one length.
with incoming_kinds as (
    select
        unnest($questions::varchar[]) as question,
        unnest($raters::varchar[]) as rater,
        unnest($rater_kinds::varchar[]) as rater_kind
),

declared_now as (
    select q.question_id, a.rater_id, k.rater_kind::internal.rater_kind as rater_kind
    from incoming_kinds as k
    inner join internal.questions as q using (question)
    inner join internal.raters as a using (rater)
)

select
    not exists (from (from declared_now except from internal.declared_kinds))
    and not exists (from (from internal.declared_kinds except from declared_now));
