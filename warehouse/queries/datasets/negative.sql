-- One row: whether a count of the dataset became negative, or a change has a pattern that is not stored. Then files
-- changed without a sign.
select
    exists (from internal.pattern_counts where n_items < 0) or exists (from internal.batch_patterns where n_items < 0)
    or exists (from internal.version_counts where n_ratings < 0) or exists (from internal.label_counts where n_ratings < 0)
    or exists (from internal.duration_counts where n_ratings < 0)
    or exists (from internal.rater_day_counts where n_ratings < 0)
    or exists (from internal.version_day_counts where n_items < 0)
    or exists (from internal.slice_counts where n_items < 0)
    or exists (from count_changes where section in ('pattern', 'batch', 'version_day', 'slice') and pattern_id is null);
