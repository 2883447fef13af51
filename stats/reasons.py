"""List the codes that say why a figure is null. The column `detail` holds the sentence for the case at hand."""

TOO_MANY_LABELS = "too_many_labels"
REASONS: dict[str, str] = {
    "not_applicable": "The coefficient is not defined for this design or scale.",
    "zero_denominator": "The formula divides by zero on these ratings.",
    "not_identified": "The ratings do not determine the quantity.",
    "too_few_items": "Fewer items with two ratings or more than the formula needs.",
    "too_few_raters": "Fewer raters than the formula needs.",
    "too_few_ratings": "Fewer ratings than the formula needs.",
    "too_few_gold": "Fewer gold items than an audit needs, in a question whose other figures are audited.",
    "no_gold": "Only gold shows it, and there is no gold that can be used.",
    "unnamed_raters": "The votes do not name the raters, and the figure depends on who gave which label.",
    "other_labels": "None of the labels is one that people give, or many are other spellings of theirs.",
    TOO_MANY_LABELS: "The labels are too many numbers, and only equal ones would count, or have too few items.",
    "too_few_groups": "Fewer groups with an estimate and a standard error than the test needs.",
}
