-- Comments of tables and columns in plainer words. Nothing else changes.
comment on column agreement.run_id is 'The run that computed it, or the last run that found the window unchanged.';
comment on column agreement.p_value is
    'Two-sided p value: the probability of a figure at least this far from 0 if the raters agreed by chance alone.';
comment on column agreement.n_items is 'Items that the figure is computed from.';
comment on column alerts.evidence is
    'The figures behind the alert, as JSON. For a chart: those at its opening. For a rule: those of the last run that checked it.';
comment on column alerts.changed_low is 'First day of the 90 % interval of changed_on.';
comment on column alerts.changed_high is 'Last day of the 90 % interval of changed_on.';
comment on column alerts.after is 'The figure from the day of the change to detected_on.';
comment on column alerts.closed_because is
    'recovered: the old level is back, or the limit is met again. revised: corrected data no longer show it. accepted: it is the new normal. replaced: a newer version answers. Otherwise closed, or the words of the person who closed it. Null while open.';
comment on column alerts.incident_id is 'Identity of the incident. Alerts with one cause belong to one incident.';
comment on column alerts.owner is 'Who should look at it, as the settings say.';
comment on column alerts.recovered_at is
    'For an alert of a rule that somebody closed: when the condition of the rule ended. The rule opens no new alert before.';
comment on column alerts.muted_until is
    'No message about it is sent before this time (UTC). Null if it was never muted.';
comment on column alerts.label is
    'For the kinds labels and rater_labels: the label that is now given more or less often.';
comment on table annotator_tests is
    'One row per run, question and system: the alternative annotator test, which asks whether the system can replace a human rater.';
comment on column annotator_tests.winning_rate is
    'Share of the raters whom the system is shown to match, up to epsilon.';
comment on column annotator_tests.advantage_probability is
    'Mean over the raters of the probability that the system agrees with the other raters at least as well as the rater does.';
comment on column annotator_tests.n_raters is 'Raters with enough items for the comparison.';
comment on table assumption_checks is
    'One row per run, question, check of an assumption of the accuracy methods, and system or rater that it is about.';
comment on column assumption_checks.statistic is 'Test statistic of the check.';
comment on column assumption_checks.p_value is
    'p value of this test alone: the probability of a statistic at least this large if the assumption held.';
comment on column assumption_checks.effect is 'Size of the deviation from the assumption.';
comment on column assumption_checks.violated is
    'Whether p_adjusted is below .05 and the effect matters. Null if another cause may explain it.';
comment on column assumption_checks.p_adjusted is
    'p_value corrected for all tests of the question. Null in old runs: they stored a corrected p_value for copying and alike.';
comment on column batches.batch_id is
    'Identity of the batch: a hash of the file''s bytes, its subfolder, its name if the name has a meaning, and the settings that say how to read it.';
comment on column batches.n_deleted is
    'Current ratings that the batch marked as deleted: its source sent them before, and this full export or live source lacks them.';
comment on column batches.full_export is 'Whether the settings say that its source sends full exports.';
comment on column batches.file_modified_at is
    'When the file was last written (UTC), by the file system or object store.';
comment on column item_distances.coefficient is
    'For spans: f1_exact, f1_partial. For boxes: f1_iou50, f1_iou75, mean_iou. For rankings: kendall_w, spearman, kendall_tau. For texts: text_similarity, word_similarity, exact_match.';
comment on column item_distances.value is
    'What the item adds. sum(value) / sum(weight) over any rows of one coefficient is the coefficient of these rows.';
comment on column item_distances.weight is
    'Weight of the value: the regions of both raters for an F1, the matches for mean_iou, the raters for kendall_w, else 1.';
comment on column label_confusion_windows.run_id is
    'The run that computed it, or the last run that found the window unchanged.';
comment on column label_confusion_windows.low is 'Lower end of its interval, for items like these.';
comment on table label_quality is
    'One row per run, question, system or human rater, and label: precision and recall of its use of the label.';
comment on column label_quality.precision is
    'Of the items to which it gave the label, the share where the label is right.';
comment on column label_quality.recall is 'Of the items with this right label, the share to which it gave the label.';
comment on column label_quality.n_expected is
    'Expected number of items with this right label, among those that it labelled.';
comment on column label_rate_differences.difference is
    'Rate over the items that version B answered minus the rate over the items that version A answered.';
comment on column label_rate_windows.method is
    'With gold: rogan_gladen (from all gold items) and ppi (from the gold items of the window, if it has two). Without gold: model. raw is the share of the label among the system''s answers, right or wrong.';
comment on column label_rate_windows.low is 'Lower end of the interval. For the method model: of the inner interval.';
comment on column label_rate_windows.high is 'Upper end of the interval. For the method model: of the inner interval.';
comment on column label_rate_windows.outer_low is
    'Lower end of the outer interval of the method model. Null for other methods.';
comment on column label_rate_windows.outer_high is
    'Upper end of the outer interval of the method model. Null for other methods.';
comment on column label_rate_windows.too_few is
    'Whether the window has fewer items than window_items in the settings. If so, do not rely on its figures.';
