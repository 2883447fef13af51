"""Alert if the items of the last weeks have too few annotators each."""

import math
from collections.abc import Iterator

from stats.verdict_interval import reaches
from tasks.counted_words import counted
from tasks.figures_beside_limits import interval_beside_least
from tasks.monitor.rules.alert_rule import AlertRule, Row, Rows, RuleContext, RuleFinding

DAYS = 30  # the items whose latest rating is at most so many days older than the newest one,
LAG = 2  # and at least so many: newer items may get more ratings yet
MIN_ITEMS = 30
NORMAL_95 = 1.96


def judge(rows: Rows, context: RuleContext) -> Iterator[RuleFinding]:
    """Find questions whose interval of the mean number of annotators lies wholly below the limit."""
    for row in filter(_can_judge, rows):
        n_items = row["n_items"]
        mean = row["n_annotators"] / n_items
        variance = max(row["sum_of_squares"] / n_items - mean * mean, 0.0)
        half = NORMAL_95 * math.sqrt(variance / (n_items - 1))
        if not reaches(mean + half, row["threshold"]):
            figures = interval_beside_least(mean, mean - half, mean + half, row["threshold"], least=2)
            yield RuleFinding(
                question=row["question"],
                value=mean,
                n_items=n_items,
                evidence=f"{figures} annotators per item, of {counted(n_items, 'item')}, limit {row['threshold']:.10g}",
                detail=f"The items of '{row['question']}' that were rated in the last weeks have fewer annotators each "
                "than you want.",
            )


def _can_judge(row: Row) -> bool:
    return bool(row["n_items"] >= MIN_ITEMS)


RULE = AlertRule(
    query="ratings_per_item",
    judge=judge,
    look_at="Look at the items with few ratings: are they still queued, or does nobody rate them?",
    values=lambda _: {"days": DAYS, "lag": LAG},
    can_judge=_can_judge,
)
