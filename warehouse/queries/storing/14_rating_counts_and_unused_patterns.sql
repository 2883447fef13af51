-- Bring the rating counts by system version and by label up to date. Delete patterns that no item shows any more, with
-- their consensus.
-- Reads: internal.pattern_counts, left_patterns, touched_ratings
-- Writes: gone_patterns, internal.label_counts, internal.pattern_consensus, internal.pattern_ratings,
-- internal.patterns, internal.version_counts, label_changes, version_changes
create or replace temp table version_changes as
select question_id, rater_id, system_version, sum(is_now::bigint - was_before::bigint)::bigint as n
from touched_ratings
where system_version is not null
group by question_id, rater_id, system_version
having sum(is_now::bigint - was_before::bigint) <> 0;

merge into internal.version_counts as c
using version_changes as x
    on c.question_id = x.question_id and c.rater_id = x.rater_id and c.system_version = x.system_version
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.rater_id, x.system_version, x.n);

create or replace temp table label_changes as
select question_id, label_id, sum(is_now::bigint - was_before::bigint)::bigint as n
from touched_ratings
group by question_id, label_id
having sum(is_now::bigint - was_before::bigint) <> 0;

merge into internal.label_counts as c
using label_changes as x
    on c.question_id = x.question_id and c.label_id = x.label_id
when matched and c.n_ratings + x.n = 0 then delete
when matched then update set n_ratings = c.n_ratings + x.n
when not matched then insert values (x.question_id, x.label_id, x.n);

create or replace temp table gone_patterns as
select distinct pattern_id
from left_patterns anti join internal.pattern_counts using (pattern_id);

delete from internal.patterns
where pattern_id in (select pattern_id from gone_patterns);

delete from internal.pattern_ratings
where pattern_id in (select pattern_id from gone_patterns);

delete from internal.pattern_consensus
where pattern_id in (select pattern_id from gone_patterns);
