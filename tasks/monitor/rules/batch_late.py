"""Alert if no batch with ratings of a question came for some time."""

from collections.abc import Iterator

from tasks.monitor.rules.alert_rule import AlertRule, Rows, RuleContext, RuleFinding, length_of_time


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find questions whose last batch was stored longer ago than the limit."""
    for row in rows:
        if (context.now - row["last_at"]).total_seconds() > row["threshold"]:
            yield RuleFinding(
                question=row["question"],
                evidence=f"last batch {row['file_name']} of {row['source']} at {row['last_at']:%Y-%m-%d %H:%M} UTC",
                detail=f"No new ratings of '{row['question']}' came for more than {length_of_time(row['threshold'])}.",
            )


RULE = AlertRule(
    query="batch_late",
    judge=judge,
    can_judge=lambda _: True,
    look_at="Look at the tool and the job that export the ratings: does it still run, and into this source?",
)
