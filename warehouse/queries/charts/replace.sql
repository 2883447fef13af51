-- Replace the charts of the questions of `incoming_states` (question, revision, charted_until, settings, sections,
-- detector, points_from) by `incoming_sums`, `incoming_version_sums`, `incoming_points`, `incoming_missing` and
-- `incoming_versions`. Stored sums stay only for the sections of `incoming_kept` (question, section), and there for all
-- days but those of `incoming_days` (question, section, day). Points are replaced from points_from on.
create or replace temp table these_questions as
select q.question_id, i.question, i.points_from
from incoming_states as i inner join internal.questions as q using (question);

create or replace temp table kept_sections as
select q.question_id, k.section
from incoming_kept as k inner join these_questions as q using (question);

create or replace temp table computed_days as
select q.question_id, d.section, d.day
from incoming_days as d inner join these_questions as q using (question);

delete from internal.chart_sums
where
    question_id in (select question_id from these_questions)
    and (
        (question_id, section, day) in (from computed_days)
        or (question_id, section) not in (from kept_sections)
    );

delete from internal.version_sums
where
    question_id in (select question_id from these_questions)
    and (
        (question_id, section, day) in (from computed_days)
        or (question_id, section) not in (from kept_sections)
    );

insert into internal.chart_sums
select q.question_id, i.section, i.chart, i.subject, i.label, i.day, i.n_items, i.score_sum
from incoming_sums as i inner join these_questions as q using (question);

insert into internal.version_sums
select
    q.question_id, i.section, i.system, i.version, i.day, i.n_items, i.score_sum, i.centred_sum, i.centred_squares
from incoming_version_sums as i inner join these_questions as q using (question);

delete from internal.chart_points using these_questions as q
where chart_points.question_id = q.question_id and chart_points.day >= q.points_from;

insert into internal.chart_points
select
    q.question_id, i.chart, i.subject, i.label, i.day, i.n_items, i.value, i.low, i.high, i.statistic, i.threshold,
    i.is_reference
from incoming_points as i inner join these_questions as q using (question);

delete from missing_charts
where question in (select question from these_questions);

insert into missing_charts by name
from incoming_missing;

delete from version_comparisons
where question in (select question from these_questions);

insert into version_comparisons by name
from incoming_versions;

delete from internal.chart_states
where question_id in (select question_id from these_questions);

insert into internal.chart_states
select
    q.question_id, i.revision, i.charted_until, i.settings,
    (select count(*) from accepted_changes as a where a.question = i.question), i.sections::json, i.detector::json
from incoming_states as i inner join these_questions as q using (question);
