"""Alert if an annotator gave no ratings for some time while others did."""

from collections.abc import Iterator

from tasks.monitor.rules.alert_rule import DAY_SECONDS, AlertRule, Rows, RuleContext, RuleFinding, length_of_time


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find annotators whose last rating is older than the newest one of the question by more than the limit."""
    for row in rows:
        if (row["newest_day"] - row["last_day"]).days * DAY_SECONDS > row["threshold"]:
            yield RuleFinding(
                question=row["question"],
                subject=row["rater"],
                evidence=f"last rating {row['last_day']}, newest rating of the question {row['newest_day']}, "
                f"{row['n_ratings']:,} ratings in all",
                detail=f"Annotator {row['rater']} gave no ratings of '{row['question']}' for more than "
                f"{length_of_time(row['threshold'])}, while others did.",
            )


RULE = AlertRule(
    judge=judge,
    look_at="Ask whether {subject} still works on this question. If not, close the alert.",
)
