"""Alert if a label appears that the question did not have before."""

from collections.abc import Iterator

from tasks.monitor.rules.alert_rule import DAY_SECONDS, AlertRule, Rows, RuleContext, RuleFinding


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find labels whose first day is at most the limit older than the newest day of the question."""
    for row in rows:
        if (row["last_day"] - row["label_day"]).days * DAY_SECONDS < row["threshold"]:
            yield RuleFinding(
                question=row["question"],
                subject=row["label"],
                n_items=row["n_items"],
                evidence=f"first on {row['label_day']}, {row['n_items']:,} item{'s' * (row['n_items'] != 1)} so far;"
                f" the question began on {row['first_day']}",
                detail=f"The label {row['label']} is new in '{row['question']}'.",
            )


RULE = AlertRule(
    query="new_label",
    judge=judge,
    look_at="Look at the items with the label {subject}: is it a slip, or should the guideline have it?",
)
