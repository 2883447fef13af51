-- Comments that were false, or said less than those of the views on the same tables.
comment on column agreement.scope is 'Whose ratings: humans, all, label:X, subtree:X (of a taxonomy), slice:key=value.';
comment on column agreement.period_start is 'Start of the period (UTC), inclusive; null for all and last_n.';
comment on column agreement.period_end is
    'End of the period (UTC), exclusive (of a batch its last rating); null for all and last_n.';
comment on column alerts.after is
    'For a chart: the figure from the day of the change to detected_on. For a rule: the figure that its limit is compared with, if it has one.';
comment on column alerts.n_items is
    'For a chart: the items from the day of the change to detected_on. For a rule: the items behind its figure, if known.';
comment on column system_accuracy.accuracy is
    'Estimated share of right answers: from the ratings alone, or with gold (n_gold above 0) audited. Null where undefined.';
comment on column label_rate_windows.n_items is
    'Items of the window that the system answered and people rated. If no person rates the question: the items that the system answered.';
comment on column rater_windows.accuracy is
    'Probability that the rater is right: the figure of the last evaluation over all items (rater_quality), moved up or down by how much better or worse the ratings fit those of the others in this window. The accuracies of the others are held fixed.';
comment on column system_windows.accuracy is
    'Probability that the system is right: the figure of the last evaluation over all items (system_accuracy), moved up or down by how much better or worse its answers fit those of the people in this window. The accuracies of the people are held fixed.';
comment on column region_agreement.n_items is
    'Items that two raters or more worked on; of spearman, kendall_tau and kendall_w those for which the figure is defined.';
comment on column region_agreement.n_raters is
    'Raters of these items; of spearman and kendall_tau those of the pairs for which it is defined.';
comment on column region_windows.n_items is
    'Items of the window that two raters or more worked on; of spearman, kendall_tau and kendall_w those for which the figure is defined.';
comment on column region_windows.n_raters is
    'Raters of these items; of spearman and kendall_tau those of the pairs for which it is defined.';
