-- The last step: windows, questions and files of the dataset. The questions whose counts changed count up their
-- revision, so that they are evaluated again, and the charts compute the changed days again.
delete from internal.batch_windows
where (batch_no, question_id) in (select batch_no, question_id from incoming_windows);

insert into internal.batch_windows
select batch_no, question_id, first_at, last_at
from incoming_windows;

delete from internal.batch_questions
where (batch_no, question_id) in (select batch_no, question_id from incoming_groups);

insert into internal.batch_questions
select batch_no, question_id, n_ratings, n_unchanged
from incoming_groups;

insert into internal.dataset_questions
select distinct question_id, $source
from count_changes
where question_id not in (select question_id from internal.dataset_questions);

create or replace temp table changed as
select distinct question_id
from count_changes
union
select question_id
from recounted;

create or replace temp table day_changes as
select distinct question_id, day
from count_changes
where day is not null
union
select question_id, day
from forgotten_days;

update internal.questions
set revision = revision + 1
where question_id in (select question_id from changed);

delete from internal.changed_days
where (question_id, day) in (select question_id, day from day_changes);

insert into internal.changed_days
select distinct d.question_id, d.day, q.revision
from day_changes as d inner join internal.questions as q using (question_id);

create or replace temp table gone_patterns as
select pattern_id
from internal.patterns
where
    question_id in (select question_id from internal.dataset_questions where source = $source)
    and pattern_id not in (select pattern_id from internal.pattern_counts);

delete from internal.patterns
where pattern_id in (select pattern_id from gone_patterns);

delete from internal.pattern_ratings
where pattern_id in (select pattern_id from gone_patterns);

delete from internal.pattern_consensus
where pattern_id in (select pattern_id from gone_patterns);

insert into internal.dataset_files by name
select $source as source, file_name, size, modified_ns, footer, n_rows, first_item, last_item, batch_no
from incoming_files;

insert into internal.dataset_versions
select $source, $version, $now
where $version is not null;

delete from internal.datasets
where source = $source;

insert into internal.datasets
select $source, $settings_hash;
