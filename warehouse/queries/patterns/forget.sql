-- The first step of a rebuild of the patterns of some questions ($questions: a list of names; null is all). Only the
-- patterns' numbers stay, so that the same pattern keeps its number and its consensus. `touched`: all items of these
-- questions. Questions of a dataset are left out: their ratings are in its files, which a run counts again.
create or replace temp table rebuilt as
select question_id
from internal.questions
where
    ($questions is null or list_contains($questions, question))
    and question_id not in (select question_id from internal.dataset_questions);

create or replace temp table touched as
select distinct item_id
from internal.ratings
where question_id in (from rebuilt) and superseded_at is null and deleted_at is null;

delete from internal.pattern_ratings
where pattern_id in (select pattern_id from internal.patterns where question_id in (from rebuilt));

delete from internal.patterns
where
    question_id in (from rebuilt) and (
        pattern_id in (select pattern_id from internal.patterns group by pattern_id having count(*) > 1)
        or pattern_id not in (select min(pattern_id) from internal.patterns group by question_id, signature)
    );

update internal.pattern_numbers
set last_number = greatest(last_number, (select max(pattern_id) from internal.patterns));

delete from internal.item_patterns
where question_id in (from rebuilt);

delete from internal.pattern_counts
where question_id in (from rebuilt);

delete from internal.batch_patterns
where question_id in (from rebuilt);

delete from internal.batch_windows
where question_id in (from rebuilt);

delete from internal.version_counts
where question_id in (from rebuilt);

delete from internal.day_item_counts
where question_id in (from rebuilt);

delete from internal.label_counts
where question_id in (from rebuilt);

delete from internal.version_day_counts
where question_id in (from rebuilt);

delete from internal.duration_counts
where question_id in (from rebuilt);

delete from internal.rater_day_counts
where question_id in (from rebuilt);

-- Without its state, the charts of a question are computed from all its days.
delete from internal.chart_states
where question_id in (from rebuilt);
