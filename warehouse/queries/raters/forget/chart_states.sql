-- Forget what the charts of the forgotten rater's questions were computed with: it holds names. The next run computes
-- the charts from all days.
delete from internal.chart_states
where question_id in (
    select r.question_id
    from internal.ratings as r semi join (from internal.raters where list_contains($names, rater)) using (rater_id)
);
