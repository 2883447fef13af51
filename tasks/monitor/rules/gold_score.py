"""Alert if the accuracy of an annotator on gold items is below a limit for sure."""

from collections.abc import Iterator

from stats.verdict_interval import reaches
from tasks.figures_beside_limits import interval_beside_least
from tasks.monitor.rules.alert_rule import AlertRule, Rows, RuleContext, RuleFinding


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find annotators whose interval lies wholly below the limit."""
    for row in rows:
        if not reaches(row["high"], row["threshold"]):
            figures = interval_beside_least(row["accuracy"], row["low"], row["high"], row["threshold"])
            yield RuleFinding(
                question=row["question"],
                subject=row["rater"],
                value=row["accuracy"],
                n_items=row["n_gold"],
                evidence=f"accuracy {figures} with {row['n_gold']:,} gold items, limit {row['threshold']:.10g}",
                detail=f"Annotator {row['rater']} is right in '{row['question']}', audited with gold, less often than "
                "you allow.",
            )


RULE = AlertRule(
    query="gold_score",
    judge=judge,
    can_judge=lambda row: row["high"] is not None,
    look_at="Go through the gold items that {subject} got wrong, with {subject}.",
)
