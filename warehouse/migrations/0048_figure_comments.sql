-- What n_items counts, which is the same for all coefficients of a question, and what range the figures on regions have.
comment on column agreement.n_items is
    'Items with a rating. Of these, a coefficient may use fewer: alpha and those of two raters use items with two ratings.';
comment on column region_agreement.estimate is
    'The figure, without a unit; 1 is perfect agreement. f1_exact, f1_partial, f1_iou50, f1_iou75, mean_iou, kendall_w, text_similarity, word_similarity and exact_match are 0 to 1; spearman and kendall_tau -1 to 1; character_alpha and unitised_alpha are at most 1, and 0 is agreement by chance. Null with a reason where no item has two raters, nothing is marked, all options are tied or the length of a text is unknown.';