comment on column label_rates.scope is
    'Which items. all: all that the system answered. slice:key=value: those of a slice. version:NAME: those of a version.';
comment on column label_rates.method is
    'With gold: ppi, rogan_gladen and gold_only. Without gold: model. raw is the share of the label among the system''s answers, right or wrong.';
comment on column label_rates.low is
    'Lower end of the interval. For the method model: of the inner interval, which holds if people err independently.';
comment on column label_rates.high is 'Upper end of the interval. For the method model: of the inner interval.';
comment on column label_rates.outer_low is
    'Lower end of the outer interval of the method model, which allows for errors as large as those of accuracies on real data. Null for other methods.';
comment on column label_rates.outer_high is
    'Upper end of the outer interval of the method model. Null for other methods.';
comment on column label_windows.run_id is 'The run that computed it, or the last run that found the window unchanged.';
comment on column label_windows.low is 'Lower end of its interval, for items like these.';
comment on table messages is
    'One row per message: an incident, an event and the channel that should hear of it. It is written in the transaction of the alert, and sent afterwards.';
comment on column messages.message_id is
    'Identity of the message. A receiver that gets it twice can ignore the second one.';
comment on column messages.alert_ids is 'The alerts that it reports.';
comment on column messages.digest_id is
    'Identity of the digest. Messages that are sent together share it. Null before the first attempt, and after the channel refused them.';
comment on column messages.n_attempts is 'Number of attempts to send it that have ended, with success or without.';
comment on column messages.next_attempt_at is 'No attempt is made before this time (UTC). Null once sent.';
comment on column messages.sent_at is 'When the channel accepted it (UTC). Null until then.';
comment on column messages.error is 'The last answer of the channel, if it did not accept the message.';
comment on column model_strengths.rank_low is 'Best rank that is possible within the intervals of the differences.';
comment on column model_strengths.rank_high is 'Worst rank that is possible within these intervals.';
comment on column rater_bias.confidence is 'Confidence of the interval, 0 to 1.';
comment on column rater_bias.reason is 'Code of the reason where the bias is null.';
comment on column rater_quality.agreement_with_others is
    'Share of the pairs of this rater and another rater of the same item that agree.';
comment on column rater_scorecards.confidence is 'Confidence of the intervals, 0 to 1.';
comment on column rater_scorecards.agreement_reason is 'Code of the reason where the agreement is null.';
comment on column rater_scorecards.accuracy_reason is 'Code of the reason where the accuracy is null.';
comment on column rater_scorecards.gold_reason is 'Code of the reason where the gold accuracy is null.';
comment on column rater_scorecards.severity_reason is 'Code of the reason where the severity is null.';
comment on column rater_windows.too_few is
    'Whether the rater has fewer items in the window than window_items in the settings. If so, do not rely on the figures.';
comment on column region_agreement.coefficient is
    'For spans: f1_exact, f1_partial, character_alpha, unitised_alpha. For boxes: f1_iou50, f1_iou75, mean_iou. For rankings: kendall_w, spearman, kendall_tau. For texts: text_similarity, word_similarity, exact_match.';
comment on column region_agreement.n_items is 'Items that two raters or more worked on.';
comment on column region_agreement.n_regions is 'Spans or boxes in these items; 0 for rankings and texts.';
comment on column region_windows.coefficient is
    'For spans: f1_exact, f1_partial, character_alpha, unitised_alpha. For boxes: f1_iou50, f1_iou75, mean_iou. For rankings: kendall_w, spearman, kendall_tau. For texts: text_similarity, word_similarity, exact_match.';
comment on column region_windows.n_items is 'Items of the window that two raters or more worked on.';
comment on column region_windows.n_regions is 'Spans or boxes in these items; 0 for rankings and texts.';
comment on column region_windows.too_few is
    'Whether the window has fewer such items than window_items in the settings. If so, do not rely on its figures.';
comment on table shared_errors is
    'One row per run and question: how strongly the raters'' errors are correlated, measured on the gold items.';
comment on column shared_errors.n_effective is
    'Number of independent raters that would tell as much: m / (1 + (m - 1) correlation), where m is raters_per_item. A correlation below 0 counts as 0.';
comment on column shared_errors.n_effective_low is 'The same number for the upper end of the correlation.';
comment on column shared_errors.n_effective_high is 'The same number for the lower end of the correlation.';
comment on column system_accuracy.low is
    'Lower end of the inner interval, which holds if people err independently. With gold: of the audited interval.';
comment on column system_accuracy.outer_low is
    'Lower end of the outer interval, which allows for errors as large as those of such estimates on real data. Null for methods other than average, and in runs from before this column.';
comment on column system_differences.difference is 'Accuracy of A minus accuracy of B, on the same items.';
comment on column system_windows.too_few is
    'Whether the system has fewer items in the window than window_items in the settings. If so, do not rely on the figures.';
comment on column systems_against_raters.difference is 'Accuracy of the system minus that of the rater.';
comment on column version_comparisons.e is 'Evidence of the sequential test (its e value). A verdict needs 40 or more.';
