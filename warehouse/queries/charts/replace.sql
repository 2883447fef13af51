-- Replace the charts of a question by `incoming_sums`, `incoming_version_sums`, `incoming_points`, `incoming_missing`
-- and `incoming_versions`. Stored sums stay only for the sections $kept_sections, and there for all days but those of
-- `incoming_days` (section, day). Points are replaced from $points_from on.
create or replace temp table this_question as
select question_id
from internal.questions
where question = $question;

delete from internal.chart_sums
where
    question_id = (from this_question)
    and ((section, day) in (from incoming_days) or not list_contains($kept_sections, section));

delete from internal.version_sums
where
    question_id = (from this_question)
    and ((section, day) in (from incoming_days) or not list_contains($kept_sections, section));

insert into internal.chart_sums
select (from this_question), section, chart, subject, label, day, n_items, score_sum
from incoming_sums;

insert into internal.version_sums
select (from this_question), section, system, version, day, n_items, score_sum, centred_sum, centred_squares
from incoming_version_sums;

delete from internal.chart_points
where question_id = (from this_question) and day >= $points_from;

insert into internal.chart_points
select
    (from this_question), chart, subject, label, day, n_items, value, low, high, statistic, threshold, is_reference
from incoming_points;

delete from missing_charts
where question = $question;

insert into missing_charts
select $question, chart, subject, reason, detail
from incoming_missing;

delete from version_comparisons
where question = $question;

insert into version_comparisons by name
select $question as question, *
from incoming_versions;

delete from internal.chart_states
where question_id = (from this_question);

insert into internal.chart_states
select
    question_id, $revision, $charted_until, $settings,
    (select count(*) from accepted_changes where question = $question), $sections::json, $detector::json
from this_question;
