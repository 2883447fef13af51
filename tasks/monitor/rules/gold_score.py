"""Alert if the accuracy of an annotator on gold items is below a limit for sure."""

from collections.abc import Iterator

from tasks.monitor.rules.alert_rule import AlertRule, Rows, RuleContext, RuleFinding


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find annotators whose interval lies wholly below the limit."""
    for row in rows:
        if row["high"] < row["threshold"]:
            yield RuleFinding(
                question=row["question"],
                subject=row["rater"],
                value=row["accuracy"],
                n_items=row["n_gold"],
                evidence=f"accuracy {row['accuracy']:.3f} [{row['low']:.3f}, {row['high']:.3f}] with {row['n_gold']:,} "
                f"gold items, limit {row['threshold']:g}",
                detail=f"Annotator {row['rater']} is right on the gold items of '{row['question']}' less often than "
                "you allow.",
            )


RULE = AlertRule(
    judge=judge,
    look_at="Go through the gold items that {subject} got wrong, with {subject}.",
)
