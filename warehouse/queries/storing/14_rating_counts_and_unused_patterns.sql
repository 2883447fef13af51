-- Bring the rating counts by system version and by label up to date. Delete patterns that no item shows any more, with
-- their consensus.
-- Reads: internal.label_counts, internal.pattern_counts, internal.version_counts, left_patterns, touched_ratings
-- Writes: gone_patterns, internal.label_counts, internal.pattern_consensus, internal.pattern_ratings,
-- internal.patterns, internal.version_counts, label_changes, version_changes
create or replace temp table version_changes as
select question_id, rater_id, system_version, sum(is_now::bigint - was_before::bigint)::bigint as n
from touched_ratings
where system_version is not null
group by question_id, rater_id, system_version
having sum(is_now::bigint - was_before::bigint) <> 0;

update internal.version_counts as v
set n_ratings = v.n_ratings + x.n
from version_changes as x
where v.question_id = x.question_id and v.rater_id = x.rater_id and v.system_version = x.system_version;

insert into internal.version_counts
from version_changes anti join internal.version_counts using (question_id, rater_id, system_version);

delete from internal.version_counts
where n_ratings = 0;

create or replace temp table label_changes as
select question_id, label_id, sum(is_now::bigint - was_before::bigint)::bigint as n
from touched_ratings
group by question_id, label_id
having sum(is_now::bigint - was_before::bigint) <> 0;

update internal.label_counts as c
set n_ratings = c.n_ratings + x.n
from label_changes as x
where c.question_id = x.question_id and c.label_id = x.label_id;

insert into internal.label_counts
from label_changes anti join internal.label_counts using (question_id, label_id);

delete from internal.label_counts
where n_ratings = 0;

create or replace temp table gone_patterns as
select distinct pattern_id
from left_patterns anti join internal.pattern_counts using (pattern_id);

delete from internal.patterns
where pattern_id in (select pattern_id from gone_patterns);

delete from internal.pattern_ratings
where pattern_id in (select pattern_id from gone_patterns);

delete from internal.pattern_consensus
where pattern_id in (select pattern_id from gone_patterns);
