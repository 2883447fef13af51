-- The last step of a rebuild of the `rebuilt` questions: restore the time windows of the batches, and delete patterns
-- that no item shows.
insert into internal.batch_windows
select
    r.batch_no, r.question_id, min(coalesce(r.rated_at, r.ingested_at)), max(coalesce(r.rated_at, r.ingested_at))
from internal.ratings as r
left join internal.declared_kinds as d on r.question_id = d.question_id and r.rater_id = d.rater_id
where
    r.question_id in (from rebuilt) and coalesce(d.rater_kind, r.rater_kind) = 'human' and r.withdrawn_at is null
    and r.restores is null
group by r.batch_no, r.question_id;

delete from internal.patterns
where question_id in (from rebuilt) and pattern_id not in (select pattern_id from internal.pattern_counts);

delete from internal.pattern_ratings
where pattern_id not in (select pattern_id from internal.patterns);

delete from internal.pattern_consensus
where pattern_id not in (select pattern_id from internal.patterns);
